import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as aTurn } from 'node:timers/promises';
import { engines } from '../../test/support/database-engines.ts';
import { makeDocumentFolder } from '../../test/support/document-app.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';
import { openFolderBlobs } from '../documents/blobs/folder-blobs.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { savePreferences, saveVerifiedContacts } from '../notifications/contact/contact-preferences-store.ts';
import { citizenCommands } from './citizens.ts';
import { runCommandLine, type Terminal } from './command.ts';

/** What the commands about single citizens are given. */
async function roomOf(t: TestContext, app: ReturnType<typeof buildLedgerApp>) {
  return {
    ...app,
    read: app.db.read,
    log: app.view,
    organisationOf: (clientId: string) => clientId,
    explanationOf: async () => undefined,
    operator: 'clerk',
    documents: { blobs: await openFolderBlobs(await makeDocumentFolder(t)), alarm: assert.fail },
  };
}

/** A house in which anna was asked for 250 times, and the commands on it. */
async function lookedUp(t: TestContext) {
  const [engine = assert.fail()] = engines;
  const app = buildLedgerApp(await engine.open(t));
  await app.use(...Array.from({ length: 250 }, () => 'anna'));
  await app.sequence();
  const deps = await roomOf(t, app);
  return async (terminal: Terminal, citizenId = 'anna') =>
    await runCommandLine(
      ['ledger', 'access-log', citizenId],
      citizenCommands((use) => use(deps), terminal),
      terminal,
    );
}

test('an access log ends behind the page at which whoever asked for it has left', async (t) => {
  const accessLog = await lookedUp(t);
  const lines: string[] = [];
  const told: string[] = [];
  const terminal = {
    stdout: (line: string) => void lines.push(line),
    stderr: (text: string) => void told.push(text),
    ...{ isInteractive: true, cwd: '/', hasLeft: () => lines.length > 101 },
  };
  assert.equal(await accessLog(terminal), 1);
  // A line of what is common to all, and two pages.
  assert.equal(lines.length, 201);
  assert.deepEqual(told, ['\r100 of 250 entries']);
});

test('who asks for an access log under an id that nothing is on record of is asked back', async (t) => {
  const accessLog = await lookedUp(t);
  const told: string[] = [];
  const terminal = { stdout: () => undefined, stderr: (text: string) => void told.push(text) };
  for (const id of ['anna', 'annna'])
    assert.equal(await accessLog({ ...terminal, isInteractive: false, cwd: '/' }, id), 0);
  assert.deepEqual(told, ['250 uses\n', '0 uses: nothing is on record under this id; is it that of the register?\n']);
});

test('the next page of an access log waits until the one before it was taken', async (t) => {
  const accessLog = await lookedUp(t);
  const [lines, seen]: [string[], number[]] = [[], []];
  const terminal = {
    stdout: (line: string) => void lines.push(line),
    ...{ stderr: () => undefined, isInteractive: false, cwd: '/' },
    drained: async () => {
      for (let turn = 0; turn < 100; turn += 1) await aTurn();
      seen.push(lines.length);
    },
  };
  assert.equal(await accessLog(terminal), 0);
  assert.deepEqual([seen, lines.length], [[101, 201, 251], 251]);
});

for (const engine of engines) {
  test(`${engine.name}: of a citizen who is erased nothing is left of how to reach them, and of others all of it`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const { citizenKeys, clock, db } = app;
    await db.write(citizenKeys.creationStatements(['anna', 'ben']));
    for (const citizenId of ['anna', 'ben']) {
      const stating = { citizenId, now: clock.now(), key: await citizenKeys.keyOf(citizenId) };
      await db.write([
        savePreferences({ ...stating, value: {} }, systemRandom),
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
    assert.equal(await erase('anna'), 1);
    assert.match(terminal.told.join(''), /The key is destroyed.*no key of this citizen/s);
  });
}

async function erasing(t: TestContext, app: ReturnType<typeof buildLedgerApp>) {
  const told: string[] = [];
  const terminal = { told, stdout: assert.fail, stderr: (text: string) => void told.push(text), isInteractive: false };
  const deps = await roomOf(t, app);
  const erase = async (citizenId: string) =>
    await runCommandLine(
      ['citizens', 'erase', citizenId, '--yes'],
      citizenCommands((use) => use(deps), { ...terminal, cwd: '/' }),
      { ...terminal, cwd: '/' },
    );
  return { terminal, erase };
}
