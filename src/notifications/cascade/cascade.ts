import type { CitizenContact } from '../notification/contact.ts';
import type { ChannelName } from '../notification/notification.ts';
import { nextAllowedTime, type QuietHours } from '../notification/quiet-hours.ts';

/** One step of a cascade: this channel, if the message is still unread `afterMs` after its start. */
export type CascadeStep = { readonly channel: ChannelName; readonly afterMs: number; readonly reminder?: true };

/**
 * The channels of a notification and their times. All steps are stored as deliveries when the notification is accepted, each
 * with its own due time, so that no crash can lose one. When a step fails, the next one begins at once. When the citizen
 * reads the message, the remaining steps are skipped.
 */
export type CascadePolicy = {
  readonly steps: readonly CascadeStep[];
  /** A letter goes to the printer at least this long before `deliverBy`. */
  readonly letterLeadMs: number;
  readonly quiet?: QuietHours | undefined;
  /** These channels use verified addresses only. */
  readonly verifiedOnly?: readonly ChannelName[] | undefined;
  /** The external channels that have a provider, whether the policy uses them or not. */
  readonly providers: ReadonlySet<ChannelName>;
};

/** A delivery to store: its channel and the time before which it does not begin. */
export type PlannedStep = { readonly channel: ChannelName; readonly runAt: number; readonly reminder: boolean };

const dayMs = 86_400_000;
const letterLeadMs = 5 * dayMs;

/** Inbox and email at once, and no more steps: for a server without providers for text messages and letters. */
export const inboxAndEmailPolicy: CascadePolicy = {
  steps: [
    { channel: 'inbox', afterMs: 0 },
    { channel: 'email', afterMs: 0 },
  ],
  letterLeadMs,
  providers: new Set(['email']),
};

/** The default policy of a server with these channels besides inbox and email. */
export function defaultPolicyFor(more: ReadonlySet<ChannelName>): CascadePolicy {
  if (more.size === 0) return inboxAndEmailPolicy;
  const steps: CascadeStep[] = [...inboxAndEmailPolicy.steps, { channel: 'email', afterMs: 3 * dayMs, reminder: true }];
  if (more.has('sms')) steps.push({ channel: 'sms', afterMs: 5 * dayMs });
  if (more.has('letter')) steps.push({ channel: 'letter', afterMs: 7 * dayMs });
  return { steps, letterLeadMs, providers: new Set([...more, 'email']) };
}

/** The times of one notification, and the wishes of its sender and citizen. `wanted` is the sender's channel order, if it gave one. */
export type PlanOptions = {
  readonly wanted: readonly ChannelName[] | undefined;
  readonly begin: number;
  readonly deliverBy: number;
  /** Urgent messages ignore quiet hours. */
  readonly urgent: boolean;
  /** The citizen's hours, and the channel order for a message without the sender's. */
  readonly preferences?: Pick<CitizenContact, 'order' | 'hours'> | undefined;
};

/** Plans the steps of one notification. The inbox is always the first, at `begin`. */
export function planSteps(policy: CascadePolicy, options: PlanOptions): PlannedStep[] {
  const { begin, deliverBy, urgent, preferences } = options;
  const quiet = [policy.quiet, preferences?.hours];
  const steps = externalStepsOf(policy, options);
  const firstMs = Math.min(...steps.map(({ afterMs }) => afterMs));
  // If even the first step would come after `deliverBy`, it begins at once. Otherwise nothing would be tried.
  const startsAtOnce = begin + firstMs >= deliverBy;
  const runAtOf = ({ channel, afterMs, reminder }: CascadeStep): number => {
    // Quiet hours may delay the first message. A reminder keeps its distance from the delayed time.
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

/** The steps of external channels. If the sender named channels, the first of them begins at once. */
function externalStepsOf(policy: CascadePolicy, { wanted, preferences }: PlanOptions): readonly CascadeStep[] {
  if (wanted === undefined) return reorderSteps(policy, preferredOrder(policy, preferences?.order));
  const steps = reorderSteps(policy, wanted);
  const firstMs = Math.min(...steps.map(({ afterMs }) => afterMs));
  return steps.map((step) => ({ ...step, afterMs: step.afterMs - firstMs }));
}

/** The external channels of the policy, those that the citizen named first; undefined without wishes. */
function preferredOrder({ steps }: CascadePolicy, order: CitizenContact['order']): readonly ChannelName[] | undefined {
  if (order === undefined || order.length === 0) return undefined;
  const external = steps.filter(({ channel }) => channel !== 'inbox');
  const inPolicy = new Set(external.map(({ channel }) => channel));
  return [...new Set([...order.filter((channel) => inPolicy.has(channel)), ...inPolicy])];
}

/** The steps of external channels. In another order, the channels take the waits of the policy in ascending order. */
function reorderSteps(policy: CascadePolicy, channels: readonly ChannelName[] | undefined): readonly CascadeStep[] {
  const external = policy.steps.filter(({ channel }) => channel !== 'inbox');
  if (channels === undefined) return external;
  const order = channels.filter((channel) => channel !== 'inbox');
  const first = (channel: ChannelName) => external.find((step) => step.channel === channel && !step.reminder);
  const waits = order.map((channel) => first(channel)?.afterMs ?? 0).sort((left, right) => left - right);
  return order.flatMap((channel, index) => {
    const afterMs = waits[index] ?? 0;
    const shift = afterMs - (first(channel)?.afterMs ?? 0);
    const reminders = external.filter((step) => step.channel === channel && step.reminder);
    return [{ channel, afterMs }, ...reminders.map((step) => ({ ...step, afterMs: step.afterMs + shift }))];
  });
}

/** Why a channel must not be used for this citizen, regardless of the address; undefined if it may be used. */
export function blockedReasonOf(
  { verifiedOnly }: Pick<CascadePolicy, 'verifiedOnly'>,
  { declined, verified }: Pick<CitizenContact, 'declined' | 'verified'>,
  channel: ChannelName,
): 'declined' | 'no-contact' | undefined {
  if (declined?.includes(channel) === true) return 'declined';
  return verifiedOnly?.includes(channel) === true && verified?.includes(channel) !== true ? 'no-contact' : undefined;
}
