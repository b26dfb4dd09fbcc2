import type { Job, SliceDeps, StartupCheck } from '../../api/slice.ts';
import type { AccessCertificate } from './access-certificate.ts';
import type { WalletTrust } from './wallet-trust.ts';

/** Dependencies of the trust. */
export type WalletTrustDeps = Pick<
  SliceDeps,
  'settings' | 'clock' | 'isClockSure' | 'timer' | 'random' | 'log' | 'db' | 'claim'
> & {
  readonly publicUrl: string;
  /** The demo has a certificate of its own, and trusts the sandbox issuer. */
  readonly isDemo: boolean;
};

/** The trust with its job and checks. */
export type OpenedWalletTrust = {
  readonly trust: WalletTrust;
  /** Undefined if this server is not configured for wallets. */
  readonly certificate: AccessCertificate | undefined;
  readonly jobs: readonly Job[];
  readonly checks: readonly StartupCheck[];
};

/** Opens what the server trusts when a wallet shows a credential. Without WALLET_TRUST, and outside of the demo, it trusts nothing. */
export async function openWalletTrust(deps: WalletTrustDeps): Promise<OpenedWalletTrust> {
  if (deps.settings.walletTrust === undefined && !deps.isDemo)
    return { trust: noTrust, certificate: undefined, jobs: [], checks: [] };
  // It loads pkijs, which a server without wallets does not need.
  const { openConfiguredTrust } = await import('./configured-trust.ts');
  return await openConfiguredTrust(deps);
}

const noTrust: WalletTrust = {
  kinds: new Map(),
  keyIdsOf: () => [],
  countriesOf: () => new Set(),
  findIssuer: async () => undefined,
  statusOf: async () => 'unknown',
};
