import { Type } from 'typebox';
import { type Answer, type Call, defineOperation } from '../api/operation.ts';
import { parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/problem.ts';
import type { CitizenEvent, HouseEvent } from '../ledger/event.ts';
import type { IdentityPorts } from './ports.ts';
import { ownersOf } from './strangers.ts';
import { verificationSchema } from './verification.ts';
import { findVerification } from './verification-store.ts';
import { privateAnswer } from './verify-identity.ts';

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
  run: async (call: Call<typeof request, IdentityPorts>) => {
    const { caller, mint, now, ports } = call;
    // The key of a citizen is often at hand, that of an unknown id never.
    const paced = ports.pace();
    const id = parseId('verification', call.params.id);
    const found = id === undefined ? undefined : await findVerification(call.read, id, caller.clientId, ports);
    if (id === undefined || found === undefined) return { refusal: refuse('verification-not-found') };
    const { citizenId, searched } = found;
    const { claims, ...answer } = found.answer;
    const told = caller.scopes.has('identity:verify:claims') ? found.answer : answer;
    const actor = { client: caller.clientId };
    const head = () => ({ id: mint('event'), at: now, actor, verification: id });
    const search: HouseEvent = { type: 'identity.search-read', ...head() };
    // As many entries as for a search that found nobody, like its own when it was made.
    const [owner = ''] = ownersOf(citizenId === null ? [] : [citizenId], id);
    const read: CitizenEvent = { type: 'identity.verification-read', ...head(), citizenId: owner };
    const hidden = { ...read, receipt: false } as const;
    return {
      effect: { events: searched ? [search, hidden] : [read], statements: [] },
      answer: async () => {
        await paced();
        return { status: 200, headers: privateAnswer, json: told } satisfies Answer;
      },
    };
  },
});
