import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCookies } from './browser-cookies.ts';

test('over TLS a cookie is limited to this host and to TLS', () => {
  const { write, clear } = createCookies('https://citizens.example');
  assert.equal(write('session', 'abc', 60), '__Host-session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure');
  assert.equal(clear('session'), '__Host-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure');
  assert.equal(
    createCookies('http://127.0.0.1:3000').write('session', 'abc', 60),
    'session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=60',
  );
});

test('a cookie is read by its whole name, and two cookies of one name are both ignored', () => {
  const { read } = createCookies('https://citizens.example');
  assert.equal(read('a=1; __Host-session=abc; b=2', 'session'), 'abc');
  assert.equal(read('__Host-session=a=b==', 'session'), 'a=b==');
  for (const header of [
    undefined,
    '',
    'session=abc',
    'x__Host-session=abc',
    '__Host-session',
    '__host-session=abc',
    '__Host-session=a; __Host-session=b',
  ])
    assert.equal(read(header, 'session'), undefined, header ?? 'none');
});
