import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { systemRandom } from '../kernel/system-clock.ts';
import { createCookies } from './browser-cookies.ts';
import { createSignInFlow } from './sign-in-flow.ts';

const unused = () => assert.fail('not asked for');

test('a citizen with too many requests is refused in every session, and served again later', async () => {
  let now = 0;
  const flow = createSignInFlow({
    signIn: { begin: unused, finish: unused, signOutUrl: unused },
    // The secret of a session is its citizen's id with a number.
    sessions: { begin: unused, end: unused, find: async (secret) => ({ token: `token of ${secret.slice(0, -1)}` }) },
    cookies: createCookies('https://gov.example'),
    admit: async (token) => ({ citizenId: token.replace('token of ', '') }),
    random: systemRandom,
    stopwatch: () => now,
  });
  const from = (secret: string) =>
    // The flow reads only the cookies.
    ({ headers: { cookie: `__Host-citizen-session=${secret}` } }) as unknown as IncomingMessage;
  for (let times = 0; times < 100; times += 1)
    assert.equal(typeof (await flow.visitorOf(from(`anna${times % 2}`))), 'object');
  assert.equal(await flow.visitorOf(from('anna0')), 'too-many');
  assert.equal(await flow.visitorOf(from('anna1')), 'too-many');
  assert.deepEqual(await flow.visitorOf(from('bert0')), { token: 'token of bert', citizenId: 'bert' });
  now += 10_000;
  assert.deepEqual(await flow.visitorOf(from('anna0')), { token: 'token of anna', citizenId: 'anna' });
});

test('an expired session is renewed at the issuer without interaction, once a minute, and otherwise the citizen signs in again', async () => {
  let known = true;
  const begun: (boolean | undefined)[] = [];
  const ended: string[] = [];
  let state = '';
  const flow = createSignInFlow({
    signIn: {
      begin: async ({ silently, attempt } = {}) => {
        begun.push(silently);
        state = attempt?.state ?? '';
        return { url: 'https://login.example', attempt: attempt ?? assert.fail() };
      },
      finish: async () => (known ? { accessToken: 'of anna', endsAt: 1 } : undefined),
      signOutUrl: unused,
    },
    sessions: {
      begin: async () => 'fresh',
      end: async (secret) => void ended.push(secret),
      find: async (secret) => (secret === 'old' ? 'over' : undefined),
    },
    cookies: createCookies('https://gov.example'),
    admit: async () => ({ citizenId: 'anna' }),
    random: systemRandom,
  });
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
  assert.equal(await flow.visitorOf(from('/me')), 'over');
  const away = (await flow.renew(from('/me/uses'), '/me/uses')) ?? assert.fail();
  assert.ok('to' in away && away.to === 'https://login.example');
  keep(away.cookies);
  assert.equal(await flow.renew(from('/me/uses'), '/me/uses'), undefined, 'asked a moment ago');
  const back = await flow.finish(from(`/me/sign-in/return?state=${state}&code=c`));
  assert.ok(!('failed' in back) && back.to === '/me/uses');
  keep(back.cookies);
  assert.deepEqual([jar.get('__Host-citizen-session'), ended, begun], ['fresh', ['old'], [true]]);

  // A minute later, the session of the issuer is over as well.
  known = false;
  jar.set('__Host-citizen-session', 'old').delete('__Host-citizen-renewal');
  keep((await flow.renew(from('/me'), 'https://evil.example/'))?.cookies ?? assert.fail());
  const declined = await flow.finish(from(`/me/sign-in/return?state=${state}&error=login_required`));
  assert.ok('failed' in declined && declined.failed === 'over' && declined.to === '/me');
  keep(declined.cookies);
  assert.equal(await flow.visitorOf(from('/me')), 'nobody');
});
