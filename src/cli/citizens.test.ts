import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import { buildLedgerHouse } from '../../test/ledger-house.ts';
import { openFolderBlobs } from '../documents/blobs/folder.ts';
import { citizenCommands } from './citizens.ts';
import { runCommandLine } from './command.ts';

test('an access log ends behind the page at which whoever asked for it has left', async (t) => {
  const [engine = assert.fail()] = engines;
  const house = buildLedgerHouse(await engine.open(t));
  await house.use(...Array.from({ length: 250 }, () => 'anna'));
  await house.sequence();
  const lines: string[] = [];
  const told: string[] = [];
  const terminal = {
    stdout: (line: string) => void lines.push(line),
    stderr: (text: string) => void told.push(text),
    ...{ isInteractive: true, cwd: '/', hasLeft: () => lines.length > 101 },
  };
  const room = {
    ...{
      ...house,
      read: house.db.read,
      log: house.view,
      organisationOf: (clientId: string) => clientId,
      operator: 'clerk',
    },
    documents: { blobs: await openFolderBlobs(await temporaryFolder(t)), alarm: assert.fail },
  };
  const commands = citizenCommands((use) => use(room), terminal);
  assert.equal(await runCommandLine(['ledger', 'access-log', 'anna'], commands, terminal), 1);
  // A line of what is common to all, and two pages.
  assert.equal(lines.length, 201);
  assert.deepEqual(told, ['\r100 of 250 entries', 'whoever ran this command was stopped\n']);
});
