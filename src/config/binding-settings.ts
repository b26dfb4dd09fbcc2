import { resolve } from 'node:path';
import type { Setting } from './setting.ts';
import { parseList } from './validate-setting.ts';

/** The settings of TLS, and of what tokens are bound to; a part of the table in `setting-table.ts`. */
export const bindingSettingTable = {
  TLS_CERTIFICATE: {
    kind: 'path',
    fallback: undefined,
    help: 'PEM file with the certificate of this server and its chain; with TLS_KEY the API is served over TLS.',
  },
  TLS_KEY: { kind: 'path', fallback: undefined, help: 'PEM file with the key of that certificate.' },
  TLS_CLIENT_CERTIFICATES: {
    kind: 'flag',
    fallback: 'false',
    help: 'true asks callers for a certificate of theirs (RFC 8705); who has none is let in with other proofs.',
  },
  TLS_CLIENT_CA: {
    kind: 'path',
    fallback: undefined,
    help: 'PEM file with the authorities that issue certificates of clients; without it only pinned certificates are taken.',
  },
  TRUSTED_PROXIES: {
    kind: 'text',
    fallback: '',
    help: 'Addresses of proxies (10.0.0.5, 10.1.0.0/16, with commas) that end TLS and whose word about certificates counts.',
  },
  CLIENT_CERTIFICATE_HEADER: {
    kind: 'header',
    fallback: undefined,
    help: 'Header in which those proxies send the certificate of the caller, as Client-Cert (RFC 9440) or as percent-encoded PEM. It is taken off requests from elsewhere.',
  },
  CLIENT_SECRETS: {
    kind: 'flag',
    fallback: undefined,
    help: 'true takes client secrets, for a sandbox with invented citizens; the demo takes them, and by default `start` does not.',
  },
  DPOP_NONCES: {
    kind: 'flag',
    fallback: 'false',
    help: 'true wants DPoP proofs to carry a nonce of this server.',
  },
} as const satisfies Record<string, Setting>;

/** What `readSettings` gives of them. */
export type BindingSettings = {
  readonly tlsCertificate: string | undefined;
  readonly tlsKey: string | undefined;
  readonly tlsClientCertificates: boolean;
  readonly tlsClientCa: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly clientCertificateHeader: string | undefined;
  readonly dpopNonces: boolean;
  /** undefined: as the mode has it. */
  readonly clientSecrets: boolean | undefined;
};

type Name = keyof typeof bindingSettingTable;

/** Reads this part; `given` is the checked text of a setting, or its default. */
export function readBindingSettings(given: (name: Name) => string | undefined): BindingSettings {
  const path = (name: Name) => {
    const value = given(name);
    return value === undefined ? undefined : resolve(value);
  };
  const secrets = given('CLIENT_SECRETS');
  return {
    tlsCertificate: path('TLS_CERTIFICATE'),
    tlsKey: path('TLS_KEY'),
    tlsClientCertificates: given('TLS_CLIENT_CERTIFICATES') === 'true',
    tlsClientCa: path('TLS_CLIENT_CA'),
    trustedProxies: parseList(given('TRUSTED_PROXIES') ?? ''),
    clientCertificateHeader: given('CLIENT_CERTIFICATE_HEADER')?.toLowerCase(),
    dpopNonces: given('DPOP_NONCES') === 'true',
    clientSecrets: secrets === undefined ? undefined : secrets === 'true',
  };
}
