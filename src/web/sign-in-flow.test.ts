import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { IssuedToken, IssuerSignIn } from '../auth/issuer-sign-in.ts';
import type { PageSession, PageSessions } from '../auth/page-session-store.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { createCookies } from './browser-cookies.ts';
import { contactPages } from './contact-handlers.ts';
import { citizenArea, citizenPaths, createSignInFlow, safeReturnPath } from './sign-in-flow.ts';

const unused = () => assert.fail('not asked for');
const minuteMs = 60_000;

/** A session of anna whose token expires in ten minutes. */
const sessionOf = (personId: string, change: Partial<PageSession> = {}): PageSession => ({
  personId,
  startedAt: 0,
  signInId: `sign-in of ${personId}`,
  token: `token of ${personId}`,
  tokenEndsAt: 10 * minuteMs,
  renewAt: 5 * minuteMs,
  refreshingUntil: 0,
  endsAt: 30 * minuteMs,
  stored: 'as stored',
  ...change,
});

type FlowParts = {
  readonly signIn?: Partial<IssuerSignIn>;
  readonly sessions?: Partial<PageSessions>;
  readonly stopwatch?: () => number;
};

/** A flow at the epoch, in which a token `token of x` is of the citizen x. */
function openFlow({ signIn, sessions, stopwatch }: FlowParts) {
  const clock = { at: 0, now: () => clock.at };
  const faults: unknown[] = [];
  const noSignIn = { begin: unused, finish: unused, refresh: unused, revoke: unused, signOutUrl: unused };
  const noSessions = { begin: unused, find: unused, end: unused, claimRefresh: unused, endRefresh: unused };
  const flow = createSignInFlow({
    area: citizenArea,
    signIn: { ...noSignIn, ...signIn },
    sessions: { ...noSessions, ...sessions },
    cookies: createCookies('https://gov.example'),
    admit: async (token) => ({ personId: token.replace('token of ', '') }),
    random: systemRandom,
    clock,
    onFault: (fault) => faults.push(fault),
    ...(stopwatch === undefined ? {} : { stopwatch }),
  });
  const from = (secret: string) =>
    // The flow reads only the cookies.
    ({ headers: { cookie: `__Host-citizen-session=${secret}` } }) as unknown as IncomingMessage;
  return { clock, flow, from, faults };
}

test('a citizen with too many requests is refused in every session, and served again later', async () => {
  let now = 0;
  // The secret of a session is its citizen's id with a number.
  const find = async (secret: string) => sessionOf(secret.slice(0, -1));
  const { flow, from } = openFlow({ sessions: { find }, stopwatch: () => now });
  const citizenOf = async (secret: string) => {
    const visitor = await flow.visitorOf(from(secret));
    return typeof visitor === 'object' && 'token' in visitor ? visitor.personId : visitor;
  };
  for (let times = 0; times < 100; times += 1) assert.equal(await citizenOf(`anna${times % 2}`), 'anna');
  assert.equal(await citizenOf('anna0'), 'too-many');
  assert.equal(await citizenOf('anna1'), 'too-many');
  assert.equal(await citizenOf('bert0'), 'bert');
  now += 10_000;
  assert.equal(await citizenOf('anna0'), 'anna');
});

test('a session ends at the end of its token if only the issuer can renew it, and otherwise after 30 minutes without use', async () => {
  let session = sessionOf('anna');
  const { clock, flow, from } = openFlow({ sessions: { find: async () => session } });
  const signedIn = { token: 'token of anna', personId: 'anna', signInId: 'sign-in of anna' };
  const untilToken = { ...signedIn, endsAt: 10 * minuteMs };
  assert.deepEqual(await flow.visitorOf(from('x')), { ...untilToken, renewal: 'possible' });
  session = sessionOf('anna', { refreshToken: 'r' });
  assert.deepEqual(await flow.visitorOf(from('x')), { ...signedIn, endsAt: 30 * minuteMs, renewal: 'not-needed' });
  session = sessionOf('anna');
  clock.at = 5 * minuteMs;
  assert.deepEqual(await flow.visitorOf(from('x')), { ...untilToken, renewal: 'due' });
  clock.at = 10 * minuteMs;
  assert.deepEqual(await flow.visitorOf(from('x')), { expired: 'token', personId: 'anna' });
});

