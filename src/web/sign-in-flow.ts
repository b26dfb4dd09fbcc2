import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { acceptedAlgs } from '../auth/client-keys.ts';
import { describeToken } from '../auth/describe-token.ts';
import type { IssuerSignIn } from '../auth/issuer-sign-in.ts';
import {
  type ExpiredSession,
  expiredSessionKeptMs,
  maxSessionMs,
  type PageSession,
  type PageSessions,
  type SessionKind,
} from '../auth/page-session-store.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { createLruCache } from '../kernel/lru-cache.ts';
import { requestQuery } from '../kernel/request-target.ts';
import type { Cookies } from './browser-cookies.ts';
import { createSessionRefresh } from './session-refresh.ts';
import { attemptSecret, createAttempt, findAttempt } from './sign-in-attempt.ts';

/** Paths of the citizen pages. */
export const citizenPaths = {
  home: '/me',
  messages: '/me/messages',
  download: '/me/download',
  documents: '/me/documents',
  uses: '/me/uses',
  usesTable: '/me/uses/table.csv',
  usesProofs: '/me/uses/proofs.json',
  record: '/me/record',
  lock: '/me/record/lock',
  unlock: '/me/record/unlock',
  walletLinks: '/me/record/wallet',
  contact: '/me/contact',
  stay: '/me/stay',
  signIn: '/me/sign-in',
  returned: '/me/sign-in/return',
  signOut: '/me/sign-out',
} as const;

/** The pages of one kind of people. Each kind has its own cookies, so that one browser can be signed in as both. */
export type SignInArea = {
  readonly kind: SessionKind;
  /** The first page. The issuer redirects to it after a sign-out. */
  readonly home: string;
  /** The path and query of a page to which a sign-in may lead back. */
  readonly pages: RegExp;
  /** The requirements of an access token of the issuer, for the message of a fault. */
  readonly tokenRule: string;
};

/** The pages of citizens. */
export const citizenArea: SignInArea = {
  kind: 'citizen',
  home: citizenPaths.home,
  pages:
    /^\/me(?:\/messages\/[\w-]{1,64}(?:\/download)?|\/download|\/documents(?:\/[\w-]{1,64})?|\/uses(?:\/(?:table\.csv|proofs\.json))?|\/record(?:\/(?:(?:un)?lock|wallet))?|\/contact(?:\/[a-z-]{1,16}){0,2}|\/stay)?(?:\?[\w=&%.~+-]{0,200})?$/,
  tokenRule:
    'It must be for SIGN_IN_CLIENT_ID and the audience PUBLIC_URL/v1, and have the scopes citizen:self and documents:read.',
};

/**
 * The names of the cookies. `attempt` has the secret of all attempts of a browser to sign in. `finished` has the hash of the state of
 * the last attempt that succeeded, so that a callback which is loaded again sends no code twice. `renewal` is set after a renewal
 * attempt, so that a browser makes at most one a minute, whatever the issuer answers.
 */
const cookieNames = ({ kind }: SignInArea) => ({
  session: `${kind}-session`,
  attempt: `${kind}-sign-in`,
  finished: `${kind}-signed-in`,
  renewal: `${kind}-renewal`,
});

/** A token states its end in whole seconds, so a token that is about to expire is not used. */
const tokenMarginMs = 1_000;
const renewalSeconds = 60;
/** Requests of one person in all sessions within 10 s. One person must not use up the quota of the pages. */
const requestLimit = { requests: 100, inMs: 10_000, people: 10_000 };
/** The server remembers an expired session for some time, so the browser keeps the cookie for the longest session and this time. */
const sessionSeconds = (maxSessionMs + expiredSessionKeptMs) / 1_000;
/**
 * At least 900 seconds to sign in at the issuer. It outlives the session cookie, so that several tabs that renew a session at the
 * same time have the same secret.
 */
const attemptSeconds = sessionSeconds + 900;

/** The person of an issuer's token; `nobody` if it names none; undefined if the token is not valid here. */
export type Admission = { readonly personId: string } | 'nobody' | undefined;

/** The state of a browser: not signed in, signed out, too many requests, expired, or signed in. */
export type Visitor = 'nobody' | 'ended' | 'too-many' | ExpiredVisitor | ActiveVisitor;

/** `token`: the issuer may renew the session without interaction. `session`: the person must sign in again. */
export type ExpiredVisitor = { readonly expired: 'token' | 'session'; readonly personId: string };

/** A person with an active session. */
export type ActiveVisitor = {
  readonly token: string;
  readonly personId: string;
  /** The sign-in, as in `PageSession`. */
  readonly signInId: string;
  /** When the session ends without another request, in epoch milliseconds. */
  readonly endsAt: number;
  /** Whether only the issuer can extend the session, and whether half of the life of the token is over. */
  readonly renewal: 'not-needed' | 'possible' | 'due';
};

