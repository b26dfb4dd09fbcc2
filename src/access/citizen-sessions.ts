import type { Clock, Random } from '../kernel/clock.ts';
import { sha256 } from '../kernel/hashing.ts';
import { open, SealBroken, seal } from '../keys/chunked-encryption.ts';
import type { Db } from '../store/db.ts';
import { textField, wholeField } from '../store/row-fields.ts';
import { accessTokenSeconds } from './access-token.ts';

/** The sessions of citizens who signed in on the pages. */
export type CitizenSessions = {
  /** Begins one for an access token that is good until `endsAt` (epoch ms); gives the secret for the citizen's browser. */
  begin(accessToken: string, endsAt: number): Promise<string>;
  /** The access token of the session with that secret; undefined where there is none, or none any more. */
  find(secret: string): Promise<string | undefined>;
  end(secret: string): Promise<void>;
};

type SessionRoom = {
  readonly db: Pick<Db, 'read' | 'write'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Seals the tokens at rest. */
  readonly key: Uint8Array;
};

const model = 'CitizenSession';
const secretBytes = 32;
const secretForm = /^[\w-]{43}$/;
/** No token is taken for longer, whatever its issuer says. */
const longestMs = accessTokenSeconds * 1_000;
/** So many that have ended go with each new one. */
const clearedAtOnce = 20;

/**
 * Sessions as rows that all processes share, so that signing out ends one everywhere and at once. A row is found by the hash of
 * its secret, and its token is sealed for that place: who reads the database, or a backup, is nobody's citizen by that.
 */
export function createCitizenSessions({ db, clock, random, key }: SessionRoom): CitizenSessions {
  return {
    begin: async (accessToken, endsAt) => {
      const secret = Buffer.from(random(secretBytes)).toString('base64url');
      const id = idOf(secret);
      const now = clock.now();
      const sealed = seal(key, contextOf(id), Buffer.from(accessToken), random).toString('base64url');
      await db.write([
        {
          sql: 'insert into oauth_record (model, id, payload, expires_at) values ($1, $2, $3, $4)',
          args: [model, id, sealed, Math.min(endsAt, now + longestMs)],
        },
        {
          sql: `delete from oauth_record where model = $1 and id in
            (select id from oauth_record where model = $1 and expires_at < $2 order by expires_at limit ${clearedAtOnce})`,
          args: [model, now],
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
      if (row === undefined || wholeField(row, 'expires_at') <= clock.now()) return undefined;
      return openedOrNone(key, id, textField(row, 'payload'));
    },
    end: async (secret) => {
      if (!secretForm.test(secret)) return;
      await db.write([{ sql: 'delete from oauth_record where model = $1 and id = $2', args: [model, idOf(secret)] }]);
    },
  };
}

const idOf = (secret: string) => sha256(Buffer.from(`citizen-session\0${secret}`)).toString('base64url');
const contextOf = (id: string) => `citizen-services/session@v1\0${id}`;

/** A session from before the root key was replaced is one that has ended. */
function openedOrNone(key: Uint8Array, id: string, sealed: string): string | undefined {
  try {
    return open(key, contextOf(id), Buffer.from(sealed, 'base64url')).toString('utf8');
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}
