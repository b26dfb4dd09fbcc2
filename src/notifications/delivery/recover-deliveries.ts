import { retryDelayMs } from '../../jobs/back-off.ts';
import { type Limit, late } from '../../jobs/limit.ts';
import { ageOf } from '../../kernel/clock.ts';
import type { Read, Row, Statement } from '../../store/db.ts';
import { wholeField, wholeOrNull } from '../../store/row-fields.ts';
import type { Channel, Outcome } from '../channels/channel.ts';
import type { ChannelName } from '../notification.ts';
import { type Job, jobOf } from './delivery-store.ts';
import { isPassing, type SettleParts, settle } from './settle-delivery.ts';

const lookedAtOnce = 200;

type RecoverParts = SettleParts & {
  readonly channels: Readonly<Record<ChannelName, Channel>>;
  /** For each asking of a provider. */
  readonly limit: Limit;
  /** Whether this process is at work on the job, under whatever lease: then it is not lost. */
  isAtHand(job: Job): boolean;
  onFault(fault: unknown): void;
};

/** How often an attempt could not be recovered, and how long it is left alone since then. */
type Put = { readonly tries: number; readonly at: number; readonly forMs: number };

/**
 * Looks after the deliveries whose worker lost its lease: those whose provider had not been called go back into the
 * queue; of the others the provider is asked where it can be, and what it does not know becomes `unknown`. While it cannot
 * be reached it is asked again, until `deliverBy`. Gives how many went back. `own` is the lease of this process, whose
 * jobs are at work here, whatever others took it for. Two processes may do so at once: each step is fenced.
 */
export function createRecovery(parts: RecoverParts): (own: string) => Promise<number> {
  // In memory: a new process asks at once.
  const put = new Map<string, Put>();

  /** How many went back into the queue; undefined where it is to be looked at again later. */
  async function recover(lost: Lost): Promise<number | undefined> {
    const { job, startedAt } = lost;
    try {
      if (startedAt === null) return (await parts.claim(putBackLost(job))).length;
      await settle(parts, job, { by: 'provider', startedAt, outcome: await askProvider(parts, lost) });
      return 0;
    } catch (fault) {
      if (isPassing(fault)) throw fault;
      parts.onFault(fault);
      const tries = (put.get(keyOf(job))?.tries ?? 0) + 1;
      const now = parts.clock.now();
      const pauseMs = retryDelayMs(parts.policy, tries, parts.random);
      const leftMs = lost.deliverBy - now;
      put.set(keyOf(job), { tries, at: now, forMs: leftMs > 0 ? Math.min(pauseMs, leftMs) : pauseMs });
      return undefined;
    }
  }

  const isPut = ({ job }: Lost) => {
    const before = put.get(keyOf(job));
    return before !== undefined && ageOf(before.at, parts.clock) < before.forMs;
  };

  return async (own) => {
    const seen = new Set<string>();
    // A provider that cannot be reached takes its time to say so: once is enough, before others are looked after again.
    let [back, mayAsk] = [0, true];
    for (let behind: Place | undefined = beforeAll; behind !== undefined; ) {
      const found = await findLost(parts.read, { own, behind });
      for (const { job } of found) seen.add(keyOf(job));
      const due = found.filter((lost) => !parts.isAtHand(lost.job) && !isPut(lost));
      const ends = await allOf(due.filter((one) => !isAsked(parts, one)).map(recover));
      for (const lost of due.filter((one) => isAsked(parts, one))) {
        if (mayAsk) ends.push(await recover(lost));
        mayAsk &&= ends.at(-1) !== undefined;
      }
      back += ends.reduce<number>((sum, one) => sum + (one ?? 0), 0);
      behind = found.length < lookedAtOnce ? undefined : found.at(-1)?.job;
    }
    // What was recovered by now is forgotten.
    for (const key of put.keys()) if (!seen.has(key)) put.delete(key);
    return back;
  };
}

/** What all of them came to; one that is rejected is told only when none is under way any more. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
}

/** What tells a job from the same delivery taken again. */
export const keyOf = (job: Job) => `${job.id}.${job.attempts}`;

/** Whether its provider is to be asked. What it has said of the attempt already is put into the outcome by `settle`. */
function isAsked({ channels }: RecoverParts, { job, startedAt, heard }: Lost): boolean {
  return startedAt !== null && !heard && channels[job.channel].ask !== undefined;
}

/** What the provider knows; rejects where it cannot be asked and there is time left to ask again. */
async function askProvider(parts: RecoverParts, lost: Lost): Promise<Outcome> {
  const { job, deliverBy } = lost;
  if (!isAsked(parts, lost)) return { outcome: 'unknown' };
  try {
    const asking = parts.channels[job.channel].ask?.({ delivery: job.id, attempt: job.attempts });
    const outcome = asking && (await parts.limit.hold(asking));
    if (outcome === late) throw new Error(`${job.channel}: ask did not settle within ${parts.limit.ms} ms`);
    return outcome ?? { outcome: 'unknown' };
  } catch (fault) {
    if (parts.clock.now() < deliverBy) throw fault;
    parts.onFault(fault);
    return { outcome: 'unknown' };
  }
}

type Lost = {
  readonly job: Job;
  readonly startedAt: number | null;
  readonly deliverBy: number;
  /** Whether the provider has said something of the attempt. */
  readonly heard: boolean;
};

/** The place of a delivery among those that are taken. */
type Place = { readonly lockedBy: string; readonly id: string };
const beforeAll: Place = { lockedBy: '', id: '' };

type Looking = { readonly own: string; readonly behind: Place };

/** A part of them, in the order of the index of what is taken: by any other SQLite looks at every delivery there is, each second. */
async function findLost(read: Read, { own, behind }: Looking): Promise<Lost[]> {
  const rows = await read(
    `select d.id, d.notification_id, d.channel, d.attempts, d.locked_by, d.started_at, d.reminder, d.early_word,
        (select n.deliver_by from notification n where n.id = d.notification_id) as deliver_by
      from delivery d
      where d.status = 'sending' and d.locked_by <> $2 and (d.locked_by, d.id) > ($3, $4)
        and not exists (select 1 from lease l where l.name = d.locked_by and l.holder <> '')
      order by d.locked_by, d.id limit $1`,
    [lookedAtOnce, own, behind.lockedBy, behind.id],
  );
  return rows.map((row: Row) => ({
    job: jobOf(row),
    startedAt: wholeOrNull(row, 'started_at'),
    deliverBy: wholeField(row, 'deliver_by'),
    heard: row['early_word'] !== null,
  }));
}

/**
 * For a job that nobody will end and whose provider was not called: it keeps its place in the queue. The condition on
 * started_at is checked under the row's lock: see `markStarted`.
 */
export function putBackLost(job: Job): Statement {
  return {
    sql: `update delivery set status = 'queued', locked_by = null
      where id = $1 and attempts = $2 and locked_by = $3 and coalesce(status, '') = 'sending' and started_at is null returning id`,
    args: [job.id, job.attempts, job.lockedBy],
  };
}
