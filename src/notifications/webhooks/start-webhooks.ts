import { fraction } from '../../jobs/back-off.ts';
import { createLimit, late } from '../../jobs/limit.ts';
import { repeat, soonMs } from '../../jobs/repeat.ts';
import type { Timer } from '../../jobs/timer.ts';
import { type Queue, startWorker } from '../../jobs/worker.ts';
import { type Clock, type Random, toInstant } from '../../kernel/clock.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import type { Read } from '../../store/db.ts';
import { findFeedEvent } from './feed-store.ts';
import { createNumberer, type WriteUnit } from './number-feed.ts';
import type { PostCall, PostResult } from './post-call.ts';
import { pruneFeed } from './prune-feed.ts';
import { parseTarget } from './target.ts';
import {
  claimCalls,
  endCall,
  giveUpPage,
  type WebhookJob,
  waitingWebhooks,
  webhookJobOf,
} from './webhook-call-store.ts';
import { openSecret, signedHeaders } from './webhook-secret.ts';
import { disable, findOlderSecrets, findRevivals, findWebhook, revivePage, type Webhook } from './webhook-store.ts';
import { createWebhookTurns } from './webhook-turns.ts';

type WebhookProcess = {
  readonly read: Read;
  readonly write: WriteUnit;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  /** Derived from the root for `webhook-secrets`. */
  readonly webhookKey: Uint8Array;
  readonly allowPrivateTargets: boolean;
  readonly post: PostCall;
  readonly pollMs: number;
  /** See `NumbererParts`. */
  readonly rest?: () => Promise<void>;
  /** So long events and calls are kept. */
  readonly keepMs: number;
  /** Whether the clock is to be believed in that. */
  readonly isClockSure: () => Promise<boolean>;
  onFault(fault: unknown): void;
};

