import type { CitizenContact } from '../notification/contact.ts';
import type { ChannelName } from '../notification/notification.ts';
import { nextAllowedTime, type QuietHours } from '../notification/quiet-hours.ts';

/** One step of a cascade: this channel, when the message is still unread so long after its begin. */
export type CascadeStep = { readonly channel: ChannelName; readonly afterMs: number; readonly reminder?: true };

/**
 * By which channels a citizen is told, and when. The steps are stored as deliveries when the notification is accepted,
 * each with its own time, so that none can be forgotten. A step whose channel fails brings the next one forward; reading
 * the message ends what is left.
 */
export type CascadePolicy = {
  readonly steps: readonly CascadeStep[];
  /** A letter is handed over at least so long before `deliverBy`. */
  readonly letterLeadMs: number;
  readonly quiet?: QuietHours | undefined;
  /** These channels take addresses only that somebody has verified. */
  readonly verifiedOnly?: readonly ChannelName[] | undefined;
  /** The channels that leave the house and have a provider, in the policy or not. */
  readonly providers: ReadonlySet<ChannelName>;
};

/** One delivery to be: its channel and the earliest instant. */
export type PlannedStep = { readonly channel: ChannelName; readonly runAt: number; readonly reminder: boolean };

const dayMs = 86_400_000;
const letterLeadMs = 5 * dayMs;

/** Inbox and email at once and nothing after: for a server without providers for text messages and letters. */
export const inboxAndEmailPolicy: CascadePolicy = {
  steps: [
    { channel: 'inbox', afterMs: 0 },
    { channel: 'email', afterMs: 0 },
  ],
  letterLeadMs,
  providers: new Set(['email']),
};

/** The policy of a server with these channels besides inbox and email, until its operator states another. */
export function defaultPolicyFor(more: ReadonlySet<ChannelName>): CascadePolicy {
  if (more.size === 0) return inboxAndEmailPolicy;
  const steps: CascadeStep[] = [...inboxAndEmailPolicy.steps, { channel: 'email', afterMs: 3 * dayMs, reminder: true }];
  if (more.has('sms')) steps.push({ channel: 'sms', afterMs: 5 * dayMs });
  if (more.has('letter')) steps.push({ channel: 'letter', afterMs: 7 * dayMs });
  return { steps, letterLeadMs, providers: new Set([...more, 'email']) };
}

/** When and to whom: `wanted` are the channels in the order that the sender gave, if it gave one. */
export type PlanOptions = {
  readonly wanted: readonly ChannelName[] | undefined;
  readonly begin: number;
  readonly deliverBy: number;
  /** Urgent messages know no quiet hours. */
  readonly urgent: boolean;
  /** What the citizen wishes: the order where the sender gave none, and hours. */
  readonly preferences?: Pick<CitizenContact, 'order' | 'hours'> | undefined;
};

/** The steps for one notification, the inbox first. The inbox is always one of them, at its begin. */
export function planSteps(policy: CascadePolicy, options: PlanOptions): PlannedStep[] {
  const { begin, deliverBy, urgent, preferences } = options;
  const quiet = [policy.quiet, preferences?.hours];
  const steps = externalStepsOf(policy, options);
  const firstMs = Math.min(...steps.map(({ afterMs }) => afterMs));
  // Where even the first step would come too late, it begins at once: else nothing would be tried at all.
  const startsAtOnce = begin + firstMs >= deliverBy;
  const runAtOf = ({ channel, afterMs, reminder }: CascadeStep): number => {
    // Quiet hours may hold the first message back: reminded is so long after that.
    const first = reminder ? steps.find((step) => step.channel === channel && !step.reminder) : undefined;
    const ownDue = startsAtOnce && afterMs === firstMs ? begin : begin + afterMs;
    const due = first === undefined ? ownDue : runAtOf(first) + afterMs - first.afterMs;
    const at = channel === 'letter' ? Math.min(due, deliverBy - policy.letterLeadMs) : due;
    return urgent ? Math.max(begin, at) : nextAllowedTime(quiet, channel, Math.max(begin, at));
  };
  const planned = steps.map((step) => {
    return { channel: step.channel, runAt: runAtOf(step), reminder: step.reminder === true };
  });
  const inTime = planned.filter(({ runAt, reminder }) => runAt < deliverBy || !reminder);
  return [
    { channel: 'inbox', runAt: begin, reminder: false },
    ...inTime.sort((left, right) => left.runAt - right.runAt),
  ];
}

/** The steps that leave the house. Where the sender named channels the first of them begins at once. */
function externalStepsOf(policy: CascadePolicy, { wanted, preferences }: PlanOptions): readonly CascadeStep[] {
  if (wanted === undefined) return reorderSteps(policy, preferredOrder(policy, preferences?.order));
  const steps = reorderSteps(policy, wanted);
  const firstMs = Math.min(...steps.map(({ afterMs }) => afterMs));
  return steps.map((step) => ({ ...step, afterMs: step.afterMs - firstMs }));
}

/** The channels of the policy, those that the citizen named first; undefined where the citizen named none. */
function preferredOrder({ steps }: CascadePolicy, order: CitizenContact['order']): readonly ChannelName[] | undefined {
  if (order === undefined || order.length === 0) return undefined;
  const leaving = steps.filter(({ channel }) => channel !== 'inbox');
  const inPolicy = new Set(leaving.map(({ channel }) => channel));
  return [...new Set([...order.filter((channel) => inPolicy.has(channel)), ...inPolicy])];
}

/** The steps that leave the house. Channels in an order of their own take the waits that the policy has for them. */
function reorderSteps(policy: CascadePolicy, channels: readonly ChannelName[] | undefined): readonly CascadeStep[] {
  const leaving = policy.steps.filter(({ channel }) => channel !== 'inbox');
  if (channels === undefined) return leaving;
  const order = channels.filter((channel) => channel !== 'inbox');
  const first = (channel: ChannelName) => leaving.find((step) => step.channel === channel && !step.reminder);
  const waits = order.map((channel) => first(channel)?.afterMs ?? 0).sort((left, right) => left - right);
  return order.flatMap((channel, index) => {
    const afterMs = waits[index] ?? 0;
    const shift = afterMs - (first(channel)?.afterMs ?? 0);
    const reminders = leaving.filter((step) => step.channel === channel && step.reminder);
    return [{ channel, afterMs }, ...reminders.map((step) => ({ ...step, afterMs: step.afterMs + shift }))];
  });
}

/** Why a channel may not be used for this citizen, whatever the address is. */
export function blockedReasonOf(
  { verifiedOnly }: Pick<CascadePolicy, 'verifiedOnly'>,
  { declined, verified }: Pick<CitizenContact, 'declined' | 'verified'>,
  channel: ChannelName,
): 'declined' | 'no-contact' | undefined {
  if (declined?.includes(channel) === true) return 'declined';
  return verifiedOnly?.includes(channel) === true && verified?.includes(channel) !== true ? 'no-contact' : undefined;
}
