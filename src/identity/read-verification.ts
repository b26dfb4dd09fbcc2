import { Type } from 'typebox';
import { defineOperation, type OperationCall, type OperationResponse } from '../api/operation.ts';
import type { Read } from '../db/database.ts';
import { type IdGenerator, parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/refusal.ts';
import type { Effect } from '../ledger/commit.ts';
import type { CitizenEvent, SystemEvent } from '../ledger/ledger-event.ts';
import { entryOwnersOf } from './register/decoy-ids.ts';
import type { IdentityPorts } from './verification/ports.ts';
import { type Verification, verificationSchema } from './verification/verification.ts';
import { findVerification } from './verification/verification-store.ts';
import { noStoreHeaders } from './verify-identity.ts';

const request = {
  params: Type.Object(
    {
      id: Type.String({ maxLength: 64, description: 'The verificationId of the result.' }),
    },
    { additionalProperties: false },
  ),
};

/** `GET /v1/identity/verifications/{id}`: an earlier result, for the client that received it. */
export const readVerification = defineOperation({
  name: 'readVerification',
  since: '1.0',
  method: 'GET',
  path: '/v1/identity/verifications/{id}',
  scope: 'identity:verify',
  callers: ['clients'],
  summary: 'Read an earlier verification result',
  description:
    'Returns the stored result with its signed token. It contains claims only if the access token has the scope identity:verify:claims. The server does not read the register again: see checkedAt and expiresAt.',
  request,
  responses: { 200: { description: 'The result, as the server sent it first.', schema: verificationSchema } },
  refusals: ['verification-not-found'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, IdentityPorts>) => {
    const { caller, createId, now, ports, read } = call;
    // Attack: the key of a citizen is often cached and the key of an unknown id never is, so without padding the response time would
    // reveal which ids are known (test/scenarios/identity-uniform-responses.test.ts).
    const padResponse = ports.startResponsePadding();
    const showsClaims = caller.scopes.has('identity:verify:claims');
    const found = await readStoredResult(call.params.id, {
      clientId: caller.clientId,
      showsClaims,
      now,
      createId,
      read,
      ports,
    });
    if (found === undefined) return { refusal: refuse('verification-not-found') };
    return {
      effect: found.effect,
      answer: async () => {
        await padResponse();
        return { status: 200, headers: noStoreHeaders, json: found.result } satisfies OperationResponse;
      },
    };
  },
});

type ResultReader = {
  readonly clientId: string;
  readonly showsClaims: boolean;
  readonly now: number;
  readonly createId: IdGenerator;
  readonly read: Read;
  readonly ports: Pick<IdentityPorts, 'citizenKeys' | 'random'>;
};

/** A stored result for the client that received it, and the events of this access; undefined for any other client. */
export async function readStoredResult(
  text: string,
  { clientId, showsClaims, now, createId, read, ports }: ResultReader,
): Promise<{ readonly effect: Effect; readonly result: Omit<Verification, 'claims'> } | undefined> {
  const id = parseId('verification', text);
  const found = id === undefined ? undefined : await findVerification(read, id, clientId, ports);
  if (id === undefined || found === undefined) return undefined;
  const { citizenId, isSearch, result } = found;
  const { claims: _, ...resultWithoutClaims } = result;
  const head = () => ({ id: createId('event'), at: now, actor: { client: clientId }, verification: id });
  const searchEvent: SystemEvent = { type: 'identity.search-read', ...head() };
  // The same entries whether the search found a citizen or not (test/attacks/verification-limit-ledger.test.ts).
  const [ownerId = ''] = entryOwnersOf(citizenId === null ? [] : [citizenId], id);
  const readEvent: CitizenEvent = { type: 'identity.verification-read', ...head(), citizenId: ownerId };
  return {
    effect: { events: isSearch ? [searchEvent, { ...readEvent, receipt: false }] : [readEvent], statements: [] },
    result: showsClaims ? result : resultWithoutClaims,
  };
}
