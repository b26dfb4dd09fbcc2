import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  type CitizenSession,
  type CitizenSessions,
  type ExpiredSession,
  expiredSessionKeptMs,
  maxSessionMs,
} from '../auth/citizen-session-store.ts';
import type { CitizenSignIn } from '../auth/citizen-sign-in.ts';
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
  contact: '/me/contact',
  stay: '/me/stay',
  signIn: '/me/sign-in',
  returned: '/me/sign-in/return',
  signOut: '/me/sign-out',
} as const;

const sessionCookie = 'citizen-session';
/** Has the secret of all attempts of a browser to sign in. */
const attemptCookie = 'citizen-sign-in';
/** Has the hash of the state of the last attempt that succeeded, so that a callback which is loaded again sends no code twice. */
const finishedCookie = 'citizen-signed-in';
/** A token states its end in whole seconds, so a token that is about to expire is not used. */
const tokenMarginMs = 1_000;
/** Set after a renewal attempt, so that a browser makes at most one a minute, whatever the issuer answers. */
const renewalCookie = 'citizen-renewal';
const renewalSeconds = 60;
/** Requests of one citizen in all sessions within 10 s. One citizen must not use up the quota of the pages. */
const requestLimit = { requests: 100, inMs: 10_000, citizens: 10_000 };
/** The server remembers an expired session for some time, so the browser keeps the cookie for the longest session and this time. */
const sessionSeconds = (maxSessionMs + expiredSessionKeptMs) / 1_000;
/**
 * At least 900 seconds to sign in at the issuer. It outlives the session cookie, so that several tabs that renew a session at the
 * same time have the same secret.
 */
const attemptSeconds = sessionSeconds + 900;

/** The citizen of an issuer's token; `nobody` if it names none; undefined if the token is not valid here. */
export type Admission = { readonly citizenId: string } | 'nobody' | undefined;

/** The state of a browser: not signed in, signed out, too many requests, expired, or signed in. */
export type Visitor = 'nobody' | 'ended' | 'too-many' | ExpiredVisitor | SignedInCitizen;

/** `token`: the issuer may renew the session without interaction. `session`: the citizen must sign in again. */
export type ExpiredVisitor = { readonly expired: 'token' | 'session'; readonly citizenId: string };

/** A citizen with an active session. */
export type SignedInCitizen = {
  readonly token: string;
  readonly citizenId: string;
  /** When the session ends without another request, in epoch milliseconds. */
  readonly endsAt: number;
  /** Whether only the issuer can extend the session, and whether half of the life of the token is over. */
  readonly renewal: 'not-needed' | 'possible' | 'due';
};

/** The result of a step: the URL and the cookies of the redirect, or the reason of a failure. */
export type SignInResult = { readonly to: string; readonly cookies: readonly string[] } | SignInFailure;

/** `to` is the requested page. `over`: the issuer has no session of the citizen any more. */
export type SignInFailure = {
  readonly failed: 'broken-off' | 'unknown-person' | 'over';
  readonly to: string;
  readonly cookies: readonly string[];
};

/** Signs citizens in and out; the state is in the cookies of the browser. */
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
   * Exchanges the code of the issuer. A callback that is loaded again, or that this browser did not begin, leads a signed-in citizen
   * to the requested page.
   */
  finish(request: IncomingMessage): Promise<SignInResult>;
  /** Ends the session, if there is one, and returns the cookies to set. */
  end(request: IncomingMessage): Promise<readonly string[]>;
};

type SignInFlowDeps = {
  readonly signIn: CitizenSignIn;
  readonly sessions: CitizenSessions;
  readonly cookies: Cookies;
  /** The citizen of an access token. */
  readonly admit: (accessToken: string) => Promise<Admission>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  onFault(fault: unknown): void;
  /** Monotonic milliseconds; `performance.now` by default. */
  readonly stopwatch?: () => number;
};

