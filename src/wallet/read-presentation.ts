import {
  type Decision,
  defineOperation,
  type OperationCall,
  type RefusedDecision,
  type ReplayedResult,
} from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import type { WalletPorts } from './ports.ts';
import { presentationParams, presentationShape, presentationView } from './presentation-shape.ts';
import { findOwnPresentation } from './protocol/presentation-store.ts';

const request = { params: presentationParams };

/** `GET /v1/identity/presentations/{id}`: the status, and the result of a completed presentation. */
export const readPresentation = defineOperation({
  name: 'readPresentation',
  since: '1.0',
  method: 'GET',
  path: '/v1/identity/presentations/{id}',
  scope: 'identity:present',
  callers: ['clients'],
  summary: 'Read the status and result of a presentation',
  description:
    'Returns the status, and the result if the status is completed. The server keeps a presentation for 7 days after its end. Instead of polling, wait for the events identity.presentation-….',
  request,
  responses: { 200: { description: 'The presentation.', schema: presentationShape } },
  refusals: ['presentation-not-found'],
  citizenData: true,
  run: read,
});

async function read(
  call: OperationCall<typeof request, WalletPorts>,
): Promise<Decision | RefusedDecision | ReplayedResult> {
  const { ports, caller, now, createId } = call;
  const presentation = await findOwnPresentation({ ...ports, read: call.read }, call.params.id, caller.clientId);
  if (presentation === undefined) return { refusal: refuse('presentation-not-found') };
  const view = presentationView(presentation, now, ports.publicUrl);
  const headers = { 'cache-control': 'no-store' };
  const { verificationId } = presentation;
  const by = { clientId: caller.clientId, showsClaims: caller.scopes.has('identity:verify:claims'), now, createId };
  const found = verificationId === null ? undefined : await ports.readResult(verificationId, by);
  // The status has no data of a citizen, and the ledger has the event of each change. After an erasure there is no result.
  if (found === undefined) return { replayed: { status: 200, headers, json: view } };
  const json = { ...view, verification: found.result };
  return { effect: found.effect, answer: { status: 200, headers, json } };
}
