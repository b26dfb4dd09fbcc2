import { Type } from 'typebox';
import { defineOperation, type OperationCall, type OperationResponse } from '../api/operation.ts';
import { parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/refusal.ts';
import type { CitizenEvent, SystemEvent } from '../ledger/ledger-event.ts';
import { entryOwnersOf } from './register/decoy-ids.ts';
import type { IdentityPorts } from './verification/ports.ts';
import { verificationSchema } from './verification/verification.ts';
import { findVerification } from './verification/verification-store.ts';
import { noStoreHeaders } from './verify-identity.ts';

const request = {
  params: Type.Object(
    {
      id: Type.String({ maxLength: 64, description: 'The verificationId.' }),
    },
    { additionalProperties: false },
  ),
};

/** `GET /v1/identity/verifications/{id}`: an earlier answer, for the client that got it, as far as its present token may know it. */
export const readVerification = defineOperation({
  name: 'readVerification',
  since: '1.0',
  method: 'GET',
  path: '/v1/identity/verifications/{id}',
  scope: 'identity:verify',
  summary: 'An earlier answer again',
  description:
    'The answer as it was given, its signed result included, for as long as the server keeps it; without claims where the token has not the scope identity:verify:claims. Nothing is asked anew: see checkedAt and expiresAt.',
  request,
  responses: { 200: { description: 'The answer.', schema: verificationSchema } },
  refusals: ['verification-not-found'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, IdentityPorts>) => {
    const { caller, mint, now, ports } = call;
    // The key of a citizen is often at hand, that of an unknown id never.
    const padResponse = ports.startResponsePadding();
    const id = parseId('verification', call.params.id);
    const found = id === undefined ? undefined : await findVerification(call.read, id, caller.clientId, ports);
    if (id === undefined || found === undefined) return { refusal: refuse('verification-not-found') };
    const { citizenId, searched } = found;
    const { claims, ...answer } = found.answer;
    const shownResult = caller.scopes.has('identity:verify:claims') ? found.answer : answer;
    const actor = { client: caller.clientId };
    const head = () => ({ id: mint('event'), at: now, actor, verification: id });
    const searchEvent: SystemEvent = { type: 'identity.search-read', ...head() };
    // As many entries as for a search that found nobody, like its own when it was made.
    const [ownerId = ''] = entryOwnersOf(citizenId === null ? [] : [citizenId], id);
    const readEvent: CitizenEvent = { type: 'identity.verification-read', ...head(), citizenId: ownerId };
    const hiddenReadEvent = { ...readEvent, receipt: false } as const;
    return {
      effect: { events: searched ? [searchEvent, hiddenReadEvent] : [readEvent], statements: [] },
      answer: async () => {
        await padResponse();
        return { status: 200, headers: noStoreHeaders, json: shownResult } satisfies OperationResponse;
      },
    };
  },
});
