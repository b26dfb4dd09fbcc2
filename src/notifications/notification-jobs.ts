import { setTimeout as pause } from 'node:timers/promises';
import type { Gauge } from '../api/metrics.ts';
import type { Job, RunningJob, SliceDeps } from '../api/slice.ts';
import type { Settings } from '../config/settings.ts';
import { repeatEvery } from '../jobs/repeat-every.ts';
import type { TargetRules } from '../net/public-target.ts';
import { createHostResolver } from '../net/resolve-host.ts';
import type { BatchJobDeps } from './batch-context.ts';
import { startBatchJob } from './batch-job.ts';
import { inboxChannel } from './channels/inbox-channel.ts';
import { createQueueMonitor, type QueueMonitor, type QueueState } from './delivery/queue-monitor.ts';
import { type DeliveryDeps, startDelivery } from './delivery/start-delivery.ts';
import type { ExternalChannels } from './notification/channel.ts';
import { statusEventTypes } from './webhooks/feed-store.ts';
import { createPostWebhookCall } from './webhooks/post-call.ts';
import { startWebhooks } from './webhooks/start-webhooks.ts';

/** How long a receiver of a webhook may take to answer (Standard Webhooks 1.0.0: 15 to 30 seconds). */
export const webhookTimeoutMs = 15_000;
/** The pause after each pass that numbers the feed, so that many events share the next pass. */
const feedPauseMs = 50;
/** How often a process with the worker role measures its queues. */
const queuesEveryMs = 5_000;
const dayMs = 86_400_000;

class ChannelsMissing extends Error {
  override readonly name = 'ChannelsMissing';
}

type NotificationJobDeps = SliceDeps &
  Pick<DeliveryDeps, 'cascade' | 'contactOf' | 'senderOf' | 'calendar'> &
  Pick<BatchJobDeps, 'clients' | 'ports'> & {
    /** The channels to providers; only a process with the worker role has them. */
    readonly channels: ExternalChannels | undefined;
  };

/** The jobs of the worker role for notifications: deliver them, call webhooks, measure the queues. */
export function notificationJobs(deps: NotificationJobDeps): readonly Job[] {
  return [
    {
      name: 'webhooks',
      wakeOn: [...statusEventTypes, 'notification-batch.changed'],
      start: () => startWebhookJob(deps),
    },
    {
      name: 'delivery',
      wakeOn: ['notification.accepted', 'notification.letter-requested'],
      start: () => startDeliveryJob(deps),
    },
    { name: 'batches', wakeOn: ['notification-batch.changed'], start: () => startBatchJob(deps) },
    { name: 'queues', start: () => startQueueMonitor(deps) },
  ];
}

function startDeliveryJob(deps: NotificationJobDeps): Promise<RunningJob> {
  const { db, log, channels } = deps;
  if (channels === undefined) throw new ChannelsMissing('a process with the worker role needs its channels');
  return startDelivery({
    ...deps,
    urgentPriority: deps.ports.urgentPriority,
    read: db.read,
    channels: { ...channels, inbox: inboxChannel },
    onFault: (fault) => log.fault('delivery', fault),
  });
}

/** The hosts that webhooks may call. */
export function targetRulesOf({ webhookPrivateTargets: allowPrivate }: Settings): TargetRules {
  return { allowPrivate, resolve: createHostResolver(allowPrivate) };
}

function startWebhookJob(deps: SliceDeps): RunningJob {
  const allowPrivateTargets = deps.settings.webhookPrivateTargets;
  return startWebhooks({
    ...deps,
    read: deps.db.read,
    write: (unit) => deps.db.write(unit),
    webhookKey: deps.root.derive('webhook-secrets'),
    allowPrivateTargets,
    post: createPostWebhookCall({ ...targetRulesOf(deps.settings), timeoutMs: webhookTimeoutMs }),
    pollMs: 1_000,
    pause: () => pause(feedPauseMs),
    keepMs: deps.settings.feedDays * dayMs,
    onFault: (fault) => deps.log.fault('webhooks', fault),
  });
}

function startQueueMonitor({ db, clock, timer, log }: SliceDeps): RunningJob {
  const monitor = createQueueMonitor(db.read, clock);
  const onFault = (fault: unknown) => log.fault('queues', fault);
  const measuring = repeatEvery({ timer, everyMs: queuesEveryMs, onFault, call: () => monitor.refresh() });
  return { gauges: queueGauges(monitor), stop: () => measuring.stop() };
}

function queueGauges({ deliveries, calls }: QueueMonitor): Gauge[] {
  const gauge = (name: string, help: string) => ({ name: `citizen_services_${name}`, help });
  const ofChannels = (part: keyof QueueState) => ({
    label: 'channel',
    read: () => new Map([...deliveries()].map(([channel, state]) => [channel, state[part]])),
  });
  return [
    {
      ...gauge('deliveries_due', 'Due deliveries that no worker has claimed, counted up to 10,000.'),
      ...ofChannels('due'),
    },
    {
      ...gauge('deliveries_oldest_due_seconds', 'How long the oldest delivery has been due.'),
      ...ofChannels('oldestSeconds'),
    },
    {
      ...gauge('webhook_calls_due', 'Due webhook calls that were not made yet, counted up to 10,000.'),
      read: () => calls()?.due,
    },
    {
      ...gauge('webhook_calls_oldest_due_seconds', 'How long the oldest webhook call has been due.'),
      read: () => calls()?.oldestSeconds,
    },
  ];
}