test('a session whose token names another citizen is not accepted', async () => {
  const { flow, from } = openFlow({ sessions: { find: async () => sessionOf('anna', { token: 'token of bert' }) } });
  assert.equal(await flow.visitorOf(from('x')), 'ended');
});

/** A session store with one session, and an issuer that answers refreshes with `issued`. */
function openRefreshing(issued: () => Promise<IssuedToken | undefined>) {
  let session: PageSession | undefined = sessionOf('anna', { refreshToken: 'first', token: 'token of anna' });
  const used: string[] = [];
  const revoked: string[] = [];
  const opened = openFlow({
    signIn: {
      refresh: async (refreshToken) => {
        used.push(refreshToken);
        return await issued();
      },
      revoke: async (refreshToken) => void revoked.push(refreshToken),
    },
    sessions: {
      find: async () => session,
      end: async () => {
        session = undefined;
      },
      claimRefresh: async (_secret, found, until) => {
        if (session === undefined || found.stored !== session.stored) return undefined;
        session = { ...session, refreshingUntil: until, stored: `${session.stored} claimed` };
        return session;
      },
      endRefresh: async (_secret, claimed, next) => {
        if (session === undefined) return false;
        const [token, refreshToken] = [next?.accessToken ?? claimed.token, next?.refreshToken];
        const ends = next === undefined ? {} : { tokenEndsAt: next.endsAt, renewAt: next.endsAt - 5 * minuteMs };
        session = { ...claimed, token, refreshToken, refreshingUntil: 0, stored: token, ...ends };
        return true;
      },
    },
  });
  return { ...opened, used, revoked };
}

test('a token whose life is half over is refreshed once, also for concurrent requests', async () => {
  const { clock, flow, from, used } = openRefreshing(async () => ({
    accessToken: 'token of anna',
    endsAt: 15 * minuteMs,
    refreshToken: 'second',
  }));
  clock.at = 5 * minuteMs - 1;
  await flow.visitorOf(from('x'));
  assert.deepEqual(used, []);
  clock.at += 1;
  await Promise.all(Array.from({ length: 5 }, () => flow.visitorOf(from('x'))));
  await flow.visitorOf(from('x'));
  assert.deepEqual(used, ['first']);
  clock.at = 10 * minuteMs;
  await flow.visitorOf(from('x'));
  assert.deepEqual(used, ['first', 'second']);
});

test('an issuer that does not respond is asked once a minute, and the session goes on until its token expires', async () => {
  const { clock, flow, from, used, faults } = openRefreshing(() => Promise.reject(new TypeError('fetch failed')));
  clock.at = 5 * minuteMs;
  for (let times = 0; times < 3; times += 1) assert.ok(typeof (await flow.visitorOf(from('x'))) === 'object');
  assert.deepEqual([used.length, faults.length], [1, 1]);
  clock.at += minuteMs;
  await flow.visitorOf(from('x'));
  assert.equal(used.length, 2);
});

test('a refresh that the issuer declines is not repeated, and the session ends with its token', async () => {
  const { clock, flow, from, used } = openRefreshing(async () => undefined);
  clock.at = 5 * minuteMs;
  await flow.visitorOf(from('x'));
  const visitor = await flow.visitorOf(from('x'));
  assert.ok(typeof visitor === 'object' && 'endsAt' in visitor && visitor.endsAt === 10 * minuteMs);
  assert.deepEqual(used, ['first']);
});

test('a sign-out revokes the refresh token at the issuer, also one that arrives after it', async () => {
  const answer = Promise.withResolvers<IssuedToken>();
  const { clock, flow, from, revoked } = openRefreshing(() => answer.promise);
  clock.at = 5 * minuteMs;
  const late = flow.visitorOf(from('x'));
  await flow.end(from('x'));
  answer.resolve({ accessToken: 'token of anna', endsAt: 15 * minuteMs, refreshToken: 'second' });
  assert.equal(await late, 'ended');
  assert.deepEqual(revoked, ['first', 'second']);
});

