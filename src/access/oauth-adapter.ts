import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Clock } from '../kernel/clock.ts';
import { type Db, WriteRefused } from '../store/db.ts';

/** What the adapters of the authorization server need; `findClient` answers its metadata in the words of RFC 7591. */
export type AdapterRoom = {
  readonly db: Pick<Db, 'read' | 'write'>;
  readonly clock: Clock;
  readonly findClient: (clientId: string) => Promise<AdapterPayload | undefined>;
  /** Makes the error that the authorization server answers when a proof came twice. */
  readonly usedTwice: () => Error;
};

/** How long the id of a proof is remembered: longer than any that is accepted can live. */
const rememberMs = 900_000;
const cleanEveryMs = 60_000;

/**
 * The storage of oidc-provider, on our tables. Only what client credentials use is served: clients, and the ids of used
 * proofs. Access tokens are JWTs and are not stored. Whatever else is asked is a feature that is switched off.
 */
export function createOauthAdapter(room: AdapterRoom): (model: string) => Adapter {
  const replay = replayAdapter(room);
  const clients: Adapter = { ...nothing, find: room.findClient };
  return (model) => {
    if (model === 'Client') return clients;
    return model === 'ReplayDetection' ? replay : nothing;
  };
}

/**
 * Remembers used proofs. The primary key decides, not an earlier look: of two requests with one proof at the same time,
 * in whatever process, one is refused.
 */
function replayAdapter({ db, clock, usedTwice }: AdapterRoom): Adapter {
  let cleanedAt = clock.now();
  return {
    ...nothing,
    find: () => Promise.resolve(undefined),
    async upsert(id, payload) {
      const now = clock.now();
      const insert = {
        sql: `insert into oauth_record (model, id, payload, expires_at) values ('ReplayDetection', $1, $2, $3)
          on conflict (model, id) do nothing returning id`,
        args: [id, JSON.stringify(payload), now + rememberMs],
        rows: 1,
      };
      const cleaning = now - cleanedAt >= cleanEveryMs;
      if (cleaning) cleanedAt = now;
      const clean = { sql: 'delete from oauth_record where expires_at < $1', args: [now] };
      try {
        await db.write(cleaning ? [insert, clean] : [insert]);
      } catch (fault) {
        if (fault instanceof WriteRefused && fault.kind === 'rows') throw usedTwice();
        throw fault;
      }
    },
  };
}

const switchedOff = () => Promise.reject(new Error('this part of the authorization server is switched off'));
const nothing: Adapter = {
  find: switchedOff,
  upsert: switchedOff,
  findByUserCode: switchedOff,
  findByUid: switchedOff,
  consume: switchedOff,
  destroy: switchedOff,
  revokeByGrantId: switchedOff,
};