/** The result of a step: the URL and the cookies of the redirect, or the reason of a failure. */
export type SignInResult = { readonly to: string; readonly cookies: readonly string[] } | SignInFailure;

/** `to` is the requested page. `over`: the issuer has no session of the person any more. */
export type SignInFailure = {
  readonly failed: 'broken-off' | 'unknown-person' | 'over';
  readonly to: string;
  readonly cookies: readonly string[];
};

/** Signs people in and out; the state is in the cookies of the browser. */
export type SignInFlow = {
  /** `ended` means signed out or unknown. Refreshes an access token whose life is half over, if the issuer gave a refresh token. */
  visitorOf(request: IncomingMessage): Promise<Visitor>;
  begin(request: IncomingMessage): Promise<SignInResult>;
  /**
   * Renews a session through the issuer without interaction, and returns to the page `to`. Undefined if a renewal was tried within
   * the last minute.
   */
  renew(request: IncomingMessage, to: string): Promise<SignInResult | undefined>;
  /**
   * Exchanges the code of the issuer. A callback that is loaded again, or that this browser did not begin, leads a signed-in person
   * to the requested page.
   */
  finish(request: IncomingMessage): Promise<SignInResult>;
  /** Ends the session, if there is one, and returns the cookies to set. */
  end(request: IncomingMessage): Promise<readonly string[]>;
};

type SignInFlowDeps = {
  readonly area: SignInArea;
  readonly signIn: IssuerSignIn;
  readonly sessions: PageSessions;
  readonly cookies: Cookies;
  /** The person of an access token. */
  readonly admit: (accessToken: string) => Promise<Admission>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  onFault(fault: unknown): void;
  /** Monotonic milliseconds; `performance.now` by default. */
  readonly stopwatch?: () => number;
};

/** Each sign-in creates a new session secret, so that an attacker cannot set it in advance (session fixation). */
export function createSignInFlow(deps: SignInFlowDeps): SignInFlow {
  const { area, signIn, sessions, cookies, random, onFault } = deps;
  const names = cookieNames(area);
  const attemptSecretOf = ({ headers }: IncomingMessage) => cookies.read(headers.cookie, names.attempt);
  const secretOf = ({ headers }: IncomingMessage) => cookies.read(headers.cookie, names.session);
  const visitorOf = createVisitorCheck(deps, secretOf);

  async function startSignIn(request: IncomingMessage, wanted: string | null, silently: boolean) {
    const secret = attemptSecret(attemptSecretOf(request), random);
    const attempt = createAttempt(secret, { to: safeReturnPath(area, wanted), silently }, random);
    const { url } = await signIn.begin({ attempt, silently });
    return { to: url, cookies: [cookies.write(names.attempt, secret, attemptSeconds)] };
  }

  async function endSession(request: IncomingMessage): Promise<readonly string[]> {
    const secret = secretOf(request);
    if (secret === undefined) return [];
    const found = await sessions.find(secret);
    await sessions.end(secret);
    // The session has ended here in any case.
    if (found !== undefined && 'refreshToken' in found && found.refreshToken !== undefined)
      await signIn.revoke(found.refreshToken).catch(onFault);
    return [cookies.clear(names.session), cookies.clear(names.attempt)];
  }

  /** A person who is signed in goes on to the requested page. */
  async function unlessSignedIn(request: IncomingMessage, failure: SignInFailure): Promise<SignInResult> {
    const visitor = await visitorOf(request);
    return typeof visitor === 'object' && 'token' in visitor ? { to: failure.to, cookies: [] } : failure;
  }

  return {
    visitorOf,
    begin: async (request) =>
      await startSignIn(request, new URLSearchParams(requestQuery(request.url)).get('to'), false),
    renew: async (request, to) => {
      if (cookies.read(request.headers.cookie, names.renewal) !== undefined) return undefined;
      const { cookies: attemptCookies, ...step } = await startSignIn(request, to, true);
      return { ...step, cookies: [...attemptCookies, cookies.write(names.renewal, 'tried', renewalSeconds)] };
    },
    finish: async (request) => {
      const query = requestQuery(request.url);
      const state = new URLSearchParams(query).get('state') ?? '';
      const pending = findAttempt(attemptSecretOf(request), state);
      // A callback of another browser, which an attacker may have begun, must not sign in this one (login CSRF).
      if (pending === undefined || cookies.read(request.headers.cookie, names.finished) === finishedMark(state)) {
        const to = pending?.to ?? area.home;
        return await unlessSignedIn(request, { failed: 'broken-off', to, cookies: [] });
      }
      const result = await finishSignIn(deps, { pending, query, previousSecret: secretOf(request) });
      return isDeclined(result) ? await unlessSignedIn(request, result) : result;
    },
    end: endSession,
  };
}

