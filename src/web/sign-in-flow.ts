import type { IncomingMessage } from 'node:http';
import { type CitizenSessions, expiredSessionKeptMs } from '../auth/citizen-session-store.ts';
import type { CitizenSignIn, SignInAttempt } from '../auth/citizen-sign-in.ts';
import { isObject } from '../kernel/is-object.ts';
import { createLruCache } from '../kernel/lru-cache.ts';
import { requestQuery } from '../kernel/request-target.ts';
import type { Cookies } from './browser-cookies.ts';

/** Paths of the citizen pages. */
export const citizenPaths = {
  home: '/me',
  messages: '/me/messages',
  documents: '/me/documents',
  uses: '/me/uses',
  record: '/me/record',
  contact: '/me/contact',
  signIn: '/me/sign-in',
  returned: '/me/sign-in/return',
  signOut: '/me/sign-out',
} as const;

const sessionCookie = 'citizen-session';
const attemptCookie = 'citizen-sign-in';
/** Set after a renewal attempt, so that a browser makes at most one a minute, whatever the issuer answers. */
const renewalCookie = 'citizen-renewal';
const renewalSeconds = 60;
/** The time that a citizen has to sign in at the issuer. */
const attemptSeconds = 900;
/** Requests of one citizen in all sessions within 10 s. One citizen must not use up the quota of the pages. */
const requestLimit = { requests: 100, inMs: 10_000, citizens: 10_000 };
/** The server remembers an expired session for this time, so the browser keeps the cookie for it. */
const sessionSeconds = expiredSessionKeptMs / 1_000;

/** The citizen of an issuer's token; `nobody` if it names none; undefined if the token is not valid here. */
export type Admission = { readonly citizenId: string } | 'nobody' | undefined;

/** The state of a browser: not signed in, signed out, session expired, too many requests, or signed in. */
export type Visitor = 'nobody' | 'ended' | 'over' | 'too-many' | { readonly token: string; readonly citizenId: string };

/** The result of a step: the URL and the cookies of the redirect, or the reason of a failure. */
export type SignInResult =
  | { readonly to: string; readonly cookies: readonly string[] }
  | { readonly failed: 'broken-off' | 'unknown-person'; readonly cookies: readonly string[] }
  /** The issuer has no session of the citizen any more; `to` is the requested page. */
  | { readonly failed: 'over'; readonly to: string; readonly cookies: readonly string[] };

/** Signs citizens in and out; the state is in the cookies of the browser. */
export type SignInFlow = {
  /** `ended` means signed out or unknown, and `over` means expired. */
  visitorOf(request: IncomingMessage): Promise<Visitor>;
  begin(request: IncomingMessage): Promise<SignInResult>;
  /**
   * Renews an expired session through the issuer without interaction, and returns to the page `to`. Undefined if a renewal was
   * tried within the last minute.
   */
  renew(request: IncomingMessage, to: string): Promise<SignInResult | undefined>;
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
  /** Monotonic milliseconds; `performance.now` by default. */
  readonly stopwatch?: () => number;
};

/** The content of the cookie during a sign-in: the attempt and the requested page. */
type PendingSignIn = SignInAttempt & { readonly to: string; readonly silently: boolean };

