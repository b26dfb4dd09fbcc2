import { openSealed, SealBroken, seal } from '../crypto/chunked-encryption.ts';
import { type RootKey, UnknownRootKey } from '../crypto/root-key.ts';
import type { Database, Statement } from '../db/database.ts';
import { integerField, textField } from '../db/row-fields.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { sha256 } from '../kernel/hashing.ts';
import { accessTokenSeconds } from './access-token.ts';
import type { IssuedToken } from './issuer-sign-in.ts';

/** The sessions of people who signed in on the pages. */
export type PageSessions = {
  /** Starts a session and returns the secret for the browser. */
  begin(session: NewSession): Promise<string>;
  /** The session with that secret; undefined if it does not exist or the person signed out. Extends a session that is in use. */
  find(secret: string): Promise<FoundSession | undefined>;
  /**
   * Claims the refresh of the access token until `until` (epoch ms), so that one process at a time uses the refresh token. Undefined if
   * another process was faster or the person signed out.
   */
  claimRefresh(secret: string, session: PageSession, until: number): Promise<PageSession | undefined>;
  /**
   * Ends the claim with a new token, or without one if the issuer declined; the refresh token is then deleted. False if the session
   * ended meanwhile.
   */
  endRefresh(secret: string, claimed: PageSession, issued: IssuedToken | undefined): Promise<boolean>;
  end(secret: string): Promise<void>;
};

/** The person and the tokens of a new session. `renewed`: the session before it, if the person did not sign in again. */
type NewSession = {
  readonly personId: string;
  readonly issued: IssuedToken;
  readonly renewed?: Pick<SessionContent, 'startedAt' | 'signInId'> | undefined;
};

type SessionContent = {
  readonly personId: string;
  /** When the person signed in, in epoch milliseconds. */
  readonly startedAt: number;
  /** Identifies the sign-in in the access log. Renewals and new tokens do not change it. */
  readonly signInId: string;
  readonly token: string;
  readonly tokenEndsAt: number;
  /** When half of the life of the token is over, and the pages request the next one. */
  readonly renewAt: number;
  readonly refreshToken?: string | undefined;
  /** Until then, one process exchanges the refresh token. */
  readonly refreshingUntil: number;
};

/** A session, and when it ends if it is not used again (epoch milliseconds). */
export type PageSession = SessionContent & {
  readonly endsAt: number;
  /** The stored text, which a change replaces only if no other process has changed it. */
  readonly stored: string;
};

/** A session, or the person of a session that has expired. */
export type FoundSession = PageSession | ExpiredSession;
/** A session that has expired. It is stored for another hour, so that a page can say that it has expired. */
export type ExpiredSession = { readonly over: true; readonly personId: string };

type SessionDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly root: Pick<RootKey, 'id' | 'derive' | 'deriveForRoot'>;
  readonly kind: SessionKind;
};

/** The people of the sessions. Each kind has its own key and rows, so that a session of one kind is unknown to the other. */
export type SessionKind = 'citizen' | 'staff';

const models = { citizen: 'CitizenSession', staff: 'StaffSession' } as const;
const purposes = { citizen: 'citizen-sessions', staff: 'staff-sessions' } as const;
/** The SQL contains the models as literals, so that the database uses the partial indexes of sessions. */
const deleteExpired = {
  citizen: `delete from oauth_record where model = 'CitizenSession' and id in
    (select id from oauth_record where model = 'CitizenSession' and expires_at < $1 order by expires_at limit 20)`,
  staff: `delete from oauth_record where model = 'StaffSession' and id in
    (select id from oauth_record where model = 'StaffSession' and expires_at < $1 order by expires_at limit 20)`,
} as const;

const secretBytes = 32;
const idBytes = 16;
const secretPattern = /^[\w-]{43}$/;
/** The longest use of an access token, even if the issuer states a longer life. */
const maxTokenMs = accessTokenSeconds * 1_000;

/** A session ends after this time without a request. */
export const sessionIdleMs = 30 * 60_000;
/** A session ends after this time, even if it is in use. */
export const maxSessionMs = 8 * 3_600_000;
/** An expired session is reported as expired for this long; then it is unknown. */
export const expiredSessionKeptMs = 3_600_000;
/** The end of a session in use is stored at most once in this time. */
const extensionMs = 60_000;

