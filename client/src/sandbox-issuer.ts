/**
 * The issuer of sandbox credentials: its certificate chain in base64 DER, the leaf first, without the CA certificate, and its private key.
 * The key is public on purpose. Only demos and sandboxes of the server trust its CA, which issues nothing else.
 */
export const sandboxIssuer = {
  chain: [
    [
      'MIIB8zCCAZmgAwIBAgIBAjAKBggqhkjOPQQDAjBXMQswCQYDVQQGEwJVVDEkMCIGA1UECgwbU2FuZGJveCBvZiBjaXRpemVuLXNl',
      'cnZpY2VzMSIwIAYDVQQDDBlTYW5kYm94IENBIGZvciB0ZXN0cyBvbmx5MB4XDTIwMDEwMTAwMDAwMFoXDTQ5MTIzMTAwMDAwMFow',
      'WzELMAkGA1UEBhMCVVQxJDAiBgNVBAoMG1NhbmRib3ggb2YgY2l0aXplbi1zZXJ2aWNlczEmMCQGA1UEAwwdU2FuZGJveCBpc3N1',
      'ZXIgZm9yIHRlc3RzIG9ubHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARyrPxUlDAKoNqLGA7zVQhNocvRdac1ofScwtMkmLls',
      'Vp0cloIgoA+YFqWYVWOEYTWKFHtuXWthc/WBOVqcYtEXo1IwUDAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFCVTVVjVXLy4ObrQ',
      '+xrYpCC8BQMrMB8GA1UdIwQYMBaAFFswyytLpR705wXMTvdYCVf6AbzvMAoGCCqGSM49BAMCA0gAMEUCIQDjBGtV1MErvWsQR5UH',
      'MafFuTlMh9ZZ4GyUhK2XkOJwFgIgZ33z7AWDaKsc4V8PZvl7GKaRIX6pFrMLADlzNLRQ7qc=',
    ].join(''),
  ],
  privateKey: {
    kty: 'EC',
    crv: 'P-256',
    x: 'cqz8VJQwCqDaixgO81UITaHL0XWnNaH0nMLTJJi5bFY',
    y: 'nRyWgiCgD5gWpZhVY4RhNYoUe25da2Fz9YE5Wpxi0Rc',
    d: '-gxp6SZZbudmuMscr10hEjlghXCl15p3YZWN_QhLRFQ',
  },
} as const;
