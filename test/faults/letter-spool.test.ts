import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createLetterSpool } from '../../src/notifications/channels/letter-spool.ts';
import { createLetterRenderer } from '../../src/notifications/letters/letter-renderer.ts';
import { letterNameOf } from '../../src/notifications/letters/render-letter.ts';
import type { OutgoingMessage, PreparedMessage } from '../../src/notifications/notification/channel.ts';
import { makeLetter } from '../support/letters.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const unreachable = { outcome: 'temporary', reason: 'provider-unreachable' };

function share(t: TestContext) {
  const mount = makeTestFolder('spool-');
  t.after(() => rmSync(mount, { recursive: true }));
  const folder = join(mount, 'letters');
  mkdirSync(folder);
  const troubles: string[] = [];
  const onProviderFailure = (why: string) => void troubles.push(why);
  const start = () => {
    const renderer = createLetterRenderer();
    t.after(() => renderer.close());
    return createLetterSpool({ folder, window: 'din5008b', renderer, onProviderFailure });
  };
  return { mount, folder, making: join(folder, 'making'), start, troubles };
}

async function prepared(
  spool: ReturnType<typeof createLetterSpool>,
  message: OutgoingMessage,
): Promise<PreparedMessage> {
  const ready = await spool.prepare(message);
  assert.ok('call' in ready, JSON.stringify(ready));
  return ready;
}

test('letters for an unmounted share wait, and no folder is created at its mount point', async (t) => {
  const { mount, folder, making, start } = share(t);
  const spool = start();
  const ready = await prepared(spool, makeLetter('one'));
  renameSync(folder, join(mount, 'elsewhere'));
  assert.deepEqual(await ready.call(), unreachable);
  assert.deepEqual(await spool.prepare(makeLetter('two')), unreachable);
  assert.equal(existsSync(folder), false);
  // An unmounted share leaves its empty mount point.
  mkdirSync(folder);
  assert.deepEqual(await spool.prepare(makeLetter('three')), unreachable);
  assert.deepEqual(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
  renameSync(join(mount, 'elsewhere'), folder);
  const back = await prepared(spool, makeLetter('four'));
  assert.equal((await back.call()).outcome, 'sent');
  assert.ok(existsSync(making));
});

test('a letter spool that cannot be written to is reported with the reason', async (t) => {
  const { folder, making, start, troubles } = share(t);
  const spool = start();
  const message = makeLetter('one');
  const ready = await prepared(spool, message);
  const pdf = `${letterNameOf(message)}.pdf`;
  mkdirSync(join(folder, pdf));
  assert.deepEqual(await ready.call(), unreachable);
  assert.match(String(troubles.splice(0)), new RegExp(`^EISDIR: .* rename .*${pdf}`));
  rmSync(making, { recursive: true });
  assert.deepEqual(await spool.prepare(makeLetter('two')), unreachable);
  assert.match(String(troubles), /^ENOENT: .* open .*making/);
});

test('a letter spool that is missing at the start is not created, and accepts letters after both folders exist', async (t) => {
  const { folder, making, start } = share(t);
  rmSync(folder, { recursive: true });
  const spool = start();
  assert.deepEqual(await spool.prepare(makeLetter('one')), unreachable);
  assert.equal(existsSync(folder), false);
  mkdirSync(making, { recursive: true });
  assert.equal((await (await prepared(spool, makeLetter('two'))).call()).outcome, 'sent');
});

test('a failed rename of the PDF is a temporary failure and leaves no file', async (t) => {
  const { folder, making, start } = share(t);
  const message = makeLetter('one');
  const ready = await prepared(start(), message);
  // A file cannot be renamed over a folder.
  const blocked = join(folder, `${letterNameOf(message)}.pdf`);
  mkdirSync(blocked);
  assert.deepEqual(await ready.call(), unreachable);
  assert.deepEqual([readdirSync(making), existsSync(blocked.replace('.pdf', '.json'))], [[], false]);
});

test('the outcome of a letter is unknown if its manifest is missing after a failed rename', async (t) => {
  const { folder, making, start, troubles } = share(t);
  const message = makeLetter('one');
  const ready = await prepared(start(), message);
  rmSync(join(making, `${letterNameOf(message)}.json`));
  assert.deepEqual(await ready.call(), { outcome: 'unknown' });
  // The printer may have the letter, so no failure of the spool is reported.
  assert.deepEqual([existsSync(join(folder, `${letterNameOf(message)}.pdf`)), troubles], [true, []]);
});

test('files from a crash are removed by the next attempt, and files older than a day by any letter', async (t) => {
  const { folder, making, start } = share(t);
  const message = makeLetter('one');
  const other = makeLetter('other');
  await prepared(start(), message);
  const lies = join(folder, `${letterNameOf(message)}.pdf`);
  renameSync(join(making, `${letterNameOf(message)}.pdf`), lies);
  writeFileSync(join(making, 'old.pdf'), 'x');
  const yesterday = Date.now() / 1_000 - 90_000;
  utimesSync(join(making, 'old.pdf'), yesterday, yesterday);
  const spool = start();
  const otherReady = await prepared(spool, other);
  const left = [`${letterNameOf(message)}.json`, `${letterNameOf(other)}.json`, `${letterNameOf(other)}.pdf`];
  assert.deepEqual(readdirSync(making).sort(), left.sort());
  const again = { ...message, attempt: 2 };
  const ready = await prepared(spool, again);
  assert.equal(existsSync(lies), false);
  assert.equal((await ready.call()).outcome, 'sent');
  assert.equal((await otherReady.call()).outcome, 'sent');
  assert.deepEqual(readdirSync(making), []);
  assert.equal(readdirSync(folder).length, 5);
});

test('a letter that was handed over stays in the spool when its delivery is tried again', async (t) => {
  const { folder, start } = share(t);
  const message = makeLetter('one');
  const spool = start();
  for (const attempt of [1, 2]) {
    const ready = await prepared(spool, { ...message, attempt });
    assert.equal((await ready.call()).outcome, 'sent');
  }
  for (const attempt of [1, 2]) {
    assert.ok(existsSync(join(folder, `${letterNameOf({ ...message, attempt })}.pdf`)), `attempt ${attempt}`);
  }
});
