import { parseArgs } from 'node:util';
import type { Read } from '../db/database.ts';
import { formatInstant } from '../kernel/clock.ts';
import { type NotificationId, parseId } from '../kernel/id.ts';
import { type Attempt, findAttempts, findDeliveries } from '../notifications/notification/delivery-store.ts';
import { type Delivery, foldStatus, type Notification } from '../notifications/notification/notification.ts';
import { findNotification } from '../notifications/notification/notification-store.ts';
import { type ReasonCode, reasonOf } from '../notifications/notification/reason.ts';
import { commitFromShell } from '../staff/commit-from-shell.ts';
import {
  type Command,
  CommandFailed,
  type ExitCode,
  jsonOption,
  singlePositional,
  type Terminal,
  wrongArgument,
} from './command.ts';
import { eventHead, type LoggedContext, type WithContext } from './command-context.ts';

const oneNotification = 'the id of one notification, such as ntf_01…';

/** The command `notifications show`. */
export function notificationCommands(withContext: WithContext<LoggedContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'notifications show',
      usage: 'notifications show ID [--json]',
      summary: 'Shows the deliveries of a notification: each attempt with its reason, and the time of the next one.',
      options: [jsonOption],
      notes:
        'It does not show the message. The access log of the citizen shows that an operator read the status. The server log has the id in its lines "delivery".',
      example: 'notifications show ntf_01JD3Y9Z8Q6W2V5T4R7N0M1KXC',
      run: async (args) => {
        const options = { json: { type: 'boolean' } } as const;
        const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
        const id = parseId('notification', singlePositional(positionals, oneNotification));
        if (id === undefined) throw wrongArgument(oneNotification, positionals);
        return await withContext((context) => showNotification(context, id, values.json === true, terminal));
      },
    },
  ];
}

type DeliveryReport = {
  readonly delivery: string;
  readonly channel: string;
  readonly reminder: boolean;
  readonly status: string;
  readonly claims: number;
  readonly nextAttemptAt?: string;
  readonly endedAt?: string;
  readonly reason?: ReasonReport;
  readonly attempts: readonly {
    readonly number: number;
    readonly startedAt: string;
    readonly endedAt: string;
    readonly outcome: string;
    readonly reason?: ReasonReport;
  }[];
};

type ReasonReport = { readonly code: string; readonly detail: string; readonly whoActs: string };

/** The use of the citizen's data is recorded before it is shown. */
async function showNotification(
  context: LoggedContext,
  id: NotificationId,
  json: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const notification = await findNotification(context.read, id);
  if (notification === undefined)
    throw new CommandFailed(
      `Expected the id of a stored notification, but there is no notification ${id}. Check the id.`,
    );
  const deliveries = await findDeliveries(context.read, id);
  const reports = await reportDeliveries(context.read, deliveries);
  const { citizenId } = notification;
  await commitFromShell(context, { operation: 'notifications show', reference: id })({
    events: [{ type: 'notification.status-read', ...eventHead(context), citizenId, notification: id }],
    statements: [],
  });
  const head = headOf(notification, deliveries);
  if (json) terminal.stdout(`${JSON.stringify({ ...head, deliveries: reports })}\n`);
  else terminal.stdout(`${linesOf(head)}${reports.map(textOf).join('')}`);
  return 0;
}

function headOf(notification: Notification, deliveries: readonly Delivery[]) {
  const { id, clientId, category, createdAt, sendAt, deliverBy, status } = notification;
  return {
    id,
    client: clientId,
    category,
    status: foldStatus(status, deliveries, false),
    createdAt: formatInstant(createdAt),
    ...(sendAt === null ? {} : { sendAt: formatInstant(sendAt) }),
    deliverBy: formatInstant(deliverBy),
  };
}

async function reportDeliveries(read: Read, deliveries: readonly Delivery[]): Promise<DeliveryReport[]> {
  const attempts = await findAttempts(read, deliveries);
  return deliveries.map((delivery) =>
    reportDelivery(
      delivery,
      attempts.filter((attempt) => attempt.delivery === delivery.id),
    ),
  );
}

function reportDelivery(
  { id, channel, reminder, state, attempts: claims }: Delivery,
  attempts: readonly Attempt[],
): DeliveryReport {
  const reason = state.status === 'queued' ? state.lastReason : 'reason' in state ? state.reason : undefined;
  return {
    delivery: id,
    channel,
    reminder,
    status: state.status,
    claims,
    ...(state.status === 'queued' ? { nextAttemptAt: formatInstant(state.runAt) } : {}),
    ...('endedAt' in state ? { endedAt: formatInstant(state.endedAt) } : {}),
    ...reasonMember(reason),
    attempts: attempts.map(({ number, startedAt, endedAt, outcome, reason: why }) => ({
      number,
      startedAt: formatInstant(startedAt),
      endedAt: formatInstant(endedAt),
      outcome,
      ...reasonMember(why),
    })),
  };
}

function reasonMember(code: ReasonCode | undefined): { readonly reason?: ReasonReport } {
  if (code === undefined) return {};
  const { detail, whoActs } = reasonOf(code);
  return { reason: { code, detail, whoActs } };
}

function linesOf(members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(([name, value]) => `${name}\t${value}\n`)
    .join('');
}

function textOf({
  delivery,
  channel,
  reminder,
  status,
  nextAttemptAt,
  endedAt,
  reason,
  attempts,
}: DeliveryReport): string {
  const when = nextAttemptAt === undefined ? (endedAt ?? '') : `next attempt ${nextAttemptAt}`;
  const name = reminder ? `${channel} reminder` : channel;
  const lines = attempts.map(({ number, startedAt, outcome, reason: why }) =>
    [`  attempt ${number}`, startedAt, outcome, reasonText(why)].join('\t'),
  );
  return `${[[name, delivery, status, when, reasonText(reason)].join('\t'), ...lines].join('\n')}\n`;
}

function reasonText(reason: ReasonReport | undefined): string {
  return reason === undefined ? '' : `${reason.code}: ${reason.detail} (${reason.whoActs} must act)`;
}
