import type { Read } from '../db/database.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import type { FailureReason } from './failure-reason.ts';
import type { WalletConfiguration, WalletPorts } from './ports.ts';
import { commitUnlessChanged, endWithoutResult } from './presentation-effects.ts';
import {
  type Device,
  ifOpen,
  openStatuses,
  type Presentation,
  type PresentationStatus,
  presentationStatusAt,
  type WalletError,
} from './protocol/presentation.ts';
import { findByHandle, setKeepsLink } from './protocol/presentation-store.ts';
import { queryPartsOf, walletUrlOf } from './protocol/request-object.ts';

/** The content of the page of a presentation. */
export type PresentationPage = {
  readonly clientId: string;
  readonly status: PresentationStatus;
  readonly purpose: string | null;
  readonly reason: FailureReason | null;
  readonly walletError: WalletError | null;
  readonly language: string | undefined;
  /** Absent after the end. */
  readonly open?: {
    readonly claims: readonly string[];
    /** Whether the wallet also shows the administrative number of the citizen. */
    readonly showsNumber: boolean;
    /** Whether the citizen must still say if they want to be recognised by the number. The page asks each time. */
    readonly asksLink: boolean;
    /** The link for this device, and the content of the QR code for another one. */
    readonly sameDevice: string | undefined;
    readonly otherDevice: string | undefined;
    /** How the session is confirmed after the answer. */
    readonly session: 'return' | 'citizen' | undefined;
  };
  /** The digits that the citizen types at the service; only on the page that the wallet opens. */
  readonly code?: string;
};

/** The functions of the pages of presentations. Each returns undefined for an unknown handle. */
export type PresentationPages = {
  find(handle: string): Promise<PresentationPage | undefined>;
  /** Stores whether the citizen agreed to be recognised by the number. */
  chooseLink(handle: string, keeps: boolean): Promise<void>;
  cancel(handle: string): Promise<void>;
};

type PageDeps = Pick<WalletPorts, 'sealKey' | 'publicUrl' | 'feedEvent'> & {
  readonly wallets: WalletConfiguration;
  readonly read: Read;
  readonly claim: WriteWithoutEvent;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly createId: IdGenerator;
};

/** Creates the functions of the pages. */
export function createPresentationPages(deps: PageDeps): PresentationPages {
  const findOpen = async (handle: string) => ifOpen(await findByHandle(deps, 'page', handle), deps.clock.now());
  return {
    find: async (handle) => {
      const presentation = await findByHandle(deps, 'page', handle);
      if (presentation !== undefined) return pageOf(deps, presentation);
      const answered = await findByHandle(deps, 'code-page', handle);
      return answered && codePageOf(answered, deps.clock.now());
    },
    chooseLink: async (handle, keeps) => {
      const presentation = await findOpen(handle);
      if (presentation !== undefined) await deps.claim(setKeepsLink(presentation.id, keeps));
    },
    cancel: async (handle) => {
      const presentation = await findOpen(handle);
      if (presentation === undefined) return;
      const by = { now: deps.clock.now(), createId: deps.createId, actor: { citizen: true } } as const;
      const ending = { from: openStatuses, to: 'cancelled' } as const;
      await commitUnlessChanged(deps.commit, endWithoutResult(deps, presentation, ending, by));
    },
  };
}

function headOf(presentation: Presentation, now: number): PresentationPage {
  const { clientId, purpose, reason, walletError, terms } = presentation;
  return {
    clientId,
    status: presentationStatusAt(presentation, now),
    purpose,
    reason,
    walletError,
    language: terms?.language,
  };
}

function pageOf(deps: PageDeps, presentation: Presentation): PresentationPage {
  const now = deps.clock.now();
  const head = headOf(presentation, now);
  const open = ifOpen(presentation, now);
  if (open === undefined) return head;
  const { terms, keepsLink } = open;
  const identity = { ...deps.wallets, publicUrl: deps.publicUrl };
  const linkOf = (device: Device) => {
    const request = terms.requests.find((one) => one.device === device);
    return request && walletUrlOf(identity, terms, request);
  };
  return {
    ...head,
    open: {
      claims: terms.claims,
      showsNumber: queryPartsOf(deps.wallets.trust, { ...terms, keepsLink }).some((part) => part.administrativeNumber),
      session: open.pending?.session.by,
      asksLink: keepsLink === null && open.status === 'requested' && canKeepLink(deps.wallets, terms.kinds),
      sameDevice: linkOf('same'),
      otherDevice: linkOf('other'),
    },
  };
}

/** Whether a link can be kept. Where the administrative numbers of all countries of the issuers are citizen ids, none is needed. */
function canKeepLink({ trust }: WalletConfiguration, kinds: readonly string[]): boolean {
  return kinds.some((name) => {
    const kind = trust.kinds.get(name);
    if (kind === undefined) return false;
    const countries = [...trust.countriesOf(kind)];
    return countries.length === 0 || countries.some((country) => country !== kind.citizenIdFrom);
  });
}

function codePageOf(presentation: Presentation, now: number): PresentationPage {
  const code = ifOpen(presentation, now)?.pending?.session.code;
  return { ...headOf(presentation, now), ...(code === undefined ? {} : { code }) };
}
