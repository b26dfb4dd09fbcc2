import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { type CitizenLock, findCitizenLock, replaceCitizenLock } from './register/citizen-lock-store.ts';
import type { IdentityPorts } from './verification/ports.ts';
import { noStoreHeaders } from './verify-identity.ts';

const request = {
  body: Type.Object(
    {
      locked: Type.Boolean({
        description: 'true: no claims about you match from now on. false: they can match again.',
      }),
    },
    { additionalProperties: false },
  ),
};

/** The limit bounds the cost of the messages about each change. Setting the lock is not limited. */
const maxUnlocksPerDay = 5;
const dayMs = 86_400_000;

/** `POST /v1/register-lock`: citizens lock their own record against verification, or remove that lock. A lock set by staff stays. */
export const changeCitizenLock = defineOperation({
  name: 'changeOwnLock',
  since: '1.0',
  method: 'POST',
  path: '/v1/register-lock',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Lock or unlock my record against verification',
  description:
    'Changes the lock of the citizen whom the token names. While the record is locked, each verification returns no_match. The access log contains each change, and the citizen receives an official message about it. A lock of the staff of the register stays, and a request for the current state changes nothing.',
  request,
  responses: {
    200: {
      description: 'The state after this request.',
      schema: Type.Object({ ownLock: Type.Boolean({ description: 'true if the citizen has locked the record.' }) }),
    },
  },
  refusals: [
    'citizen-token-needed',
    'citizen-not-found',
    'bad-request',
    'too-many-unlocks',
    'lock-not-kept-here',
    'changed-meanwhile',
  ],
  citizenData: true,
  run: changeLock,
});

async function changeLock(call: OperationCall<typeof request, IdentityPorts>): Promise<Decision | RefusedDecision> {
  const { ports, read, now } = call;
  const { citizenId } = call.caller;
  const { locked } = call.body;
  if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
  if (ports.lockChangeNotice === undefined) return { refusal: refuse('lock-not-kept-here') };
  const before = await findCitizenLock(read, citizenId);
  if (before === undefined) return { refusal: refuse('citizen-not-found') };
  const head = { id: call.createId('event'), at: now, actor: { citizen: true }, citizenId } as const;
  const answer = { status: 200, headers: noStoreHeaders, json: { ownLock: locked } };
  // The response reveals the state of the record, so the access is recorded.
  if (before.locked === locked)
    return { effect: { events: [{ type: 'identity.record-read', ...head }], statements: [] }, answer };
  const after = nextLock(before, locked, Math.floor(now / dayMs));
  if (after === undefined) {
    const seconds = Math.ceil((dayMs - (now % dayMs)) / 1_000);
    return { refusal: refuse('too-many-unlocks', undefined, { headers: { 'retry-after': String(seconds) } }) };
  }
  const notice = await ports.lockChangeNotice({ citizenId, locked }, call);
  return {
    effect: {
      events: [{ type: locked ? 'own-lock.set' : 'own-lock.lifted', ...head }, ...notice.events],
      statements: [replaceCitizenLock(citizenId, before, after), ...notice.statements],
    },
    answer,
    // Another request or staff changed the lock: read it again.
    onConflict: () => changeLock(call),
  };
}

/** The changed lock; undefined if it was removed too often on that day. */
function nextLock(before: CitizenLock, locked: boolean, day: number): CitizenLock | undefined {
  if (locked) return { ...before, locked };
  const unlocks = (before.day === day ? before.unlocks : 0) + 1;
  return unlocks > maxUnlocksPerDay ? undefined : { locked, day, unlocks };
}
