import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { letterTemplateData } from '../../src/notifications/letters/letter-data.ts';
import { createLetterRenderer } from '../../src/notifications/letters/letter-renderer.ts';
import { letterTimeMs, makeLetter, nodeWithoutTypesetter } from '../support/letters.ts';

const data = letterTemplateData(makeLetter('Hello.'), { window: 'din5008b' }) ?? '';

test('a typesetter that failed to start is started again for the next letter', async (t) => {
  const renderer = createLetterRenderer();
  t.after(() => renderer.close());
  const program = process.execPath;
  process.execPath = '/nowhere/node';
  try {
    const letters = [renderer.render(data, letterTimeMs), renderer.render(data, letterTimeMs)];
    for (const letter of letters) await assert.rejects(letter, /the typesetter ended/);
  } finally {
    process.execPath = program;
  }
  assert.ok((await renderer.render(data, letterTimeMs)) instanceof Uint8Array);
});

test('a typesetter that lacks its native library is reported, and the next letter starts a new process', async (t) => {
  const node = nodeWithoutTypesetter(t);
  const renderer = createLetterRenderer();
  t.after(() => renderer.close());
  const program = process.execPath;
  process.execPath = node;
  const letter = renderer.render(data, letterTimeMs);
  process.execPath = program;
  await assert.rejects(letter, /no letter can be rendered on this machine: .*librt\.so\.1: no such/);
  assert.ok((await renderer.render(data, letterTimeMs)) instanceof Uint8Array);
});

/** A renderer whose typesetter does not answer any more, with a stopped clock. */
async function openSilentRenderer(t: TestContext) {
  const renderer = createLetterRenderer();
  t.after(() => renderer.close());
  assert.ok((await renderer.render(data, letterTimeMs)) instanceof Uint8Array);
  const [child] = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ');
  process.kill(Number(child), 'SIGSTOP');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return renderer;
}

test('the letter of a silent typesetter fails, and the next process renders the waiting letters', async (t) => {
  const renderer = await openSilentRenderer(t);
  const [current, ...waiting] = Array.from({ length: 3 }, () => renderer.render(data, letterTimeMs));
  t.mock.timers.tick(30_000);
  await assert.rejects(current ?? Promise.resolve(), /the typesetter ended/);
  for (const letter of await Promise.all(waiting)) assert.ok(letter instanceof Uint8Array);
});

test('a letter waits at most a minute for the letters before it', async (t) => {
  const renderer = await openSilentRenderer(t);
  const [, waiting] = [renderer.render(data, letterTimeMs).catch(() => undefined), renderer.render(data, letterTimeMs)];
  t.mock.timers.tick(60_000);
  await assert.rejects(waiting, /other letters for too long/);
});

test('a renderer can be closed while its typesetter cannot be started', async () => {
  const renderer = createLetterRenderer();
  const program = process.execPath;
  process.execPath = '/nowhere/node';
  const letter = renderer.render(data, letterTimeMs);
  process.execPath = program;
  await Promise.all([renderer.close(), assert.rejects(letter)]);
});

test('closing the renderer rejects the current and the waiting letters', async () => {
  const renderer = createLetterRenderer();
  const letters = [
    renderer.render(data, letterTimeMs),
    renderer.render(data, letterTimeMs),
    renderer.render(data, letterTimeMs),
  ];
  const settled = Promise.allSettled(letters);
  await renderer.close();
  const faults = (await settled).map((end) => (end.status === 'rejected' ? String(end.reason) : 'set'));
  const closed = 'TypesetterUnavailable: the typesetter was closed';
  assert.deepEqual(faults, [
    'TypesetterUnavailable: the typesetter ended before the letter was rendered',
    closed,
    closed,
  ]);
});
