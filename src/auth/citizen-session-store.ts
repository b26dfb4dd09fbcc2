import { openSealed, SealBroken, seal } from '../crypto/chunked-encryption.ts';
import { type RootKey, UnknownRootKey } from '../crypto/root-key.ts';
import type { Database } from '../db/database.ts';
import { integerField, textField } from '../db/row-fields.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { sha256 } from '../kernel/hashing.ts';
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

type SessionDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Seals the tokens at rest. */
  readonly root: Pick<RootKey, 'id' | 'derive' | 'deriveForRoot'>;
};

const model = 'CitizenSession';
const secretBytes = 32;
const secretPattern = /^[\w-]{43}$/;
/** No token is taken for longer, whatever its issuer says. */
const maxSessionMs = accessTokenSeconds * 1_000;

/** So long a session is known to be over: then it is none. */
export const expiredSessionKeptMs = 3_600_000;

/**
 * Sessions as rows that all processes share, so that signing out ends one everywhere and at once. A row is found by the hash of
 * its secret, and its token is sealed for that place: who reads the database, or a backup, is nobody's citizen by that.
 */
export function createCitizenSessions({ db, clock, random, root }: SessionDeps): CitizenSessions {
  return {
    begin: async (accessToken, endsAt) => {
      const secret = Buffer.from(random(secretBytes)).toString('base64url');
      const id = idOf(secret);
      const now = clock.now();
      const sealed = seal(root.derive('citizen-sessions'), contextOf(id), Buffer.from(accessToken), random);
      await db.write([
        {
          sql: 'insert into oauth_record (model, id, payload, expires_at) values ($1, $2, $3, $4)',
          args: [model, id, `${root.id}.${sealed.toString('base64url')}`, Math.min(endsAt, now + maxSessionMs)],
        },
        {
          // So many that were over long ago go with each new one; by the index of sessions alone.
          sql: `delete from oauth_record where model = 'CitizenSession' and id in
            (select id from oauth_record where model = 'CitizenSession' and expires_at < $1 order by expires_at limit 20)`,
          args: [now - expiredSessionKeptMs],
        },
      ]);
      return secret;
    },
    find: async (secret) => {
      if (!secretPattern.test(secret)) return undefined;
      const id = idOf(secret);
      const [row] = await db.read('select payload, expires_at from oauth_record where model = $1 and id = $2', [
        model,
        id,
      ]);
      if (row === undefined) return undefined;
      const token = decryptToken(root, id, textField(row, 'payload'));
      if (token === undefined) return undefined;
      return integerField(row, 'expires_at') <= clock.now() ? 'over' : { token };
    },
    end: async (secret) => {
      if (!secretPattern.test(secret)) return;
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
function decryptToken(root: SessionDeps['root'], id: string, payload: string): string | undefined {
  const [rootId = '', sealed = ''] = payload.split('.', 2);
  try {
    const key = root.deriveForRoot(rootId, 'citizen-sessions');
    return openSealed(key, contextOf(id), Buffer.from(sealed, 'base64url')).toString('utf8');
  } catch (fault) {
    if (fault instanceof SealBroken || fault instanceof UnknownRootKey) return undefined;
    throw fault;
  }
}