export type Calling = {
  wake(): void;
  idle(): Promise<void>;
  stop(withinMs: number): Promise<boolean>;
};

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
/** The pauses of Standard Webhooks 1.0.0, 75 h 35 min in all; the first call is at once. */
export const pausesMs: readonly number[] = [
  ...[5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
];
/** A call that nobody ended after this time was lost with its process. It is longer than the time-out of a call. */
export const lostAfterMs: number = minute;
const callsAtOnce = 64;
const pruneEveryMs = hour;

/** Starts what numbers the feed and calls the webhooks. Calls may come twice after a crash, under the same webhook-id. */
export function startWebhooks(parts: WebhookProcess): Calling {
  const calling = startWorker({
    ...parts,
    queue: callQueue(parts, () => calling.wake()),
    ...{ concurrency: callsAtOnce, batch: callsAtOnce / 2 },
  });
  const write: WriteUnit = async (unit) => {
    const rows = await parts.write(unit);
    calling.wake();
    return rows;
  };
  const numberer = createNumberer({ ...parts, write });
  const numbering = startWorker({ ...parts, queue: numberer, concurrency: 1, batch: 1 });
  const pruning = repeat({
    ...parts,
    everyMs: pruneEveryMs,
    firstMs: soonMs(parts.random),
    call: async () => {
      if (await parts.isClockSure()) await pruneFeed({ ...parts, before: parts.clock.now() - parts.keepMs });
    },
  });
  return {
    wake: () => numbering.wake(),
    idle: async () => {
      await Promise.all([numbering.idle(), pruning.idle()]);
      calling.wake();
      await calling.idle();
    },
    stop: async (withinMs) => {
      const over = createLimit(parts.timer, withinMs);
      const ends = [over.hold(pruning.stop()), numbering.stop(withinMs), calling.stop(withinMs)];
      return (await Promise.all(ends)).every((end) => end !== late && end !== false);
    },
  };
}

/** The webhooks in turn: each claim is for as many of them as it has room for. `again` is called when it is worth another look. */
function callQueue(parts: WebhookProcess, again: () => void): Queue<WebhookJob> {
  const turns = createWebhookTurns();
  return {
    nextDueAt: async () => {
      // At once: of most looks the first finds nothing.
      const [revivals, waiting] = await Promise.all([findRevivals(parts.read), waitingWebhooks(parts.read)]);
      for (const revival of revivals) await parts.write(await revivePage(parts.read, revival, parts.clock.now()));
      const ended = waiting.filter(({ isActive }) => !isActive);
      for (const { id } of ended) await parts.write(giveUpPage(id));
      if (ended.length > 0) again();
      const left = revivals.length === 0 ? waiting : await waitingWebhooks(parts.read);
      return turns.look(left.filter(({ isActive }) => isActive));
    },
    claim: async (limit) => {
      const now = parts.clock.now();
      const turn = turns.next(now, limit);
      const rows = await parts.write(turn.map((one) => claimCalls({ ...one, now, again: now + lostAfterMs })));
      const jobs = rows.flat().map(webhookJobOf);
      for (const job of jobs) turns.began(job.webhook);
      return jobs;
    },
    run: async (job) => {
      let went = false;
      try {
        went = await callOne(parts, job);
      } finally {
        if (turns.ended(job.webhook, went)) again();
      }
    },
  };
}

/** Makes one call; tells whether its receiver answered that it has it, or there was none to make. */
async function callOne(parts: WebhookProcess, job: WebhookJob): Promise<boolean> {
  const [webhook, event] = await Promise.all([
    findWebhook(parts.read, job.webhook),
    findFeedEvent(parts.read, job.event),
  ]);
  // Taken out after its time, between the claim and now.
  if (webhook === undefined || event === undefined) return true;
  const url = parseTarget(webhook.url, parts.allowPrivateTargets);
  if (webhook.status !== 'active' || url === undefined) {
    await parts.write([endCall(job, { status: 'dead', runAt: parts.clock.now(), answer: null })]);
    return true;
  }
  const body = JSON.stringify({
    type: event.type,
    timestamp: toInstant(event.at),
    number: event.number,
    data: event.data,
  });
  const at = parts.clock.now();
  const secrets = await secretsOf(parts, webhook, at);
  const headers = signedHeaders({ scheme: webhook.signature, secrets }, { id: event.id, at, body });
  const result = await parts.post({ url, body, headers });
  await finish(parts, job, result);
  return 'status' in result && result.status < 300;
}

async function secretsOf({ webhookKey, read }: WebhookProcess, webhook: Webhook, now: number): Promise<Uint8Array[]> {
  const { id, secret, old } = webhook;
  const isReplaced = old !== undefined && old.until > now;
  const sealed = isReplaced ? [secret, old.secret, ...(await findOlderSecrets(read, id, now))] : [secret];
  return sealed.map((one) => openSecret(webhookKey, id, one));
}

async function finish(parts: WebhookProcess, job: WebhookJob, result: PostResult): Promise<void> {
  const now = parts.clock.now();
  const answer = 'status' in result ? result.status : null;
  if (answer !== null && answer >= 200 && answer < 300) {
    await parts.write([endCall(job, { status: 'done', runAt: now, answer })]);
    return;
  }
  if (answer === 410) {
    // Gone: the receiver wants no more (Standard Webhooks 1.0.0).
    await parts.write([endCall(job, { status: 'dead', runAt: now, answer }), disable(job.webhook)]);
    return;
  }
  const pause = pausesMs[job.attempts - 1];
  if (pause === undefined) {
    await parts.write([endCall(job, { status: 'dead', runAt: now, answer })]);
    return;
  }
  const wished = 'retryAfter' in result ? (retryAfterMs(result.retryAfter, now) ?? 0) : 0;
  const runAt = now + Math.max(wished, Math.round(pause * (1 + 0.1 * fraction(parts.random))));
  await parts.write([endCall(job, { status: 'queued', runAt, answer })]);
}