/** Each sign-in creates a new session secret, so that an attacker cannot set it in advance (session fixation). */
export function createSignInFlow(deps: SignInFlowDeps): SignInFlow {
  const { signIn, sessions, cookies, random, onFault } = deps;
  const attemptSecretOf = ({ headers }: IncomingMessage) => cookies.read(headers.cookie, attemptCookie);
  const secretOf = ({ headers }: IncomingMessage) => cookies.read(headers.cookie, sessionCookie);
  const visitorOf = createVisitorCheck(deps, secretOf);

  async function startSignIn(request: IncomingMessage, wanted: string | null, silently: boolean) {
    const secret = attemptSecret(attemptSecretOf(request), random);
    const attempt = createAttempt(secret, { to: safeReturnPath(wanted), silently }, random);
    const { url } = await signIn.begin({ attempt, silently });
    return { to: url, cookies: [cookies.write(attemptCookie, secret, attemptSeconds)] };
  }

  async function endSession(request: IncomingMessage): Promise<readonly string[]> {
    const secret = secretOf(request);
    if (secret === undefined) return [];
    const found = await sessions.find(secret);
    await sessions.end(secret);
    // The session has ended here in any case.
    if (found !== undefined && 'refreshToken' in found && found.refreshToken !== undefined)
      await signIn.revoke(found.refreshToken).catch(onFault);
    return [cookies.clear(sessionCookie), cookies.clear(attemptCookie)];
  }

  /** A citizen who is signed in goes on to the requested page. */
  async function unlessSignedIn(request: IncomingMessage, failure: SignInFailure): Promise<SignInResult> {
    const visitor = await visitorOf(request);
    return typeof visitor === 'object' && 'token' in visitor ? { to: failure.to, cookies: [] } : failure;
  }

  return {
    visitorOf,
    begin: async (request) =>
      await startSignIn(request, new URLSearchParams(requestQuery(request.url)).get('to'), false),
    renew: async (request, to) => {
      if (cookies.read(request.headers.cookie, renewalCookie) !== undefined) return undefined;
      const { cookies: attemptCookies, ...step } = await startSignIn(request, to, true);
      return { ...step, cookies: [...attemptCookies, cookies.write(renewalCookie, 'tried', renewalSeconds)] };
    },
    finish: async (request) => {
      const query = requestQuery(request.url);
      const state = new URLSearchParams(query).get('state') ?? '';
      const pending = findAttempt(attemptSecretOf(request), state);
      // A callback of another browser, which an attacker may have begun, must not sign in this one (login CSRF).
      if (pending === undefined || cookies.read(request.headers.cookie, finishedCookie) === finishedMark(state)) {
        const to = pending?.to ?? citizenPaths.home;
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
    if (isOver(session)) return { expired: 'session', citizenId: session.citizenId };
    if (session.tokenEndsAt - tokenMarginMs <= clock.now()) return { expired: 'token', citizenId: session.citizenId };
    const admission = await admit(session.token);
    if (admission === undefined) return { expired: 'session', citizenId: session.citizenId };
    if (typeof admission !== 'object' || admission.citizenId !== session.citizenId) return 'ended';
    return allowsRequest(admission.citizenId) ? signedInCitizen(session, clock.now()) : 'too-many';
  };
}

const isOver = (found: CitizenSession | ExpiredSession): found is ExpiredSession => 'over' in found;

function signedInCitizen(session: CitizenSession, now: number): SignedInCitizen {
  const { token, citizenId, endsAt, tokenEndsAt, refreshToken, renewAt } = session;
  if (refreshToken !== undefined) return { token, citizenId, endsAt, renewal: 'not-needed' };
  return { token, citizenId, endsAt: Math.min(endsAt, tokenEndsAt), renewal: now < renewAt ? 'possible' : 'due' };
}

type SignInCallback = {
  readonly pending: NonNullable<ReturnType<typeof findAttempt>>;
  readonly query: string;
  readonly previousSecret: string | undefined;
};

async function finishSignIn(
  { signIn, sessions, cookies, admit }: SignInFlowDeps,
  { pending, query, previousSecret }: SignInCallback,
): Promise<SignInResult> {
  const { to, silently, attempt } = pending;
  const over = { failed: 'over', to, cookies: [cookies.clear(sessionCookie)] } as const;
  const issued = await signIn.finish(query, attempt);
  if (issued === undefined) return silently ? over : { failed: 'broken-off', to, cookies: [] };
  const admission = await admit(issued.accessToken);
  if (admission === 'nobody') return { failed: 'unknown-person', to, cookies: [] };
  if (admission === undefined) throw new IssuerTokenRejected();
  const { citizenId } = admission;
  const previous = previousSecret === undefined ? undefined : await sessions.find(previousSecret);
  const renewed =
    previous !== undefined && !isOver(previous) && previous.citizenId === citizenId ? previous : undefined;
  // Only an explicit sign-in starts a new period of eight hours, or signs in another person.
  if (silently && renewed === undefined) return over;
  if (previousSecret !== undefined) await sessions.end(previousSecret);
  const secret = await sessions.begin({ citizenId, issued, startedAt: silently ? renewed?.startedAt : undefined });
  const finished = cookies.write(finishedCookie, finishedMark(attempt.state), attemptSeconds);
  return { to, cookies: [cookies.write(sessionCookie, secret, sessionSeconds), finished] };
}

const isDeclined = (result: SignInResult): result is SignInFailure =>
  'failed' in result && result.failed !== 'unknown-person';

const finishedMark = (state: string) => hash('sha256', state, 'base64url');

/** Counts the requests of each citizen, and returns whether one more is within the limit. */
function createRequestLimit(stopwatch: () => number): (citizenId: string) => boolean {
  const requestCounts = createLruCache<{ count: number; readonly since: number }>(requestLimit.citizens);
  return (citizenId) => {
    const now = stopwatch();
    const known = requestCounts.get(citizenId);
    const window = known !== undefined && now - known.since < requestLimit.inMs ? known : { count: 0, since: now };
    window.count += 1;
    requestCounts.set(citizenId, window);
    return window.count <= requestLimit.requests;
  };
}

class IssuerTokenRejected extends Error {
  override name = 'IssuerTokenRejected';
  constructor() {
    super(
      'The access token of the issuer is not valid here. It must be for SIGN_IN_CLIENT_ID and the audience PUBLIC_URL/v1, and have the scopes citizen:self and documents:read.',
    );
  }
}

/** Allows only known paths of the citizen pages, so that a link cannot redirect to another site (open redirect). */
export function safeReturnPath(wanted: string | null): string {
  const known =
    /^\/me(?:\/messages\/[\w-]{1,64}|\/documents(?:\/[\w-]{1,64})?|\/uses|\/record(?:\/(?:un)?lock)?|\/contact(?:\/[a-z]{1,16}){0,2}|\/stay)?(?:\?[\w=&%.~+-]{0,200})?$/;
  return wanted !== null && known.test(wanted) ? wanted : citizenPaths.home;
}
