import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDpopNonces } from './dpop-nonces.ts';

const key = new Uint8Array(32).fill(1);
const minuteMs = 60_000;

test('a nonce is accepted for two to three minutes, and a minute early for a process with a slow clock', () => {
  const clock = { at: 1_800_000_000_000, now: () => clock.at };
  const nonces = createDpopNonces(key, clock);
  const nonce = nonces.current();
  const accepted = [];
  for (let minute = -3; minute <= 4; minute += 1) {
    clock.at = 1_800_000_000_000 + minute * minuteMs;
    accepted.push(nonces.accepts(nonce));
  }
  assert.deepEqual(accepted, [false, false, true, true, true, true, false, false]);
});

test('a nonce of another key, a part of a nonce and an empty one are refused', () => {
  const clock = { now: () => 1_800_000_000_000 };
  const nonces = createDpopNonces(key, clock);
  const others = [createDpopNonces(new Uint8Array(32), clock).current(), nonces.current().slice(1), ''];
  assert.deepEqual(
    others.map((nonce) => nonces.accepts(nonce)),
    [false, false, false],
  );
});
