import type { Setting } from '../setting.ts';
import { flagType, headerNameType, listType, pathType } from '../setting-types.ts';

/** The settings of TLS and of client authentication. */
export const clientSettings = {
  tlsCertificate: {
    name: 'TLS_CERTIFICATE',
    type: pathType,
    description:
      'PEM file with the certificate of this server and its chain. Set TLS_KEY as well. Without both, the API uses plain HTTP.',
  },
  tlsKey: {
    name: 'TLS_KEY',
    type: pathType,
    description: 'PEM file with the private key of TLS_CERTIFICATE. Set both or neither.',
  },
  tlsClientCertificates: {
    name: 'TLS_CLIENT_CERTIFICATES',
    type: flagType,
    default: 'false',
    description:
      'Set to true to request client certificates (RFC 8705). Clients without one can still authenticate by other methods. By default, the server requests none.',
  },
  tlsClientCa: {
    name: 'TLS_CLIENT_CA',
    type: pathType,
    description:
      'PEM file with the authorities that issue client certificates. Without it, the server accepts only certificates that are registered for a client.',
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    type: listType,
    default: '',
    description:
      'Addresses of the proxies that terminate TLS and may send client certificates, separated by commas, such as `10.0.0.5, 10.1.0.0/16`. By default, the server trusts no proxy.',
  },
  clientCertificateHeader: {
    name: 'CLIENT_CERTIFICATE_HEADER',
    type: headerNameType,
    description:
      'Header in which the TRUSTED_PROXIES send the client certificate: Client-Cert (RFC 9440), or another header with percent-encoded PEM. The server removes it from the requests of all other senders.',
  },
  clientSecrets: {
    name: 'CLIENT_SECRETS',
    type: flagType,
    description:
      'Set to true to accept client secrets. Use it only in a sandbox with invented citizens. Default: false, and true in the demo.',
  },
  dpopNonces: {
    name: 'DPOP_NONCES',
    type: flagType,
    default: 'false',
    description:
      'Set to true to require a nonce of this server in DPoP proofs (RFC 9449). By default, proofs need no nonce.',
  },
} as const satisfies Record<string, Setting>;
