import { Type } from 'typebox';
import { type Call, defineOperation } from '../api/operation.ts';
import { parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/problem.ts';
import type { IdentityPorts } from './ports.ts';
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

/** `GET /v1/identity/verifications/{id}`: an earlier answer, word for word, for the client that got it. */
export const readVerification = defineOperation({
  name: 'readVerification',
  since: '1.0',
  method: 'GET',
  path: '/v1/identity/verifications/{id}',
  scope: 'identity:verify',
  summary: 'An earlier answer again',
  description:
    'The answer as it was given, its signed result included, however old. Nothing is asked anew: see checkedAt and expiresAt.',
  request,
  responses: { 200: { description: 'The answer.', schema: verificationSchema } },
  refusals: ['verification-not-found'],
  citizenData: true,
  run: async (call: Call<typeof request, IdentityPorts>) => {
    const { caller, mint, now, ports } = call;
    const id = parseId('verification', call.params.id);
    const found = id === undefined ? undefined : await findVerification(call.read, id, caller.clientId, ports);
    if (id === undefined || found === undefined) return { refusal: refuse('verification-not-found') };
    const head = { id: mint('event'), at: now, actor: { client: caller.clientId }, verification: id };
    const { answer, citizenId } = found;
    return {
      effect: {
        events:
          citizenId === null
            ? [{ type: 'identity.search-read', ...head }]
            : [{ type: 'identity.verification-read', ...head, citizenId }],
        statements: [],
      },
      answer: { status: 200, headers: privateAnswer, json: answer },
    };
  },
});
