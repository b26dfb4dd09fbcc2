/**
 * The issuer of sandbox credentials: its certificate chain in base64 DER, the leaf first, without the CA certificate, and its private key.
 * The key is public on purpose. Only demos and sandboxes of the server trust its CA, which issues nothing else.
 */
export const sandboxIssuer = {
  /** The key identifier of the CA, which a request names to ask for credentials of this issuer. */
  authorityKeyId: 'WzDLK0ulHvTnBcxO91gJV_oBvO8',
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

/** An issuer that no server trusts, also with a published key. The sandbox wallet uses it to show how a server refuses it. */
export const untrustedIssuer = {
  chain: [
    [
      'MIIBjDCCATOgAwIBAgIBZjAKBggqhkjOPQQDAjAkMSIwIAYDVQQDDBlVbmtub3duIENBIGZvciB0ZXN0cyBvbmx5MB4XDTIwMDEwMTAw',
      'MDAwMFoXDTQ5MTIzMTAwMDAwMFowKDEmMCQGA1UEAwwdVW5rbm93biBpc3N1ZXIgZm9yIHRlc3RzIG9ubHkwWTATBgcqhkjOPQIBBggq',
      'hkjOPQMBBwNCAARp78ZU/bvxmFPyBVOHblr93/d1qkl60UHmz/JNH6IGTwV/HTYFlLD20/CtUtxeypAuiDkwLCoQglWGJZ+ZQoTBo1Iw',
      'UDAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFI06RwDMDXLZkbAeen3rip851X8oMB8GA1UdIwQYMBaAFEaWT4c2yvPudlyvUVDps/bA',
      'zHYiMAoGCCqGSM49BAMCA0cAMEQCIEe+eG9x3TFyAvF4ZS8J+7R4QGFNUjs070LPu9yAbC/IAiBRUP6r1GSIzB+1GEGf0KWJV80oe5jv',
      '31g2oHwu3RgguQ==',
    ].join(''),
  ],
  privateKey: {
    kty: 'EC',
    crv: 'P-256',
    x: 'ae_GVP278ZhT8gVTh25a_d_3dapJetFB5s_yTR-iBk8',
    y: 'BX8dNgWUsPbT8K1S3F7KkC6IOTAsKhCCVYYln5lChME',
    d: 'SxzgM34J6pACzmV4SGR0mFXKI1hNZCI1Wqjq9P3KKrk',
  },
} as const;
