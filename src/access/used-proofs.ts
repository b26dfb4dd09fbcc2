import { createHash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { type Db, WriteRefused } from '../store/db.ts';

/** Remembers proofs that were used; gives whether this is the first use. `endsAt`: from when on it is refused anyway. */
export type UsedProofs = (owner: string, jti: string, endsAt: number) => Promise<boolean>;

const cleanEveryMs = 60_000;

/**
 * The used assertions or proofs of all processes, as rows. The primary key decides, not an earlier look: of two requests
 * with one proof at the same time, in whatever process, one is refused; and a restart forgets nothing. Memory would cost
 * no write, but a copy of the request sent to another process would find it empty.
 */
export function createUsedProofs(
  { db, clock }: { readonly db: Pick<Db, 'write'>; readonly clock: Clock },
  model: 'ReplayDetection' | 'DPoP',
): UsedProofs {
  let cleanedAt = clock.now();
  return async (owner, jti, endsAt) => {
    const now = clock.now();
    const id = createHash('sha256').update(`${owner}\0${jti}`).digest('base64url');
    const insert = {
      sql: `insert into oauth_record (model, id, payload, expires_at) values ($1, $2, '{}', $3)
        on conflict (model, id) do nothing returning id`,
      args: [model, id, endsAt],
      rows: 1,
    };
    const cleaning = now - cleanedAt >= cleanEveryMs;
    if (cleaning) cleanedAt = now;
    const clean = { sql: 'delete from oauth_record where expires_at < $1', args: [now] };
    try {
      await db.write(cleaning ? [insert, clean] : [insert]);
      return true;
    } catch (fault) {
      if (fault instanceof WriteRefused && fault.kind === 'rows') return false;
      throw fault;
    }
  };
}
