import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import { refuse } from '../kernel/refusal.ts';
import type { Commit } from '../ledger/commit.ts';
import { decidePresentation } from './decide-presentation.ts';
import type { WalletPorts } from './ports.ts';
import { type ChangedBy, commitUnlessChanged, endWithoutResult } from './presentation-effects.ts';
import { presentationParams, presentationShape, presentationView } from './presentation-shape.ts';
import {
  ifOpen,
  type OpenPresentation,
  type PendingPresentation,
  type Presentation,
  sessionLimits,
} from './protocol/presentation.ts';
import { countCodeAttempt, findOwnPresentation } from './protocol/presentation-store.ts';
import { isSessionCode } from './protocol/response-code.ts';

const request = {
  params: presentationParams,
  body: Type.Object(
    {
      responseCode: Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'The response_code in the fragment of returnUrl, which you received in the session that began the presentation, or the 6 digits that the citizen typed there.',
      }),
    },
    { $id: 'PresentationCompletion', additionalProperties: false },
  ),
};

type CompletePorts = WalletPorts & { readonly claim: WriteWithoutEvent; readonly commit: Commit };
type CompleteCall = OperationCall<typeof request, CompletePorts>;

/** `POST /v1/identity/presentations/{id}/complete`: the result, for the session that began the presentation. */
export const completePresentation = defineOperation({
  name: 'completePresentation',
  since: '1.0',
  method: 'POST',
  path: '/v1/identity/presentations/{id}/complete',
  scope: 'identity:present',
  callers: ['clients'],
  summary: 'Confirm the session, and receive the result',
  description: `Compares the attested attributes with the register, and returns the result. Send only a code that you received in the session of the citizen who began the presentation. A wrong response_code ends the presentation with the reason other-session, and so do ${sessionLimits.codeAttempts} wrong typed codes.`,
  request,
  responses: { 200: { description: 'The completed presentation.', schema: presentationShape } },
  refusals: [
    'presentation-not-found',
    'presentation-not-answered',
    'presentation-ended',
    'response-code-wrong',
    'wallets-not-configured',
  ],
  citizenData: true,
  run: complete,
});

async function complete(call: CompleteCall): Promise<Decision | RefusedDecision> {
  const { ports, caller, now } = call;
  const found = await findOwnPresentation({ ...ports, read: call.read }, call.params.id, caller.clientId);
  if (found === undefined) return { refusal: refuse('presentation-not-found') };
  const presentation = ifOpen(found, now);
  if (presentation === undefined) return { refusal: refuse('presentation-ended') };
  const { pending } = presentation;
  if (pending === undefined) return { refusal: refuse('presentation-not-answered') };
  const refused = await checkCode(call, presentation, pending);
  return refused ?? (await decide(call, { presentation, pending }));
}

/**
 * Refuses a wrong code. Attempts are counted before the code is compared, so that concurrent requests try no more codes
 * (test/attacks/wallet-sessions.test.ts).
 */
async function checkCode(
  call: CompleteCall,
  presentation: OpenPresentation,
  { session }: PendingPresentation,
): Promise<RefusedDecision | undefined> {
  const [counted] = await call.ports.claim(countCodeAttempt(presentation.id));
  if (counted === undefined) return { refusal: refuse('presentation-ended') };
  if (isSessionCode(session, call.body.responseCode)) return undefined;
  const attempts = Number(counted['code_attempts']);
  const refusal = refuse('response-code-wrong');
  if (session.by === 'citizen' && attempts < sessionLimits.codeAttempts) return { refusal };
  const ending = { from: ['answered'], to: 'failed', reason: 'other-session' } as const;
  await commitUnlessChanged(call.ports.commit, endWithoutResult(call.ports, presentation, ending, changedBy(call)));
  return { refusal };
}

function changedBy({ now, createId, caller }: CompleteCall): ChangedBy {
  return { now, createId, actor: { client: caller.clientId } };
}

type Confirmed = {
  readonly presentation: OpenPresentation;
  readonly pending: PendingPresentation;
};

async function decide(call: CompleteCall, confirmed: Confirmed): Promise<Decision | RefusedDecision> {
  const { wallets } = call.ports;
  if (wallets === undefined) return { refusal: refuse('wallets-not-configured') };
  const { presentation, pending } = confirmed;
  const ports = { ...call.ports, wallets };
  const { effect, result } = await decidePresentation(ports, presentation, pending.checked, changedBy(call));
  const { claims: _, ...resultWithoutClaims } = result;
  const verification = call.caller.scopes.has('identity:verify:claims') ? result : resultWithoutClaims;
  const { verificationId } = result;
  const completed: Presentation = { ...presentation, status: 'completed', endedAt: call.now, verificationId };
  const json = { ...presentationView(completed, call.now, call.ports.publicUrl), verification };
  return {
    effect,
    answer: { status: 200, headers: { 'cache-control': 'no-store' }, json },
    // Another request completed or cancelled it.
    onConflict: () => refuse('presentation-ended'),
  };
}
