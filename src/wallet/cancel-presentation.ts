import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import type { WalletPorts } from './ports.ts';
import { endWithoutResult } from './presentation-effects.ts';
import { presentationParams, presentationShape, presentationView } from './presentation-shape.ts';
import { ifOpen, openStatuses } from './protocol/presentation.ts';
import { findOwnPresentation } from './protocol/presentation-store.ts';

const request = { params: presentationParams };

/** `POST /v1/identity/presentations/{id}/cancel`: ends an open presentation. */
export const cancelPresentation = defineOperation({
  name: 'cancelPresentation',
  since: '1.0',
  method: 'POST',
  path: '/v1/identity/presentations/{id}/cancel',
  scope: 'identity:present',
  callers: ['clients'],
  summary: 'Cancel a presentation',
  description: 'Ends the presentation. A wallet that answers later is refused, and you receive no result.',
  request,
  responses: { 200: { description: 'The cancelled presentation.', schema: presentationShape } },
  refusals: ['presentation-not-found', 'presentation-ended'],
  citizenData: true,
  run: cancel,
});

async function cancel(call: OperationCall<typeof request, WalletPorts>): Promise<Decision | RefusedDecision> {
  const { ports, caller, now, createId } = call;
  const found = await findOwnPresentation({ ...ports, read: call.read }, call.params.id, caller.clientId);
  if (found === undefined) return { refusal: refuse('presentation-not-found') };
  const presentation = ifOpen(found, now);
  if (presentation === undefined) return { refusal: refuse('presentation-ended') };
  const ending = { from: openStatuses, to: 'cancelled' } as const;
  const cancelled = { ...presentation, status: 'cancelled', endedAt: now } as const;
  return {
    effect: endWithoutResult(ports, presentation, ending, { now, createId, actor: { client: caller.clientId } }),
    answer: { status: 200, json: presentationView(cancelled, now, ports.publicUrl) },
    onConflict: () => refuse('presentation-ended'),
  };
}
