import type { Metrics } from '../api/metrics.ts';
import { bindOperation, type Operation } from '../api/operation.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { Job, Slice, SliceDeps } from '../api/slice.ts';
import { type RepeatingTask, repeatEvery, startupDelayMs } from '../jobs/repeat-every.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import type { Commit } from '../ledger/commit.ts';
import { askPresentation } from './ask-presentation.ts';
import { cancelPresentation } from './cancel-presentation.ts';
import { completePresentation } from './complete-presentation.ts';
import { deleteOldPresentations, expirePresentations } from './expire-presentations.ts';
import type { WalletPorts } from './ports.ts';
import { createPresentationPages, type PresentationPages } from './presentation-page.ts';
import { readPresentation } from './read-presentation.ts';
import type { OpenedWalletTrust } from './trust/open-wallet-trust.ts';
import { walletEndpoints } from './wallet-endpoints.ts';

/** Dependencies of the wallet slice: those of every slice, and functions of other slices. */
export type WalletDeps = SliceDeps &
  Pick<WalletPorts, 'publicUrl' | 'plan' | 'decide' | 'readResult' | 'registrationCertificateOf' | 'feedEvent'> & {
    readonly trust: OpenedWalletTrust;
  };

/** The wallet slice, the endpoints that wallets call, and the functions of its pages; undefined without a configuration. */
export type WalletSlice = Slice & {
  readonly mounts: readonly MountedHandler[];
  readonly pages: PresentationPages | undefined;
};

const expireEveryMs = 15_000;
const deleteEveryMs = 3_600_000;

type AllPorts = WalletPorts & { readonly claim: WriteWithoutEvent; readonly commit: Commit };

/** Creates the wallet slice: presentations of credentials. */
export function createWallet(deps: WalletDeps): WalletSlice {
  const { db, clock, createId, log } = deps;
  const { trust, certificate } = deps.trust;
  const wallets = certificate && { trust, certificate };
  const ports: AllPorts = {
    wallets,
    publicUrl: deps.publicUrl,
    sealKey: deps.root.derive('presentations'),
    random: deps.random,
    commit: deps.commit,
    claim: deps.claim,
    plan: deps.plan,
    decide: deps.decide,
    readResult: deps.readResult,
    registrationCertificateOf: deps.registrationCertificateOf,
    feedEvent: deps.feedEvent,
  };
  const operations: readonly Operation<AllPorts>[] = [
    askPresentation,
    readPresentation,
    completePresentation,
    cancelPresentation,
  ];
  const pageDeps = wallets && { ...ports, wallets, read: db.read, clock, createId };
  return {
    operations: operations.map((operation) => bindOperation(operation, ports)),
    jobs: [...presentationJobs(deps), ...deps.trust.jobs],
    registerMetrics: (metrics) => countEnds(metrics, deps),
    checks: deps.trust.checks,
    mounts:
      pageDeps === undefined ? [] : walletEndpoints({ ...pageDeps, onFault: (fault) => log.fault('wallet', fault) }),
    pages: pageDeps && createPresentationPages(pageDeps),
  };
}

/** The label values that alarms compare. They exist from the start; other reasons appear with their first presentation. */
const initialEnds = ['completed', 'refused', 'expired', 'cancelled'].map((status) => ({ status, reason: '' }));

/** Counts ended presentations, so that the operator sees a wallet or an issuer that stopped working. */
function countEnds(metrics: Metrics, { onCommitted }: Pick<WalletDeps, 'onCommitted'>): void {
  const count = metrics.counter({
    name: 'citizen_services_presentations_total',
    help: 'Ended presentations of wallets by status, and by the reason of a failure.',
    labels: ['status', 'reason'],
    initialLabels: [...initialEnds, { status: 'failed', reason: 'issuer-not-trusted' }],
  });
  onCommitted(endEventTypes, (events) => {
    for (const event of events)
      count({
        status: event.type.replace('identity.presentation-', ''),
        reason: 'reason' in event ? String(event.reason) : '',
      });
  });
}

const endEventTypes = [
  'identity.presentation-completed',
  'identity.presentation-refused',
  'identity.presentation-failed',
  'identity.presentation-expired',
  'identity.presentation-cancelled',
] as const;

function presentationJobs(deps: WalletDeps): readonly Job[] {
  const { db, clock, timer, random, log, isClockSure } = deps;
  const job = { ...deps, read: db.read, write: (unit: Parameters<typeof db.write>[0]) => db.write(unit), clock };
  const repeat = (everyMs: number, call: () => Promise<void>): RepeatingTask =>
    repeatEvery({
      timer,
      everyMs,
      firstMs: Math.min(everyMs, startupDelayMs(random)),
      onFault: (fault) => log.fault('wallet', fault),
      call,
    });
  return [
    { name: 'presentation-expiry', start: () => repeat(expireEveryMs, () => expirePresentations(job)) },
    {
      name: 'presentation-cleanup',
      start: () =>
        repeat(deleteEveryMs, async () => {
          if (await isClockSure()) await deleteOldPresentations(job);
        }),
    },
  ];
}
