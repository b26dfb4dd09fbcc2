import type { IdGenerator } from '../kernel/id.ts';
import type { Commit, Effect } from '../ledger/commit.ts';
import { decidePresentation } from './decide-presentation.ts';
import { PresentationFailure } from './failure-reason.ts';
import type { WalletConfiguration, WalletPorts } from './ports.ts';
import { awaitSession, type ChangedBy, commitUnlessChanged, endWithoutResult } from './presentation-effects.ts';
import { openResponse } from './protocol/open-response.ts';
import {
  type CheckedPresentation,
  type OpenPresentation,
  sameStage,
  type WalletRequest,
} from './protocol/presentation.ts';
import { walletPaths } from './protocol/request-object.ts';
import { createSessionCode, returnAddressOf } from './protocol/response-code.ts';
import { createHandle } from './protocol/wallet-handle.ts';

/** The ports with which a response is received. */
export type ReceivePorts = WalletPorts & { readonly wallets: WalletConfiguration; readonly commit: Commit };

/** The answer to the wallet: whether the response is accepted, and the address that the wallet opens for the citizen. */
export type WalletAnswer = { readonly accepted: boolean; readonly redirectUri?: string | undefined };

/** The form that a wallet sent, and the request to which it belongs. */
type ReceivedResponse = {
  readonly presentation: OpenPresentation;
  readonly request: WalletRequest;
  readonly form: URLSearchParams;
};

/** The effect of a response, and the answer to the wallet when it is stored. */
type DecidedResponse = { readonly effect: Effect; readonly answer: WalletAnswer };

/**
 * Checks the response of a wallet, and stores what follows from it with its events in one unit. The first response counts: of several at
 * the same time, the unit of one is stored and the others are refused (test/attacks/wallet-responses.test.ts).
 */
export async function receiveResponse(
  ports: ReceivePorts,
  received: ReceivedResponse,
  by: { readonly now: number; readonly createId: IdGenerator },
): Promise<WalletAnswer> {
  const changedBy: ChangedBy = { ...by, actor: { citizen: true } };
  const { effect, answer } = await decideResponse(ports, received, changedBy).catch((fault: unknown) => {
    if (!(fault instanceof PresentationFailure)) throw fault;
    const ending = { from: sameStage(received.presentation), to: 'failed', reason: fault.reason } as const;
    return {
      effect: endWithoutResult(ports, received.presentation, ending, changedBy),
      answer: { accepted: false },
    };
  });
  return (await commitUnlessChanged(ports.commit, effect)) ? answer : { accepted: false };
}

async function decideResponse(
  ports: ReceivePorts,
  { presentation, request, form }: ReceivedResponse,
  changedBy: ChangedBy,
): Promise<DecidedResponse> {
  const { trust, certificate } = ports.wallets;
  const deps = { trust, certificate, publicUrl: ports.publicUrl, now: changedBy.now };
  const opened = await openResponse(deps, form, { presentation, request });
  if ('error' in opened) {
    const ending = { from: sameStage(presentation), to: 'refused', walletError: opened.error } as const;
    return {
      effect: endWithoutResult(ports, presentation, ending, changedBy),
      answer: { accepted: true, redirectUri: request.device === 'same' ? presentation.terms.returnUrl : undefined },
    };
  }
  return await acceptPresentation(ports, { presentation, request, checked: opened.checked }, changedBy);
}

type Accepted = {
  readonly presentation: OpenPresentation;
  readonly request: WalletRequest;
  readonly checked: CheckedPresentation;
};

async function acceptPresentation(
  ports: ReceivePorts,
  { presentation, request, checked }: Accepted,
  changedBy: ChangedBy,
): Promise<DecidedResponse> {
  const { terms } = presentation;
  const session = createSessionCode(request.device, terms, ports.random);
  if (session === undefined) {
    const { effect } = await decidePresentation(ports, presentation, checked, changedBy);
    return { effect, answer: { accepted: true } };
  }
  const codeHandle = session.by === 'citizen' ? createHandle(ports.random) : undefined;
  const redirectUri =
    codeHandle === undefined
      ? returnAddressOf(terms.returnUrl ?? ports.publicUrl, session)
      : `${ports.publicUrl}${walletPaths.pages}/${codeHandle}`;
  const pending = { checked, session };
  return {
    effect: awaitSession(ports, presentation, { pending, codeHandle }, changedBy),
    answer: { accepted: true, redirectUri },
  };
}
