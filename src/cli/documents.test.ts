import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { depositDocumentOf, makePdf, openDocumentApp, runDeletionWithIds } from '../../test/support/document-app.ts';
import type { Row } from '../db/database.ts';
import { upsertRetentionClass } from '../documents/retention/retention-class.ts';
import { runCommandLine } from './command.ts';
import { documentCommands } from './documents.ts';

const dayMs = 86_400_000;
const operator = { operator: 'clerk' };

for (const engine of engines) {
  test(`${engine.name}: delete-due erases other documents after one fails, and reports the failed one`, async (t) => {
    const app = await openDocumentApp(t, engine);
    await app.db.write([upsertRetentionClass({ name: 'note', keepDays: 1, eraseAfterDays: 2, legalBasis: 'x' }, 0)]);
    const note = { 'document-retention-class': 'note' };
    const ids = [await depositDocumentOf(app, makePdf(100), note), await depositDocumentOf(app, makePdf(100), note)];
    app.time.now += 2 * dayMs;
    const { commit } = app.deletionDeps;
    const failing: typeof commit = async (effect) => {
      const [event] = effect.events;
      if ('document' in event && event.document === ids[0]) throw new Error('not this one');
      return await commit(effect);
    };
    let [printed, messages] = ['', ''];
    const terminal = {
      stdout: (text: string) => {
        printed += text;
      },
      stderr: (text: string) => {
        messages += text;
      },
      isInteractive: false,
      cwd: '/',
    };
    const deps = { ...app.deletionDeps, commit: failing, claim: async () => [], ...operator };
    const commands = documentCommands((use) => use(deps), terminal);
    assert.equal(await runCommandLine(['documents', 'delete-due'], commands, terminal), 1);
    // The erased documents are printed although the command failed.
    assert.equal(printed, `${ids[1]}\terased\n${ids[0]}\tnot erased\n`);
    assert.match(messages, /^1 erased, 0 under a legal hold\n.*not this one/s);
    const [row] = await app.db.read("select content from ledger_event where type = 'documents.deletion-run'");
    const { erased, failed } = JSON.parse(Buffer.from(row?.['content'] as Uint8Array).toString());
    assert.deepEqual({ erased, failed }, { erased: 1, failed: 1 });
    assert.deepEqual((await runDeletionWithIds(app.deletionDeps, operator, false)).erased, [ids[0]]);
  });

  test(`${engine.name}: verify stops reading documents and listing blobs when its caller has ended`, async (t) => {
    const app = await openDocumentApp(t, engine);
    // Eight documents are read concurrently.
    for (let times = 0; times < 10; times += 1) await depositDocumentOf(app, makePdf(100));
    const { blobs } = app.deletionDeps.ports;
    const seen = { read: 0, listed: 0 };
    let leavesAt: keyof typeof seen = 'read';
    const watched: typeof blobs = {
      ...blobs,
      read: (...asked) => {
        seen.read += 1;
        return blobs.read(...asked);
      },
      async *list() {
        for (let at = 0; at < 1_000; at += 1) {
          seen.listed += 1;
          yield { name: `doc_${at}`, storedAt: 0 };
        }
      },
    };
    const deps = {
      ...app.deletionDeps,
      ports: { ...app.deletionDeps.ports, blobs: watched },
      claim: async () => [],
      ...operator,
    };
    let messages = '';
    const terminal = {
      stdout: () => undefined,
      stderr: (text: string) => {
        messages = text;
      },
      isInteractive: false,
      cwd: '/',
      hasLeft: () => seen[leavesAt] > 0,
    };
    const commands = documentCommands((use) => use(deps), terminal);
    const verify = () => runCommandLine(['documents', 'verify'], commands, terminal);
    assert.equal(await verify(), 1);
    assert.deepEqual(seen, { read: 8, listed: 0 });
    leavesAt = 'listed';
    assert.equal(await verify(), 1);
    assert.deepEqual(seen, { read: 18, listed: 128 });
    assert.equal(messages, '');
  });

  test(`${engine.name}: delete-due stops erasing when its caller has ended, and shows its progress on a terminal`, async (t) => {
    const app = await openDocumentApp(t, engine);
    await app.db.write([upsertRetentionClass({ name: 'note', keepDays: 1, eraseAfterDays: 2, legalBasis: 'x' }, 0)]);
    const id = await depositDocumentOf(app, makePdf(100), { 'document-retention-class': 'note' });
    app.time.now += 2 * dayMs;
    let hasLeft = true;
    const messages: string[] = [];
    const person = { stdout: () => undefined, stderr: (text: string) => void messages.push(text), isInteractive: true };
    const terminal = { ...person, cwd: '/', hasLeft: () => hasLeft };
    const deps = { ...app.deletionDeps, claim: async () => [], ...operator };
    const commands = documentCommands((use) => use(deps), terminal);
    const statusAfter = async () => {
      await runCommandLine(['documents', 'delete-due'], commands, terminal);
      return await app.db.read('select id, status from document');
    };
    assert.deepEqual(await statusAfter(), [{ id, status: 'available' }]);
    hasLeft = false;
    assert.deepEqual(await statusAfter(), [{ id, status: 'erased' }]);
    const ended = '\r\u001b[K1 erased, 0 under a legal hold\n';
    assert.deepEqual(messages, ['\r\u001b[K0 erased, 0 under a legal hold\n', '\r1 documents', ended]);
  });
}

