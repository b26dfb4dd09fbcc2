import { randomFraction } from '../../jobs/back-off.ts';
import { createCallTimeout, timedOut } from '../../jobs/call-timeout.ts';
import { type JobQueue, startJobWorker } from '../../jobs/job-worker.ts';
import { repeatEvery, startupDelayMs } from '../../jobs/repeat-every.ts';
import type { Timer } from '../../jobs/timer.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import { parsePublicUrl } from '../../net/public-target.ts';
import { findFeedEvent } from './feed-store.ts';
import { createFeedNumberer, type NumbererDeps, type WriteUnit } from './number-feed.ts';
import type { PostWebhookCall, WebhookCallResult } from './post-call.ts';
import { pruneFeed } from './prune-feed.ts';
import { signedCallOf } from './signed-call.ts';
import { callOutcomeOf } from './webhook-call.ts';
import {
  claimCalls,
  completeCall,
  findWaitingWebhooks,
  giveUpCalls,
  type WebhookJob,
  webhookJobFromRow,
} from './webhook-call-store.ts';
import { createWebhookScheduler } from './webhook-scheduler.ts';
import { disableWebhook, findPendingRedeliveries, findWebhook, redeliverPage } from './webhook-store.ts';

type WebhookDeps = NumbererDeps & {
  readonly timer: Timer;
  readonly random: RandomBytes;
  /** Derived from the root key for `webhook-secrets`. */
  readonly webhookKey: Uint8Array;
  readonly allowPrivateTargets: boolean;
  readonly post: PostWebhookCall;
  readonly pollMs: number;
  /** Events and calls older than this are deleted. */
  readonly keepMs: number;
  /** False while the clock may be wrong; nothing is deleted then. */
  readonly isClockSure: () => Promise<boolean>;
  onFault(fault: unknown): void;
};

/**
 * The delays between attempts that Standard Webhooks 1.0.0 recommends: 5 s, 5 min, 30 min, then 2, 5, 10, 14, 20 and 24 h. They are
 * 75 h 35 min in all. The first attempt has no delay.
 */
export const retryDelaysMs: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
  (seconds) => seconds * 1_000,
);
/** A call without an outcome after this time was lost with its process. It is longer than the timeout of a call. */
const lostCallAfterMs = 60_000;
const maxConcurrentCalls = 64;
const pruneEveryMs = 3_600_000;

/** Starts the jobs that number the feed, call the webhooks and prune the feed. After a crash a call can repeat, with the same webhook-id. */
export function startWebhooks(deps: WebhookDeps) {
  const calling = startJobWorker({
    ...deps,
    queue: callQueue(deps, () => calling.wake()),
    concurrency: maxConcurrentCalls,
    batch: maxConcurrentCalls / 2,
  });
  const write: WriteUnit = async (unit) => {
    const rows = await deps.write(unit);
    calling.wake();
    return rows;
  };
  const numberer = createFeedNumberer({ ...deps, write });
  const numbering = startJobWorker({ ...deps, queue: numberer, concurrency: 1, batch: 1 });
  const pruning = repeatEvery({
    ...deps,
    everyMs: pruneEveryMs,
    firstMs: startupDelayMs(deps.random),
    call: async () => {
      if (await deps.isClockSure()) await pruneFeed({ ...deps, before: deps.clock.now() - deps.keepMs });
    },
  });
  return {
    wake: () => numbering.wake(),
    idle: async () => {
      await Promise.all([numbering.idle(), pruning.idle()]);
      calling.wake();
      await calling.idle();
    },
    stop: async (withinMs: number) => {
      const deadline = createCallTimeout(deps.timer, withinMs);
      const ends = [deadline.waitFor(pruning.stop()), numbering.stop(withinMs), calling.stop(withinMs)];
      return (await Promise.all(ends)).every((end) => end !== timedOut && end !== false);
    },
  };
}

/** The queue of calls. Each claim takes calls of as many webhooks as it has room for. `wakeAgain` is called when more calls can be claimed. */
function callQueue(deps: WebhookDeps, wakeAgain: () => void): JobQueue<WebhookJob> {
  const scheduler = createWebhookScheduler();
  return {
    nextDueAt: async () => {
      for (const redelivery of await findPendingRedeliveries(deps.read))
        await deps.write(await redeliverPage(deps.read, redelivery, deps.clock.now()));
      const waiting = await findWaitingWebhooks(deps.read);
      const ended = waiting.filter(({ isActive }) => !isActive);
      for (const { id } of ended) await deps.write(giveUpCalls(id));
      if (ended.length > 0) wakeAgain();
      return scheduler.update(waiting.filter(({ isActive }) => isActive));
    },
    claim: async (limit) => {
      const now = deps.clock.now();
      const next = scheduler.next(now, limit);
      const rows = await deps.write(next.map((one) => claimCalls({ ...one, now, reclaimAt: now + lostCallAfterMs })));
      const jobs = rows.flat().map(webhookJobFromRow);
      for (const job of jobs) scheduler.callStarted(job.webhook);
      return jobs;
    },
    run: async (job) => {
      let isDelivered = false;
      try {
        isDelivered = await makeCall(deps, job);
      } finally {
        if (scheduler.callEnded(job.webhook, isDelivered)) wakeAgain();
      }
    },
  };
}

/** Makes one call and stores its result. Returns true when the receiver accepted it, or when no call was needed. */
async function makeCall(deps: WebhookDeps, job: WebhookJob): Promise<boolean> {
  const [webhook, event] = await Promise.all([
    findWebhook(deps.read, job.webhook),
    findFeedEvent(deps.read, job.event),
  ]);
  // Pruned between the claim and now.
  if (webhook === undefined || event === undefined) return true;
  const url = parsePublicUrl(webhook.url, deps.allowPrivateTargets);
  if (webhook.status !== 'active' || url === undefined) {
    await deps.write([completeCall(job, { status: 'dead', runAt: deps.clock.now() })]);
    return true;
  }
  const startedAt = deps.clock.now();
  const request = await signedCallOf(deps, { webhook, url, event, now: startedAt });
  const result = await deps.post(request);
  return await storeResult(deps, job, { result, startedAt });
}

type CallMade = { readonly result: WebhookCallResult; readonly startedAt: number };

async function storeResult(deps: WebhookDeps, job: WebhookJob, { result, startedAt }: CallMade): Promise<boolean> {
  const now = deps.clock.now();
  const outcome = callOutcomeOf(result);
  const made = { answer: 'status' in result ? result.status : null, outcome, startedAt, durationMs: now - startedAt };
  const isAccepted = outcome === 'accepted';
  const isGone = outcome === 'gone';
  const delay = isAccepted || isGone ? undefined : retryDelaysMs[job.attempts - 1];
  if (delay === undefined) {
    const ended = completeCall(job, { status: isAccepted ? 'done' : 'dead', runAt: now, made });
    await deps.write(isGone ? [ended, disableWebhook(job.webhook)] : [ended]);
    return isAccepted;
  }
  const requestedMs = 'retryAfter' in result ? (retryAfterMs(result.retryAfter, now) ?? 0) : 0;
  const runAt = now + Math.max(requestedMs, Math.round(delay * (1 + 0.1 * randomFraction(deps.random))));
  await deps.write([completeCall(job, { status: 'queued', runAt, made })]);
  return false;
}
