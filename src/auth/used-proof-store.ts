import { hash } from 'node:crypto';
import { type Database, type Statement, WriteRefused } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';

/** Marks a proof or assertion as used; resolves to whether this is its first use. From `endsAt` on (epoch ms) it is refused anyway. */
export type IsFirstUse = (owner: string, jti: string, endsAt: number) => Promise<boolean>;

/**
 * Rows stay this long after their end: longer than any proof or assertion is valid. Otherwise a clock that jumps ahead and is
 * corrected would forget used proofs that become valid again.
 */
const retentionMs = 6 * 60_000;
/** One use deletes at most this number of ended rows, since it waits for the deletion. The next uses delete more. */
const cleanupBatchSize = 100;

type ReplayDetectorDeps = {
  readonly db: Pick<Database, 'write'>;
  readonly clock: Clock;
  /** Monotonic milliseconds; those of the machine by default. */
  readonly stopwatch?: () => number;
};

/**
 * Creates the store of used assertions (`ReplayDetection`) or DPoP proofs (`DPoP`), which all processes share. The primary key
 * of the row decides: of two requests with one proof, in any two processes, one is refused. A restart forgets nothing.
 */
export function createReplayDetector(deps: ReplayDetectorDeps, model: 'ReplayDetection' | 'DPoP'): IsFirstUse {
  const cleanup = createCleanup(deps);
  return async (owner, jti, endsAt) => {
    const id = hash('sha256', `${owner}\0${jti}`, 'base64url');
    const insert = {
      sql: `insert into oauth_record (model, id, payload, expires_at) values ($1, $2, '{}', $3)
        on conflict (model, id) do nothing returning id`,
      args: [model, id, endsAt],
      rows: 1,
    };
    const deletion = cleanup.begin();
    try {
      const [, deleted = []] = await deps.db.write(deletion === undefined ? [insert] : [insert, deletion]);
      if (deletion !== undefined) cleanup.finish(deleted.length);
      return true;
    } catch (fault) {
      if (deletion !== undefined) cleanup.finish(cleanupBatchSize);
      if (fault instanceof WriteRefused && fault.kind === 'rows') return false;
      throw fault;
    }
  };
}

/** Deletes ended rows in batches, one at a time, together with the insertion of used proofs. */
function createCleanup({ clock, stopwatch = () => performance.now() }: ReplayDetectorDeps) {
  // The clock at the last sample. The clock may have been set since then.
  let sample = { at: stopwatch(), now: clock.now() };
  let endedBefore: number | undefined;
  let isRunning = false;

  function takeSample(): void {
    const [at, now] = [stopwatch(), clock.now()];
    if (at - sample.at < retentionMs) return;
    endedBefore = Math.min(sample.now, now);
    sample = { at, now };
  }

  return {
    /** The statement that deletes a batch; undefined if none is due. */
    begin(): Statement | undefined {
      takeSample();
      if (isRunning || endedBefore === undefined) return undefined;
      isRunning = true;
      return {
        sql: `delete from oauth_record where (model, id) in
          (select model, id from oauth_record where expires_at < $1 order by expires_at limit ${cleanupBatchSize})
          returning id`,
        args: [endedBefore],
      };
    },
    finish(deletedRows: number): void {
      isRunning = false;
      if (deletedRows < cleanupBatchSize) endedBefore = undefined;
    },
  };
}
