import { openSealed, SealBroken, seal } from '../crypto/chunked-encryption.ts';
import { type RootKey, UnknownRootKey } from '../crypto/root-key.ts';
import type { Database } from '../db/database.ts';
import { integerField, textField } from '../db/row-fields.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { sha256 } from '../kernel/hashing.ts';
import { accessTokenSeconds } from './access-token.ts';

/** The sessions of citizens who signed in on the pages. */
export type CitizenSessions = {
  /** Starts a session for an access token that is valid until `endsAt` (epoch ms); returns the secret for the browser. */
  begin(accessToken: string, endsAt: number): Promise<string>;
  /** The session with that secret; undefined if it does not exist or the citizen signed out. */
  find(secret: string): Promise<FoundSession | undefined>;
  end(secret: string): Promise<void>;
};

/** The access token of a session, or that the session has expired. */
export type FoundSession = { readonly token: string } | 'over';

type SessionDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly root: Pick<RootKey, 'id' | 'derive' | 'deriveForRoot'>;
};

const model = 'CitizenSession';
const secretBytes = 32;
const secretPattern = /^[\w-]{43}$/;
/** The longest session, whatever life the issuer states. */
const maxSessionMs = accessTokenSeconds * 1_000;

/** An expired session is reported as expired for this long; then it is unknown. */
export const expiredSessionKeptMs = 3_600_000;

/** Creates the session store. Its rows contain the hash of the secret and the encrypted token, so that they open no session. */
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
          // Each new session deletes some old ones. The model is a literal, so that the partial index of sessions is used.
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

/** Decrypts the token with the root key that encrypted it; undefined if that root key is gone. */
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