type SecretOf = (request: IncomingMessage) => string | undefined;

/** Returns the function that finds the state of a browser, and refreshes an access token if it is due. */
function createVisitorCheck(deps: SignInFlowDeps, secretOf: SecretOf): SignInFlow['visitorOf'] {
  const { sessions, admit, clock } = deps;
  const refreshed = createSessionRefresh(deps);
  const allowsRequest = createRequestLimit(deps.stopwatch ?? (() => performance.now()));
  return async (request) => {
    const secret = secretOf(request);
    if (secret === undefined) return 'nobody';
    const found = await sessions.find(secret);
    const session = found === undefined || isOver(found) ? found : await refreshed(secret, found);
    if (session === undefined) return 'ended';
    if (isOver(session)) return { expired: 'session', personId: session.personId };
    if (session.tokenEndsAt - tokenMarginMs <= clock.now()) return { expired: 'token', personId: session.personId };
    const admission = await admit(session.token);
    if (admission === undefined) return { expired: 'session', personId: session.personId };
    if (typeof admission !== 'object' || admission.personId !== session.personId) return 'ended';
    return allowsRequest(admission.personId) ? signedInCitizen(session, clock.now()) : 'too-many';
  };
}

const isOver = (found: PageSession | ExpiredSession): found is ExpiredSession => 'over' in found;

function signedInCitizen(session: PageSession, now: number): ActiveVisitor {
  const { token, personId, signInId, endsAt, tokenEndsAt, refreshToken, renewAt } = session;
  const known = { token, personId, signInId };
  if (refreshToken !== undefined) return { ...known, endsAt, renewal: 'not-needed' };
  return { ...known, endsAt: Math.min(endsAt, tokenEndsAt), renewal: now < renewAt ? 'possible' : 'due' };
}

type SignInCallback = {
  readonly pending: NonNullable<ReturnType<typeof findAttempt>>;
  readonly query: string;
  readonly previousSecret: string | undefined;
};

async function finishSignIn(
  { area, signIn, sessions, cookies, admit }: SignInFlowDeps,
  { pending, query, previousSecret }: SignInCallback,
): Promise<SignInResult> {
  const { to, silently, attempt } = pending;
  const names = cookieNames(area);
  const over = { failed: 'over', to, cookies: [cookies.clear(names.session)] } as const;
  const issued = await signIn.finish(query, attempt);
  if (issued === undefined) return silently ? over : { failed: 'broken-off', to, cookies: [] };
  const admission = await admit(issued.accessToken);
  if (admission === 'nobody') return { failed: 'unknown-person', to, cookies: [] };
  if (admission === undefined) throw new IssuerTokenRejected(area, issued.accessToken);
  const { personId } = admission;
  const previous = previousSecret === undefined ? undefined : await sessions.find(previousSecret);
  const renewed = previous !== undefined && !isOver(previous) && previous.personId === personId ? previous : undefined;
  // Only an explicit sign-in starts a new period of eight hours, or signs in another person.
  if (silently && renewed === undefined) return over;
  if (previousSecret !== undefined) await sessions.end(previousSecret);
  const secret = await sessions.begin({ personId, issued, renewed: silently ? renewed : undefined });
  const finished = cookies.write(names.finished, finishedMark(attempt.state), attemptSeconds);
  return { to, cookies: [cookies.write(names.session, secret, sessionSeconds), finished] };
}

const isDeclined = (result: SignInResult): result is SignInFailure =>
  'failed' in result && result.failed !== 'unknown-person';

const finishedMark = (state: string) => hash('sha256', state, 'base64url');

/** Counts the requests of each person, and returns whether one more is within the limit. */
function createRequestLimit(stopwatch: () => number): (personId: string) => boolean {
  const requestCounts = createLruCache<{ count: number; readonly since: number }>(requestLimit.people);
  return (personId) => {
    const now = stopwatch();
    const known = requestCounts.get(personId);
    const window = known !== undefined && now - known.since < requestLimit.inMs ? known : { count: 0, since: now };
    window.count += 1;
    requestCounts.set(personId, window);
    return window.count <= requestLimit.requests;
  };
}

class IssuerTokenRejected extends Error {
  override name = 'IssuerTokenRejected';
  constructor({ tokenRule }: SignInArea, accessToken: string) {
    super(
      `Expected an access token (RFC 9068) with the type at+jwt, signed with ${acceptedAlgs.join(', ')}, for at most ten minutes. ${tokenRule} Received ${describeToken(accessToken)}`,
    );
  }
}

/** Allows only known paths of the pages, so that a link cannot redirect to another site (open redirect). */
export function safeReturnPath({ pages, home }: Pick<SignInArea, 'pages' | 'home'>, wanted: string | null): string {
  return wanted !== null && pages.test(wanted) ? wanted : home;
}
