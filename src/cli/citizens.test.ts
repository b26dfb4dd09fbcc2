import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as aTurn } from 'node:timers/promises';
import { temporaryFolder } from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import { buildLedgerHouse } from '../../test/ledger-house.ts';
import { openFolderBlobs } from '../documents/blobs/folder.ts';
import { citizenCommands } from './citizens.ts';
import { runCommandLine, type Terminal } from './command.ts';

/** A house in which anna was asked for 250 times, and the commands on it. */
async function lookedUp(t: TestContext) {
  const [engine = assert.fail()] = engines;
  const house = buildLedgerHouse(await engine.open(t));
  await house.use(...Array.from({ length: 250 }, () => 'anna'));
  await house.sequence();
  const room = {
    ...{
      ...house,
      read: house.db.read,
      log: house.view,
      organisationOf: (clientId: string) => clientId,
      explanationOf: async () => undefined,
      operator: 'clerk',
    },
    documents: { blobs: await openFolderBlobs(await temporaryFolder(t)), alarm: assert.fail },
  };
  return async (terminal: Terminal, citizenId = 'anna') =>
    await runCommandLine(
      ['ledger', 'access-log', citizenId],
      citizenCommands((use) => use(room), terminal),
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
    taken: async () => {
      for (let turn = 0; turn < 100; turn += 1) await aTurn();
      seen.push(lines.length);
    },
  };
  assert.equal(await accessLog(terminal), 0);
  assert.deepEqual([seen, lines.length], [[101, 201, 251], 251]);
});