test('a session with an expired token is renewed at the issuer without interaction, once a minute, and otherwise the citizen signs in again', async () => {
  let known = true;
  const begun: (boolean | undefined)[] = [];
  const ended: string[] = [];
  const started: unknown[] = [];
  let state = '';
  const { clock, flow } = openFlow({
    signIn: {
      begin: async ({ silently, attempt } = {}) => {
        begun.push(silently);
        state = attempt?.state ?? '';
        return { url: 'https://login.example', attempt: attempt ?? assert.fail() };
      },
      finish: async () => (known ? { accessToken: 'token of anna', endsAt: 1 } : undefined),
    },
    sessions: {
      begin: async ({ renewed }) => {
        started.push([renewed?.startedAt, renewed?.signInId]);
        return 'fresh';
      },
      end: async (secret) => void ended.push(secret),
      find: async (secret) => (secret === 'old' ? sessionOf('anna', { startedAt: 7, tokenEndsAt: 1 }) : undefined),
    },
  });
  clock.at = 1;
  const jar = new Map([['__Host-citizen-session', 'old']]);
  const from = (url: string) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    return { url, headers: { cookie } } as unknown as IncomingMessage;
  };
  const keep = (cookies: readonly string[]) => {
    for (const line of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (line.includes('Max-Age=0')) jar.delete(name);
      else jar.set(name, value);
    }
  };
  assert.deepEqual(await flow.visitorOf(from('/me')), { expired: 'token', personId: 'anna' });
  const away = (await flow.renew(from('/me/uses'), '/me/uses?before=7')) ?? assert.fail();
  assert.ok('to' in away && away.to === 'https://login.example');
  keep(away.cookies);
  assert.equal(await flow.renew(from('/me/uses'), '/me/uses'), undefined, 'asked a moment ago');
  const back = await flow.finish(from(`/me/sign-in/return?state=${state}&code=c`));
  assert.ok(!('failed' in back) && back.to === '/me/uses?before=7');
  keep(back.cookies);
  assert.deepEqual(
    [jar.get('__Host-citizen-session'), ended, begun, started],
    ['fresh', ['old'], [true], [[7, 'sign-in of anna']]],
  );

  // A minute later, the session of the issuer is over as well.
  known = false;
  jar.set('__Host-citizen-session', 'old').delete('__Host-citizen-renewal');
  keep((await flow.renew(from('/me'), 'https://evil.example/'))?.cookies ?? assert.fail());
  const declined = await flow.finish(from(`/me/sign-in/return?state=${state}&error=login_required`));
  assert.ok('failed' in declined && declined.failed === 'over' && declined.to === '/me');
  keep(declined.cookies);
  assert.equal(await flow.visitorOf(from('/me')), 'nobody');
});

test('a renewal without interaction neither signs in another citizen nor starts a session that has ended', async () => {
  for (const [found, issuedTo] of [
    [sessionOf('anna'), 'bert'],
    [{ over: true, personId: 'anna' } as const, 'anna'],
    [undefined, 'anna'],
  ] as const) {
    let state = '';
    const { flow } = openFlow({
      signIn: {
        begin: async ({ attempt } = {}) => {
          state = attempt?.state ?? '';
          return { url: 'https://login.example', attempt: attempt ?? assert.fail() };
        },
        finish: async () => ({ accessToken: `token of ${issuedTo}`, endsAt: minuteMs }),
      },
      sessions: { find: async () => found },
    });
    const request = (url: string, cookie: string) => ({ url, headers: { cookie } }) as unknown as IncomingMessage;
    const cookie = '__Host-citizen-session=old';
    const away = (await flow.renew(request('/me', cookie), '/me')) ?? assert.fail();
    const [attempt = ''] = away.cookies[0]?.split(';') ?? [];
    const back = await flow.finish(request(`/me/sign-in/return?state=${state}&code=c`, `${cookie}; ${attempt}`));
    if (found !== undefined && !('over' in found))
      assert.deepEqual(back, { to: '/me', cookies: [] }, 'anna stays signed in');
    else assert.ok('failed' in back && back.failed === 'over');
  }
});

test('a sign-in leads back to every page and download, and to no other address', () => {
  const { signIn, returned, signOut, messages, ...pages } = citizenPaths;
  const contact = contactPages({ country: undefined, timeZone: 'UTC' }).map(({ path }) => path);
  const message = `${messages}/ntf_01JD0000000000000000000000`;
  const all = [...Object.values(pages), ...contact, message, `${message}/download`, `${pages.documents}/doc_1`];
  for (const path of [...all, `${pages.usesTable}?organisation=demo-permits&from=2026-11-01`])
    assert.equal(safeReturnPath(citizenArea, path), path);
  for (const path of [signIn, returned, signOut, '/me/uses/other.csv', '//evil.example/me', '/me/../staff', '/mesh'])
    assert.equal(safeReturnPath(citizenArea, path), pages.home, path);
});
