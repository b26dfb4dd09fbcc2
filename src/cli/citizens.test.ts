import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { engines } from '../../test/support/database-engines.ts';
import { makeDocumentFolder } from '../../test/support/document-app.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';
import { eraseWholeCitizen, type WholeErasureOptions } from '../app/erasure.ts';
import { openFolderBlobs } from '../documents/blobs/folder-blobs.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { noPreferences } from '../notifications/contact/contact-preferences.ts';
import { savePreferences, saveVerifiedContacts } from '../notifications/contact/contact-preferences-store.ts';
import { citizenCommands } from './citizens.ts';
import { runCommandLine, type Terminal } from './command.ts';

/** The dependencies of the commands about one citizen. */
async function contextOf(t: TestContext, app: ReturnType<typeof buildLedgerApp>) {
  const documents = { blobs: await openFolderBlobs(await makeDocumentFolder(t)), alarm: assert.fail };
  return {
    ...app,
    erase: (citizenId: string, { commit, ...options }: WholeErasureOptions & Pick<typeof app, 'commit'>) =>
      eraseWholeCitizen({ ...app, commit, read: app.db.read, documents }, citizenId, options),
    hasOtherRegister: false,
    read: app.db.read,
    log: app.view,
    organisationOf: (clientId: string) => clientId,
    explanationOf: async () => undefined,
    operator: 'clerk',
    random: systemRandom,
  };
}

/** Runs `ledger access-log` on an app with 250 uses of the data of anna. */
async function openAccessLog(t: TestContext) {
  const [engine = assert.fail()] = engines;
  const app = buildLedgerApp(await engine.open(t));
  await app.use(...Array.from({ length: 250 }, () => 'anna'));
  await app.sequence();
  const deps = await contextOf(t, app);
  return async (terminal: Terminal, citizenId = 'anna') =>
    await runCommandLine(
      ['ledger', 'access-log', citizenId],
      citizenCommands((use) => use(deps), terminal),
      terminal,
    );
}

test('access-log stops after the page during which its caller ended', async (t) => {
  const accessLog = await openAccessLog(t);
  const lines: string[] = [];
  const printed: string[] = [];
  const terminal = {
    stdout: (line: string) => void lines.push(line),
    stderr: (text: string) => void printed.push(text),
    isInteractive: true,
    cwd: '/',
    hasLeft: () => lines.length > 101,
  };
  assert.equal(await accessLog(terminal), 1);
  // The first line, which is for all pages, and two pages.
  assert.equal(lines.length, 201);
  assert.deepEqual(printed, ['\r100 of 250 entries']);
});

test('access-log for an id without uses asks whether the id is from the register', async (t) => {
  const accessLog = await openAccessLog(t);
  const printed: string[] = [];
  const terminal = { stdout: () => undefined, stderr: (text: string) => void printed.push(text) };
  for (const id of ['anna', 'annna'])
    assert.equal(await accessLog({ ...terminal, isInteractive: false, cwd: '/' }, id), 0);
  assert.deepEqual(printed, [
    '250 uses\n',
    '0 uses. Nothing is recorded about this id. Compare it with the register.\n',
  ]);
});

test('access-log prints a page only after its caller has read the previous one', async (t) => {
  const accessLog = await openAccessLog(t);
  const [lines, seen]: [string[], number[]] = [[], []];
  const terminal = {
    stdout: (line: string) => void lines.push(line),
    stderr: () => undefined,
    isInteractive: false,
    cwd: '/',
    drained: async () => {
      for (let turn = 0; turn < 100; turn += 1) await nextTick();
      seen.push(lines.length);
    },
  };
  assert.equal(await accessLog(terminal), 0);
  assert.deepEqual([seen, lines.length], [[101, 201, 251], 251]);
});

for (const engine of engines) {
  test(`${engine.name}: erasing a citizen deletes their preferences and contact codes, and no others`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const { citizenKeys, clock, db } = app;
    await db.write(citizenKeys.creationStatements(['anna', 'ben']));
    for (const citizenId of ['anna', 'ben']) {
      const stating = { citizenId, now: clock.now(), key: await citizenKeys.keyOf(citizenId) };
      await db.write([
        savePreferences({ ...stating, value: noPreferences }, systemRandom),
        saveVerifiedContacts({ ...stating, value: {} }, systemRandom),
        {
          sql: `insert into contact_code (citizen_id, channel, notification_id, sealed, ends_at, tries)
            values ($1, 'email', $1, $2, 1, 0)`,
          args: [citizenId, new Uint8Array(8)],
        },
      ]);
    }
    const { terminal, erase } = await erasing(t, app);
    assert.equal(await erase('anna'), 0);
    for (const table of ['contact_preference', 'contact_code'])
      assert.deepEqual(await db.read(`select citizen_id from ${table}`), [{ citizen_id: 'ben' }], table);
    // Data that was stored meanwhile could be erased by a second erasure. A mistyped id is reported.
    assert.equal(await erase('anna'), 0);
    assert.equal(await erase('annna'), 1);
    assert.match(terminal.printed.join(''), /The citizen is erased.*this installation has no data about this id/s);
  });
}

async function erasing(t: TestContext, app: ReturnType<typeof buildLedgerApp>) {
  const printed: string[] = [];
  const terminal = {
    printed,
    stdout: assert.fail,
    stderr: (text: string) => void printed.push(text),
    isInteractive: false,
  };
  const deps = await contextOf(t, app);
  const erase = async (citizenId: string) =>
    await runCommandLine(
      ['citizens', 'erase', citizenId, '--yes'],
      citizenCommands((use) => use(deps), { ...terminal, cwd: '/' }),
      { ...terminal, cwd: '/' },
    );
  return { terminal, erase };
}
