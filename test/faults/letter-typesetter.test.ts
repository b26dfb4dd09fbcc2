import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { letterTemplateData } from '../../src/notifications/letters/letter-data.ts';
import { createLetterRenderer } from '../../src/notifications/letters/letter-renderer.ts';
import { letterTimeMs, makeLetter, nodeWithoutTypesetter } from '../support/letters.ts';

const data = letterTemplateData(makeLetter('Hello.'), { window: 'din5008b' }) ?? '';

test('a typesetter that could not be started once is started again for the next letter', async (t) => {
  const press = createLetterRenderer();
  t.after(() => press.close());
  const program = process.execPath;
  process.execPath = '/nowhere/node';
  try {
    const letters = [press.render(data, letterTimeMs), press.render(data, letterTimeMs)];
    for (const letter of letters) await assert.rejects(letter, /the typesetter ended/);
  } finally {
    process.execPath = program;
  }
  assert.ok((await press.render(data, letterTimeMs)) instanceof Uint8Array);
});

test('where the program that sets letters does not fit the machine, the fault says what is missing, and the next letter tries anew', async (t) => {
  const node = nodeWithoutTypesetter(t);
  const press = createLetterRenderer();
  t.after(() => press.close());
  const program = process.execPath;
  process.execPath = node;
  const letter = press.render(data, letterTimeMs);
  process.execPath = program;
  await assert.rejects(letter, /no letter can be set on this machine: .*librt\.so\.1: no such/);
  assert.ok((await press.render(data, letterTimeMs)) instanceof Uint8Array);
});

/** A press whose typesetter has become silent, and time that stands still. */
async function silentPress(t: TestContext) {
  const press = createLetterRenderer();
  t.after(() => press.close());
  assert.ok((await press.render(data, letterTimeMs)) instanceof Uint8Array);
  const [child] = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ');
  process.kill(Number(child), 'SIGSTOP');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return press;
}

test('a typesetter that is silent is given up with the letter in hand, and the next one sets those that wait', async (t) => {
  const press = await silentPress(t);
  const [inHand, ...waiting] = Array.from({ length: 3 }, () => press.render(data, letterTimeMs));
  t.mock.timers.tick(30_000);
  await assert.rejects(inHand ?? Promise.resolve(), /the typesetter ended/);
  for (const letter of await Promise.all(waiting)) assert.ok(letter instanceof Uint8Array);
});

test('a letter waits a minute for those before it, and no longer', async (t) => {
  const press = await silentPress(t);
  const [, waiting] = [press.render(data, letterTimeMs).catch(() => undefined), press.render(data, letterTimeMs)];
  t.mock.timers.tick(60_000);
  await assert.rejects(waiting, /other letters for too long/);
});

test('a press that is closed while its typesetter cannot be started closes', async () => {
  const press = createLetterRenderer();
  const program = process.execPath;
  process.execPath = '/nowhere/node';
  const letter = press.render(data, letterTimeMs);
  process.execPath = program;
  await Promise.all([press.close(), assert.rejects(letter)]);
});

test('letters in hand and behind it are given up when the press is closed', async () => {
  const press = createLetterRenderer();
  const letters = [
    press.render(data, letterTimeMs),
    press.render(data, letterTimeMs),
    press.render(data, letterTimeMs),
  ];
  const given = Promise.allSettled(letters);
  await press.close();
  const faults = (await given).map((end) => (end.status === 'rejected' ? String(end.reason) : 'set'));
  const closed = 'Error: the press was closed';
  assert.deepEqual(faults, ['Error: the typesetter ended before the letter was set', closed, closed]);
});
