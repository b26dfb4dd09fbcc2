import { createHash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { type Db, WriteRefused } from '../store/db.ts';

/** Remembers proofs that were used; gives whether this is the first use. `endsAt`: from when on it is refused anyway. */
export type UsedProofs = (owner: string, jti: string, endsAt: number) => Promise<boolean>;

const cleanEveryMs = 60_000;
/** So many that have ended go with one use, which others wait for; where there are more, the next use takes them out. */
const cleanedAtOnce = 100;

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
  let atWork = false;
  return async (owner, jti, endsAt) => {
    const now = clock.now();
    const id = createHash('sha256').update(`${owner}\0${jti}`).digest('base64url');
    const insert = {
      sql: `insert into oauth_record (model, id, payload, expires_at) values ($1, $2, '{}', $3)
        on conflict (model, id) do nothing returning id`,
      args: [model, id, endsAt],
      rows: 1,
    };
    const cleaning = !atWork && now - cleanedAt >= cleanEveryMs;
    const clean = {
      sql: `delete from oauth_record where (model, id) in
        (select model, id from oauth_record where expires_at < $1 order by expires_at limit ${cleanedAtOnce}) returning id`,
      args: [now],
    };
    atWork ||= cleaning;
    try {
      const [, cleaned = []] = await db.write(cleaning ? [insert, clean] : [insert]);
      if (cleaning && cleaned.length < cleanedAtOnce) cleanedAt = now;
      return true;
    } catch (fault) {
      if (fault instanceof WriteRefused && fault.kind === 'rows') return false;
      throw fault;
    } finally {
      if (cleaning) atWork = false;
    }
  };
}