test('delete-due prints each page after erasing it, and waits until its caller has read it', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const app = await openDocumentApp(t, engine);
  await app.db.write([upsertRetentionClass({ name: 'note', keepDays: 1, eraseAfterDays: 2, legalBasis: 'x' }, 0)]);
  const ids: string[] = [];
  for (let at = 0; at < 101; at += 1) {
    ids.push(await depositDocumentOf(app, makePdf(100), { 'document-retention-class': 'note' }));
  }
  app.time.now += 2 * dayMs;
  const erased = async () =>
    (await app.db.read("select id from document where status = 'erased' order by id")).map(
      (row) => `${row['id']}\terased`,
    );
  let printed = '';
  const seen: number[] = [];
  const messages: string[] = [];
  const terminal = {
    stdout: (text: string) => {
      printed += text;
    },
    stderr: (text: string) => void messages.push(text),
    drained: async () => {
      const lines = printed.split('\n').slice(0, -1);
      assert.deepEqual(lines.toSorted(), await erased());
      seen.push(lines.length);
    },
    isInteractive: true,
    cwd: '/',
  };
  const deps = { ...app.deletionDeps, claim: async () => [], ...operator };
  const commands = documentCommands((use) => use(deps), terminal);
  assert.equal(await runCommandLine(['documents', 'delete-due'], commands, terminal), 0);
  assert.deepEqual([seen, ids.length], [[100, 101], 101]);
  const clear = '\r\u001b[K';
  assert.deepEqual(messages, [
    '\r100 documents',
    clear,
    '\r101 documents',
    `${clear}101 erased, 0 under a legal hold\n`,
  ]);
});

test('rescan stops queueing documents when its caller has ended', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const app = await openDocumentApp(t, engine);
  let queued = 0;
  const claim = async (): Promise<Row[]> => {
    queued += 1_000;
    return queued > 5_000 ? [] : Array.from({ length: 1_000 }, (_, at) => ({ id: `doc_${at}` }));
  };
  const silent = { stdout: () => undefined, stderr: () => undefined, isInteractive: false, cwd: '/' };
  const terminal = { ...silent, hasLeft: () => queued >= 2_000 };
  const commands = documentCommands((use) => use({ ...app.deletionDeps, claim, ...operator }), terminal);
  assert.equal(await runCommandLine(['documents', 'rescan'], commands, terminal), 1);
  assert.equal(queued, 2_000);
});
