import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { cookiesOf } from './browser-cookies.ts';
import { createSignInDoor } from './citizen-session.ts';

const unused = () => assert.fail('not asked for');

test('a citizen who asks without end waits, in whichever session, and may go on after a while', async () => {
  let now = 0;
  const door = createSignInDoor({
    signIn: { begin: unused, finish: unused, leaveUrl: unused },
    // A session is named as its citizen, with a number behind.
    sessions: { begin: unused, end: unused, find: async (secret) => `token of ${secret.slice(0, -1)}` },
    cookies: cookiesOf('https://gov.example'),
    admit: async (token) => ({ citizenId: token.replace('token of ', '') }),
    stopwatch: () => now,
  });
  const from = (secret: string) =>
    // The door looks at the cookies alone.
    ({ headers: { cookie: `__Host-citizen-session=${secret}` } }) as unknown as IncomingMessage;
  for (let times = 0; times < 100; times += 1)
    assert.equal(typeof (await door.visitorOf(from(`anna${times % 2}`))), 'object');
  assert.equal(await door.visitorOf(from('anna0')), 'too-many');
  assert.equal(await door.visitorOf(from('anna1')), 'too-many');
  assert.deepEqual(await door.visitorOf(from('bert0')), { token: 'token of bert', citizenId: 'bert' });
  now += 10_000;
  assert.deepEqual(await door.visitorOf(from('anna0')), { token: 'token of anna', citizenId: 'anna' });
});
