import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { letterData } from '../../src/notifications/letters/letter-data.ts';
import { createLetterPress } from '../../src/notifications/letters/letter-press.ts';
import { letterAt, letterOf } from '../letters.ts';

const data = letterData(letterOf('Hello.'), 'din5008b') ?? '';

test('a typesetter that could not be started once is started again for the next letter', async (t) => {
  const press = createLetterPress();
  t.after(() => press.close());
  const program = process.execPath;
  process.execPath = '/nowhere/node';
  try {
    const letters = [press.set(data, letterAt), press.set(data, letterAt)];
    for (const letter of letters) await assert.rejects(letter, /the typesetter ended/);
  } finally {
    process.execPath = program;
  }
  assert.ok((await press.set(data, letterAt)) instanceof Uint8Array);
});

test('a typesetter that is silent is given up with what it had in hand, and the next one sets the letter', async (t) => {
  const press = createLetterPress();
  t.after(() => press.close());
  assert.ok((await press.set(data, letterAt)) instanceof Uint8Array);
  const [child] = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ');
  process.kill(Number(child), 'SIGSTOP');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const letters = [press.set(data, letterAt), press.set(data, letterAt)];
  t.mock.timers.tick(30_000);
  for (const letter of letters) await assert.rejects(letter, /the typesetter ended/);
  t.mock.timers.reset();
  assert.ok((await press.set(data, letterAt)) instanceof Uint8Array);
});

test('a press that is closed while its typesetter cannot be started closes', async () => {
  const press = createLetterPress();
  const program = process.execPath;
  process.execPath = '/nowhere/node';
  const letter = press.set(data, letterAt);
  process.execPath = program;
  await Promise.all([press.close(), assert.rejects(letter)]);
});
