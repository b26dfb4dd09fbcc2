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

test('letters for a share that is gone wait, and no folder is made in its place', async (t) => {
  const { mount, folder, making, start } = share(t);
  const spool = start();
  const ready = await prepared(spool, makeLetter('one'));
  renameSync(folder, join(mount, 'elsewhere'));
  assert.deepEqual(await ready.call(), unreachable);
  assert.deepEqual(await spool.prepare(makeLetter('two')), unreachable);
  assert.equal(existsSync(folder), false);
  // Unmounted, a share leaves the empty folder that it was mounted on.
  mkdirSync(folder);
  assert.deepEqual(await spool.prepare(makeLetter('three')), unreachable);
  assert.deepEqual(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
  renameSync(join(mount, 'elsewhere'), folder);
  const back = await prepared(spool, makeLetter('four'));
  assert.equal((await back.call()).outcome, 'sent');
  assert.ok(existsSync(making));
});

test('a spool that takes no letter, or lets none go, says why', async (t) => {
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

test('a spool that is not there at the start is not made, and takes letters once it is there with its folder', async (t) => {
  const { folder, making, start } = share(t);
  rmSync(folder, { recursive: true });
  const spool = start();
  assert.deepEqual(await spool.prepare(makeLetter('one')), unreachable);
  assert.equal(existsSync(folder), false);
  mkdirSync(making, { recursive: true });
  assert.equal((await (await prepared(spool, makeLetter('two'))).call()).outcome, 'sent');
});

test('a renaming that is refused is tried again, and leaves nothing', async (t) => {
  const { folder, making, start } = share(t);
  const message = makeLetter('one');
  const ready = await prepared(start(), message);
  // No file can be renamed over a folder.
  const blocked = join(folder, `${letterNameOf(message)}.pdf`);
  mkdirSync(blocked);
  assert.deepEqual(await ready.call(), unreachable);
  assert.deepEqual([readdirSync(making), existsSync(blocked.replace('.pdf', '.json'))], [[], false]);
});

test('a manifest that is nowhere after a renaming that failed may be with the printer: unknown', async (t) => {
  const { folder, making, start, troubles } = share(t);
  const message = makeLetter('one');
  const ready = await prepared(start(), message);
  rmSync(join(making, `${letterNameOf(message)}.json`));
  assert.deepEqual(await ready.call(), { outcome: 'unknown' });
  // It has its letter still, and nobody is told that the spool took none.
  assert.deepEqual([existsSync(join(folder, `${letterNameOf(message)}.pdf`)), troubles], [true, []]);
});

test('what a crash left of a letter is taken away by the next attempt, and whatever is older than a day by any', async (t) => {
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
  const beside = await prepared(spool, other);
  const left = [`${letterNameOf(message)}.json`, `${letterNameOf(other)}.json`, `${letterNameOf(other)}.pdf`];
  assert.deepEqual(readdirSync(making).sort(), left.sort());
  const again = { ...message, attempt: 2 };
  const ready = await prepared(spool, again);
  assert.equal(existsSync(lies), false);
  assert.equal((await ready.call()).outcome, 'sent');
  assert.equal((await beside.call()).outcome, 'sent');
  assert.deepEqual(readdirSync(making), []);
  assert.equal(readdirSync(folder).length, 5);
});

test('what was handed over stays with the printer when its delivery is tried again', async (t) => {
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