/** Each sign-in creates a new session secret, so that an attacker cannot set it in advance (session fixation). */
export function createSignInFlow(deps: SignInFlowDeps): SignInFlow {
  const { signIn, sessions, cookies, admit } = deps;
  const secretOf = (request: IncomingMessage) => cookies.read(request.headers.cookie, sessionCookie);
  const allowsRequest = createRequestLimit(deps.stopwatch ?? (() => performance.now()));

  async function startSignIn(wanted: string | null, silently: boolean) {
    const { url, attempt } = await signIn.begin(silently);
    const pending: PendingSignIn = { ...attempt, to: safeReturnPath(wanted), silently };
    const cookieValue = Buffer.from(JSON.stringify(pending)).toString('base64url');
    return { to: url, cookies: [cookies.write(attemptCookie, cookieValue, attemptSeconds)] };
  }

  async function endSession(request: IncomingMessage): Promise<readonly string[]> {
    const secret = secretOf(request);
    if (secret === undefined) return [];
    await sessions.end(secret);
    return [cookies.clear(sessionCookie)];
  }

  return {
    visitorOf: async (request) => {
      const secret = secretOf(request);
      if (secret === undefined) return 'nobody';
      const found = await sessions.find(secret);
      if (found === undefined) return 'ended';
      if (found === 'over') return 'over';
      const { token } = found;
      const admission = await admit(token);
      if (typeof admission !== 'object') return 'ended';
      return allowsRequest(admission.citizenId) ? { token, citizenId: admission.citizenId } : 'too-many';
    },
    begin: async (request) => await startSignIn(new URLSearchParams(requestQuery(request.url)).get('to'), false),
    renew: async (request, to) => {
      if (cookies.read(request.headers.cookie, renewalCookie) !== undefined) return undefined;
      const { cookies: attemptCookies, ...step } = await startSignIn(to, true);
      return { ...step, cookies: [...attemptCookies, cookies.write(renewalCookie, 'tried', renewalSeconds)] };
    },
    finish: async (request) => {
      const pending = parsePendingSignIn(cookies.read(request.headers.cookie, attemptCookie));
      const query = requestQuery(request.url);
      // A callback from another tab or from an attacker must not end the sign-in in progress.
      if (pending === undefined || new URLSearchParams(query).get('state') !== pending.state)
        return { failed: 'broken-off', cookies: [] };
      return await finishSignIn(deps, { pending, query, previousSecret: secretOf(request) });
    },
    end: endSession,
  };
}

type SignInCallback = {
  readonly pending: PendingSignIn;
  readonly query: string;
  readonly previousSecret: string | undefined;
};

async function finishSignIn(
  { signIn, sessions, cookies, admit }: SignInFlowDeps,
  { pending, query, previousSecret }: SignInCallback,
): Promise<SignInResult> {
  const clearAttempt = cookies.clear(attemptCookie);
  const signedIn = await signIn.finish(query, pending);
  if (signedIn === undefined && pending.silently)
    return { failed: 'over', to: pending.to, cookies: [clearAttempt, cookies.clear(sessionCookie)] };
  if (signedIn === undefined) return { failed: 'broken-off', cookies: [clearAttempt] };
  const admission = await admit(signedIn.accessToken);
  if (admission === 'nobody') return { failed: 'unknown-person', cookies: [clearAttempt] };
  if (admission === undefined) throw new IssuerTokenRejected();
  if (previousSecret !== undefined) await sessions.end(previousSecret);
  const secret = await sessions.begin(signedIn.accessToken, signedIn.endsAt);
  return { to: pending.to, cookies: [clearAttempt, cookies.write(sessionCookie, secret, sessionSeconds)] };
}

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
function safeReturnPath(wanted: string | null): string {
  const known = /^\/me(?:\/messages\/[\w-]{1,64}|\/documents(?:\/[\w-]{1,64})?|\/uses|\/record|\/contact)?$/;
  return wanted !== null && known.test(wanted) ? wanted : citizenPaths.home;
}

/** Parses the cookie that `begin` has set; undefined for anything else. */
function parsePendingSignIn(cookie: string | undefined): PendingSignIn | undefined {
  if (cookie === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(cookie, 'base64url').toString('utf8'));
    if (!isObject(value)) return undefined;
    const { state, nonce, verifier, to, silently } = value;
    const texts = [state, nonce, verifier, to];
    if (!texts.every((text) => typeof text === 'string' && text !== '')) return undefined;
    return {
      state: String(state),
      nonce: String(nonce),
      verifier: String(verifier),
      to: safeReturnPath(String(to)),
      silently: silently === true,
    };
  } catch {
    return undefined;
  }
}