/** Creates the session store. Its rows contain only the hash of the secret and encrypted tokens, so their reader cannot use a session. */
export function createPageSessions(deps: SessionDeps): PageSessions {
  const { db, clock, random, kind } = deps;
  const model = models[kind];
  const idOf = (secret: string) => idOfSecret(kind, secret);
  return {
    begin: async ({ personId, issued, renewed }) => {
      const { startedAt, signInId } = renewed ?? { startedAt: clock.now(), signInId: randomText(random, idBytes) };
      const secret = randomText(random, secretBytes);
      const id = idOf(secret);
      const content = { personId, startedAt, signInId, refreshingUntil: 0, ...tokensOf(issued, clock.now()) };
      const payload = sealContent(deps, id, content);
      await db.write([
        {
          sql: 'insert into oauth_record (model, id, payload, expires_at, citizen_id) values ($1, $2, $3, $4, $5)',
          args: [model, id, payload, idleEnd(clock, startedAt), kind === 'citizen' ? personId : null],
        },
        // Each new session deletes some old ones.
        { sql: deleteExpired[kind], args: [clock.now() - expiredSessionKeptMs] },
      ]);
      return secret;
    },
    find: async (secret) => (secretPattern.test(secret) ? await findSession(deps, idOf(secret)) : undefined),
    claimRefresh: async (secret, { endsAt, stored, ...content }, until) => {
      const claimed = { ...content, refreshingUntil: until };
      const payload = await replaceContent(deps, { id: idOf(secret), stored, content: claimed });
      return payload === undefined ? undefined : { ...claimed, endsAt, stored: payload };
    },
    endRefresh: async (secret, { endsAt: _endsAt, stored, refreshToken, ...content }, issued) => {
      const kept = { ...content, refreshingUntil: 0 };
      // An issuer that rotates refresh tokens sends the next one; others expect the same one again.
      const next = issued && { ...kept, refreshToken, ...withoutUndefined(tokensOf(issued, clock.now())) };
      return (await replaceContent(deps, { id: idOf(secret), stored, content: next ?? kept })) !== undefined;
    },
    end: async (secret) => {
      if (!secretPattern.test(secret)) return;
      await db.write([{ sql: 'delete from oauth_record where model = $1 and id = $2', args: [model, idOf(secret)] }]);
    },
  };
}

const randomText = (random: RandomBytes, length: number) => Buffer.from(random(length)).toString('base64url');

async function findSession({ db, clock, root, kind }: SessionDeps, id: string): Promise<FoundSession | undefined> {
  const sql = 'select payload, expires_at from oauth_record where model = $1 and id = $2';
  const [row] = await db.read(sql, [models[kind], id]);
  if (row === undefined) return undefined;
  const stored = textField(row, 'payload');
  const content = openContent({ root, kind }, id, stored);
  if (content === undefined) return undefined;
  const storedEnd = integerField(row, 'expires_at');
  if (storedEnd <= clock.now()) return { over: true, personId: content.personId };
  const laterEnd = idleEnd(clock, content.startedAt);
  if (laterEnd - storedEnd < extensionMs) return { ...content, endsAt: storedEnd, stored };
  const extension = 'update oauth_record set expires_at = $1 where model = $2 and id = $3 and expires_at < $1';
  await db.write([{ sql: extension, args: [laterEnd, models[kind], id] }]);
  return { ...content, endsAt: laterEnd, stored };
}

type Replacement = { readonly id: string; readonly stored: string; readonly content: SessionContent };

/** Stores the content if the row still has the text that was read. Returns the new text; undefined if it has not. */
async function replaceContent(deps: SessionDeps, { id, stored, content }: Replacement): Promise<string | undefined> {
  const payload = sealContent(deps, id, content);
  const sql = 'update oauth_record set payload = $1 where model = $2 and id = $3 and payload = $4 returning id';
  const [changed = []] = await deps.db.write([{ sql, args: [payload, models[deps.kind], id, stored] }]);
  return changed.length === 1 ? payload : undefined;
}

function sealContent({ root, random, kind }: SessionDeps, id: string, content: SessionContent): string {
  const bytes = Buffer.from(JSON.stringify(content));
  return `${root.id}.${seal(root.derive(purposes[kind]), contextOf(id), bytes, random).toString('base64url')}`;
}

const idleEnd = (clock: Clock, startedAt: number) => Math.min(clock.now() + sessionIdleMs, startedAt + maxSessionMs);

/** Deletes the sessions of a citizen, whose data are being erased. */
export function deleteSessionsOf(citizenId: string): Statement {
  return { sql: 'delete from oauth_record where citizen_id = $1', args: [citizenId], erase: true };
}

const idOfSecret = (kind: SessionKind, secret: string) =>
  sha256(Buffer.from(`${kind}-session\0${secret}`)).toString('base64url');
const contextOf = (id: string) => `citizen-services/session@v2\0${id}`;

function tokensOf({ accessToken, endsAt, refreshToken }: IssuedToken, now: number) {
  const tokenEndsAt = Math.min(endsAt, now + maxTokenMs);
  return { token: accessToken, tokenEndsAt, renewAt: now + Math.floor((tokenEndsAt - now) / 2), refreshToken };
}

function withoutUndefined({ refreshToken, ...tokens }: ReturnType<typeof tokensOf>) {
  return refreshToken === undefined ? tokens : { ...tokens, refreshToken };
}

/** Decrypts a session with the root key that encrypted it; undefined if that root key is gone. */
function openContent(
  { root, kind }: Pick<SessionDeps, 'root' | 'kind'>,
  id: string,
  payload: string,
): SessionContent | undefined {
  const [rootId = '', sealed = ''] = payload.split('.', 2);
  try {
    const key = root.deriveForRoot(rootId, purposes[kind]);
    const text = openSealed(key, contextOf(id), Buffer.from(sealed, 'base64url')).toString('utf8');
    // This store wrote it, and it was authenticated.
    return JSON.parse(text) as SessionContent;
  } catch (fault) {
    if (fault instanceof SealBroken || fault instanceof UnknownRootKey) return undefined;
    throw fault;
  }
}
