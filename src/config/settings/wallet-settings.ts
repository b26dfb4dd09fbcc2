import type { Setting } from '../setting.ts';
import { pathType } from '../setting-types.ts';

/** The settings of wallets. */
export const walletSettings = {
  walletTrust: {
    name: 'WALLET_TRUST',
    type: pathType,
    description:
      'JSON file with the credentials in wallets that this server accepts, and their issuers (docs/operate/wallets.md). Set WALLET_CERTIFICATE_FILE and WALLET_CERTIFICATE_KEY_FILE as well. Without it, the server asks no wallets; the demo accepts credentials of the sandbox.',
  },
  walletCertificateFile: {
    name: 'WALLET_CERTIFICATE_FILE',
    type: pathType,
    description:
      'PEM file with the access certificate of this server for wallets, and after it the certificates of the CAs. By default, the demo creates one.',
  },
  walletCertificateKeyFile: {
    name: 'WALLET_CERTIFICATE_KEY_FILE',
    type: pathType,
    description: 'PEM file with the private key of WALLET_CERTIFICATE_FILE, on the curve P-256. Set both or neither.',
  },
} as const satisfies Record<string, Setting>;
