import type { Decision, OperationCall, RefusedDecision, RequestShape } from '../api/operation.ts';
import type { Statement } from '../db/database.ts';
import { refuse } from '../kernel/refusal.ts';
import type { ChannelName } from '../notifications/notification/notification.ts';
import type { StaffPorts } from './ports.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

/** A pause of a channel, or its end. `statement` stores it, and is refused if the channel is in that state already. */
type ChannelChange = {
  readonly operation: 'pauseChannel' | 'resumeChannel';
  readonly channel: ChannelName;
  readonly reason: string;
  readonly statement: Statement;
};

/** The decision of a change of a channel, with its event and its entry of the staff log. It needs a person without a service. */
export function changeChannel(
  {
    caller,
    now,
    createId,
    ports,
  }: Pick<OperationCall<RequestShape, StaffPorts>, 'caller' | 'now' | 'createId' | 'ports'>,
  { operation, channel, reason, statement }: ChannelChange,
): Decision | RefusedDecision {
  const member = staffOf(caller);
  if (member.service !== null) return { refusal: refuse('affects-all-services') };
  const paused = operation === 'pauseChannel';
  const id = createId('event');
  const entry = insertStaffEntry(ports, {
    id: createId('staffEntry'),
    at: now,
    member,
    operation,
    reason,
    before: { channel, paused: !paused },
    after: { channel, paused },
    events: [id],
  });
  const change = paused ? 'paused' : 'resumed';
  return {
    effect: {
      events: [{ type: 'channel.changed', id, at: now, actor: staffActor(member), channel, change }],
      statements: [statement, ...entry],
    },
    answer: { status: 200, json: { channel } },
    onConflict: () => refuse('conflict', `The channel is ${paused ? 'already' : 'not'} paused.`),
  };
}
