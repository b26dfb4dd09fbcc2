/**
 * The CA certificate of the sandbox issuer, in DER. The key of the issuer is published in `client/src/sandbox-issuer.ts`: anybody can issue
 * credentials with it. Only demos and sandboxes trust it, and `start` without SIMULATORS refuses a trust file that has it.
 */
export const sandboxAnchor: Uint8Array = Buffer.from(
  [
    'MIIB4jCCAYigAwIBAgIBATAKBggqhkjOPQQDAjBXMQswCQYDVQQGEwJVVDEkMCIGA1UECgwbU2FuZGJveCBvZiBjaXRpemVuLXNl',
    'cnZpY2VzMSIwIAYDVQQDDBlTYW5kYm94IENBIGZvciB0ZXN0cyBvbmx5MB4XDTIwMDEwMTAwMDAwMFoXDTQ5MTIzMTAwMDAwMFow',
    'VzELMAkGA1UEBhMCVVQxJDAiBgNVBAoMG1NhbmRib3ggb2YgY2l0aXplbi1zZXJ2aWNlczEiMCAGA1UEAwwZU2FuZGJveCBDQSBm',
    'b3IgdGVzdHMgb25seTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIBNBjF5mdQ+2oWlX+zNRp6DlqrnyCbs5NAnEoBtGObMRghm',
    'EBxrcyU/LkpqDTpgE48ocCrCITz4BhWPy4qITyqjRTBDMBIGA1UdEwEB/wQIMAYBAf8CAQAwDgYDVR0PAQH/BAQDAgEGMB0GA1Ud',
    'DgQWBBRbMMsrS6Ue9OcFzE73WAlX+gG87zAKBggqhkjOPQQDAgNIADBFAiA5oyivFmegekgV8lCHmPCexTg21CDFsA+PNrBo5w+A',
    '2AIhAMcy06KXod+wr+AQHOdqpW6gZp84S6qioez71dwYDd5W',
  ].join(''),
  'base64',
);
