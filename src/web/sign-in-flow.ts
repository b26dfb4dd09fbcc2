import type { IncomingMessage } from 'node:http';
import { type CitizenSessions, expiredSessionKeptMs } from '../auth/citizen-session-store.ts';
import type { CitizenSignIn, SignInAttempt } from '../auth/citizen-sign-in.ts';
import { isObject } from '../kernel/is-object.ts';
import { createLruCache } from '../kernel/lru-cache.ts';
import { requestQuery } from '../kernel/request-target.ts';
import type { Cookies } from './browser-cookies.ts';

/** Where the pages of citizens are. */
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
/** That the issuer was asked lately whether it still knows the citizen: not again and again, whatever it says. */
const renewalCookie = 'citizen-renewal';
const renewalSeconds = 60;
/** So long a citizen may take at the issuer. */
const attemptSeconds = 900;
/** What one citizen may ask for in a while, in however many sessions: more than any person looks at. It keeps the quota of the pages for all others. */
const requestLimit = { requests: 100, inMs: 10_000, citizens: 10_000 };
/** The browser keeps the cookie for as long as it is known that the session is over. */
const sessionSeconds = expiredSessionKeptMs / 1_000;

/** Whom a token of the issuer lets in: its citizen; nobody, where it names none; undefined where it is not good here. */
export type Admission = { readonly citizenId: string } | 'nobody' | undefined;

/** Who is at a browser. */
export type Visitor = 'nobody' | 'ended' | 'over' | 'too-many' | { readonly token: string; readonly citizenId: string };

/** What came of a step: where the browser goes next, with which cookies; or why it does not get on. */
export type SignInResult =
  | { readonly to: string; readonly cookies: readonly string[] }
  | { readonly failed: 'broken-off' | 'unknown-person'; readonly cookies: readonly string[] }
  /** The issuer does not know the citizen any more, who wanted that page. */
  | { readonly failed: 'over'; readonly to: string; readonly cookies: readonly string[] };

/** The way in and out of the pages, as the cookies of one browser show it. */
export type SignInFlow = {
  /**
   * Who is signed in: nobody; nobody any more, since the session was ended or its time is over; or somebody, who may have asked for
   * more than a person looks at.
   */
  visitorOf(request: IncomingMessage): Promise<Visitor>;
  begin(request: IncomingMessage): Promise<SignInResult>;
  /**
   * Where a session is over: by the issuer back to that page, if it still knows the citizen, who is asked nothing. Undefined
   * where that was tried lately.
   */
  renew(request: IncomingMessage, to: string): Promise<SignInResult | undefined>;
  finish(request: IncomingMessage): Promise<SignInResult>;
  /** Ends the session, if there is one; gives the cookies that go with it. */
  end(request: IncomingMessage): Promise<readonly string[]>;
};

type SignInFlowDeps = {
  readonly signIn: CitizenSignIn;
  readonly sessions: CitizenSessions;
  readonly cookies: Cookies;
  /** Whom a token names, now. */
  readonly admit: (accessToken: string) => Promise<Admission>;
  /** Milliseconds that never go back; without one the machine's. */
  readonly stopwatch?: () => number;
};

/** What the browser keeps during a sign-in: the attempt, and the page that it was on its way to. */
type PendingSignIn = SignInAttempt & { readonly to: string; readonly silently: boolean };

/** A session begins with a fresh secret at each sign-in, so that nobody can have set it beforehand. */
export function createSignInFlow({
  signIn,
  sessions,
  cookies,
  admit,
  stopwatch = () => performance.now(),
}: SignInFlowDeps): SignInFlow {
  const secretOf = (request: IncomingMessage) => cookies.read(request.headers.cookie, sessionCookie);

  const requestCounts = createLruCache<{ count: number; readonly since: number }>(requestLimit.citizens);
  function mayAsk(citizenId: string): boolean {
    const now = stopwatch();
    const known = requestCounts.get(citizenId);
    const window = known !== undefined && now - known.since < requestLimit.inMs ? known : { count: 0, since: now };
    window.count += 1;
    requestCounts.set(citizenId, window);
    return window.count <= requestLimit.requests;
  }

  async function startSignIn(wanted: string | null, silently: boolean) {
    const { url, attempt } = await signIn.begin(silently);
    const pending: PendingSignIn = { ...attempt, to: safeReturnPath(wanted), silently };
    const cookieValue = Buffer.from(JSON.stringify(pending)).toString('base64url');
    return { to: url, cookies: [cookies.write(attemptCookie, cookieValue, attemptSeconds)] };
  }

  async function end(request: IncomingMessage): Promise<readonly string[]> {
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
      return mayAsk(admission.citizenId) ? { token, citizenId: admission.citizenId } : 'too-many';
    },
    begin: async (request) => await startSignIn(new URLSearchParams(requestQuery(request.url)).get('to'), false),
    renew: async (request, to) => {
      if (cookies.read(request.headers.cookie, renewalCookie) !== undefined) return undefined;
      const { cookies: cookieValue, ...step } = await startSignIn(to, true);
      return { ...step, cookies: [...cookieValue, cookies.write(renewalCookie, 'tried', renewalSeconds)] };
    },
    finish: async (request) => {
      const pending = parsePendingSignIn(cookies.read(request.headers.cookie, attemptCookie));
      const over = cookies.clear(attemptCookie);
      const query = requestQuery(request.url);
      // From another tab, or made up elsewhere: it ends no sign-in that goes on.
      if (pending === undefined || new URLSearchParams(query).get('state') !== pending.state)
        return { failed: 'broken-off', cookies: [] };
      const signedIn = await signIn.finish(query, pending);
      if (signedIn === undefined && pending.silently)
        return { failed: 'over', to: pending.to, cookies: [over, cookies.clear(sessionCookie)] };
      if (signedIn === undefined) return { failed: 'broken-off', cookies: [over] };
      const admission = await admit(signedIn.accessToken);
      if (admission === 'nobody') return { failed: 'unknown-person', cookies: [over] };
      if (admission === undefined) throw new Error(tokenNotAccepted);
      const before = secretOf(request);
      if (before !== undefined) await sessions.end(before);
      const secret = await sessions.begin(signedIn.accessToken, signedIn.endsAt);
      return { to: pending.to, cookies: [over, cookies.write(sessionCookie, secret, sessionSeconds)] };
    },
    end,
  };
}

const tokenNotAccepted =
  'the access token that the issuer gave is not good here: it has to be for SIGN_IN_CLIENT_ID, for the audience PUBLIC_URL/v1, and have the scopes citizen:self and documents:read';

/** The page of this house that was wanted; the first one for every other text: nobody is sent elsewhere from here. */
function safeReturnPath(wanted: string | null): string {
  const known = /^\/me(?:\/messages\/[\w-]{1,64}|\/documents(?:\/[\w-]{1,64})?|\/uses|\/record|\/contact)?$/;
  return wanted !== null && known.test(wanted) ? wanted : citizenPaths.home;
}

/** What `begin` had this browser keep; undefined for everything else. */
function parsePendingSignIn(kept: string | undefined): PendingSignIn | undefined {
  if (kept === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(kept, 'base64url').toString('utf8'));
    if (!isObject(value)) return undefined;
    const { state, nonce, verifier, to, silently } = value;
    const all = [state, nonce, verifier, to];
    if (!all.every((one) => typeof one === 'string' && one !== '')) return undefined;
    return {
      ...{ state: String(state), nonce: String(nonce), verifier: String(verifier) },
      ...{ to: safeReturnPath(String(to)), silently: silently === true },
    };
  } catch {
    return undefined;
  }
}
