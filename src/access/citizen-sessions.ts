import type { Clock, Random } from '../kernel/clock.ts';
import { sha256 } from '../kernel/hashing.ts';
import { open, SealBroken, seal } from '../keys/chunked-encryption.ts';
import { type RootKey, UnknownRootKey } from '../keys/root-key.ts';
import type { Db } from '../store/db.ts';
import { textField, wholeField } from '../store/row-fields.ts';
import { accessTokenSeconds } from './access-token.ts';

/** The sessions of citizens who signed in on the pages. */
export type CitizenSessions = {
  /** Begins one for an access token that is good until `endsAt` (epoch ms); gives the secret for the citizen's browser. */
  begin(accessToken: string, endsAt: number): Promise<string>;
  /** The session with that secret; undefined where there is none, or it was ended. */
  find(secret: string): Promise<FoundSession | undefined>;
  end(secret: string): Promise<void>;
};

/** The access token of a session, or that its time is over. */
export type FoundSession = { readonly token: string } | 'over';

type SessionRoom = {
  readonly db: Pick<Db, 'read' | 'write'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Seals the tokens at rest. */
  readonly root: Pick<RootKey, 'id' | 'derive' | 'ofRoot'>;
};

const model = 'CitizenSession';
const secretBytes = 32;
const secretForm = /^[\w-]{43}$/;
/** No token is taken for longer, whatever its issuer says. */
const longestMs = accessTokenSeconds * 1_000;

/** So long a session is known to be over: then it is none. */
export const knownOverMs = 3_600_000;

/**
 * Sessions as rows that all processes share, so that signing out ends one everywhere and at once. A row is found by the hash of
 * its secret, and its token is sealed for that place: who reads the database, or a backup, is nobody's citizen by that.
 */
export function createCitizenSessions({ db, clock, random, root }: SessionRoom): CitizenSessions {
  return {
    begin: async (accessToken, endsAt) => {
      const secret = Buffer.from(random(secretBytes)).toString('base64url');
      const id = idOf(secret);
      const now = clock.now();
      const sealed = seal(root.derive('citizen-sessions'), contextOf(id), Buffer.from(accessToken), random);
      await db.write([
        {
          sql: 'insert into oauth_record (model, id, payload, expires_at) values ($1, $2, $3, $4)',
          args: [model, id, `${root.id}.${sealed.toString('base64url')}`, Math.min(endsAt, now + longestMs)],
        },
        {
          // So many that were over long ago go with each new one; by the index of sessions alone.
          sql: `delete from oauth_record where model = 'CitizenSession' and id in
            (select id from oauth_record where model = 'CitizenSession' and expires_at < $1 order by expires_at limit 20)`,
          args: [now - knownOverMs],
        },
      ]);
      return secret;
    },
    find: async (secret) => {
      if (!secretForm.test(secret)) return undefined;
      const id = idOf(secret);
      const [row] = await db.read('select payload, expires_at from oauth_record where model = $1 and id = $2', [
        model,
        id,
      ]);
      if (row === undefined) return undefined;
      const token = openedOrNone(root, id, textField(row, 'payload'));
      if (token === undefined) return undefined;
      return wholeField(row, 'expires_at') <= clock.now() ? 'over' : { token };
    },
    end: async (secret) => {
      if (!secretForm.test(secret)) return;
      await db.write([{ sql: 'delete from oauth_record where model = $1 and id = $2', args: [model, idOf(secret)] }]);
    },
  };
}

const idOf = (secret: string) => sha256(Buffer.from(`citizen-session\0${secret}`)).toString('base64url');
const contextOf = (id: string) => `citizen-services/session@v1\0${id}`;

/**
 * The token, opened under the root key that sealed it: during a rotation, processes change to the new root key at different
 * times. Undefined if that root key is gone; the session has then ended.
 */
function openedOrNone(root: SessionRoom['root'], id: string, payload: string): string | undefined {
  const [rootId = '', sealed = ''] = payload.split('.', 2);
  try {
    const key = root.ofRoot(rootId, 'citizen-sessions');
    return open(key, contextOf(id), Buffer.from(sealed, 'base64url')).toString('utf8');
  } catch (fault) {
    if (fault instanceof SealBroken || fault instanceof UnknownRootKey) return undefined;
    throw fault;
  }
}
