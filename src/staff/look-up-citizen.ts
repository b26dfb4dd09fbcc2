import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import type { LedgerEvent, LookUpReason } from '../ledger/ledger-event.ts';
import { findActiveService } from './active-service.ts';
import { findCitizens, maxHits } from './find-citizens.ts';
import { hourlyLimit, refuseOverLimit } from './hourly-limit.ts';
import { lookUpBody, lookUpWay } from './look-up.ts';
import { lookUpShape, lookUpView } from './look-up-hit.ts';
import { insertLookUp } from './look-up-store.ts';
import type { StaffPorts } from './ports.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

const request = { body: lookUpBody };
type LookUpCall = OperationCall<typeof request, StaffPorts>;

const operationName = 'lookUpCitizen';

/** Finds a citizen for the helpdesk. The citizen reads each look-up, with its reason, in their access log. */
export const lookUpCitizen = defineOperation({
  name: operationName,
  since: '1.0',
  method: 'POST',
  path: '/v1/staff/look-ups',
  scope: 'staff:support',
  callers: ['staff'],
  summary: 'Look up a citizen',
  description:
    'Finds citizens by the id or reference of a message, by their id, or by claims, and returns the state of their messages without contents. Every look-up needs a reason and a case number. The staff log names you. Each found citizen sees the look-up in their access log, with your organisation and the reason. One person may make 60 look-ups in an hour (STAFF_LOOK_UPS_PER_HOUR).',
  request,
  responses: {
    200: {
      description: 'The citizens.',
      schema: lookUpShape,
    },
  },
  refusals: ['service-needed', 'look-ups-exceeded', 'register-unavailable'],
  citizenData: true,
  run: lookUp,
});

async function lookUp(call: LookUpCall): Promise<Decision | RefusedDecision> {
  const { body, caller, now, createId, ports, read } = call;
  const member = staffOf(caller);
  // The citizen reads the organisation in their access log, so it must be one that the operator has registered.
  if ((await findActiveService(read, member)) === undefined) return { refusal: refuse('service-needed') };
  const by = lookUpWay(body, now);
  if (typeof by === 'object') return { refusal: refuseIssues(by) };
  const found = await findCitizens({ read, ports }, body, member);
  const events = eventsOf(call, found.slice(0, maxHits));
  const cited = events.flatMap((event) =>
    event.type === 'staff.looked-up' ? [{ citizenId: event.citizenId, event: event.id }] : [],
  );
  const [id, entry] = [createId('lookUp'), createId('staffEntry')];
  const { reason, reference, language } = body;
  const lookUp = { found: cited, hasMore: found.length > maxHits, reason, reference, entry };
  const logged = insertStaffEntry(
    ports,
    {
      id: entry,
      at: now,
      member,
      operation: operationName,
      reason,
      reference,
      after: { by, hits: cited.length },
      events: events.map((event) => event.id),
    },
    hourlyLimit(call),
  );
  return {
    effect: {
      events,
      statements: [...logged, ...insertLookUp(ports, id, { ...lookUp, subject: member.subject, now })],
    },
    answer: { status: 200, json: await lookUpView(call, { ...lookUp, id }, language) },
    onConflict: async () => ({
      refusal: await refuseOverLimit(call, { subject: member.subject, operation: operationName }),
    }),
  };
}

/** One event for each found citizen, in the log of that citizen; one without a citizen if nobody was found. */
function eventsOf(call: LookUpCall, found: readonly string[]): readonly [LedgerEvent, ...LedgerEvent[]] {
  const reason: LookUpReason = call.body.reason;
  const head = () => ({ id: call.createId('event'), at: call.now, actor: staffActor(staffOf(call.caller)) });
  const [first, ...others] = found.map((citizenId) => ({
    type: 'staff.looked-up' as const,
    ...head(),
    citizenId,
    reason,
  }));
  return first === undefined ? [{ type: 'staff.searched', ...head(), reason }] : [first, ...others];
}
