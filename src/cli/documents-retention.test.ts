import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import {
  depositDocumentOf,
  makePdf,
  openDocumentApp,
  otherCitizenId,
  testCitizenId,
} from '../../test/support/document-app.ts';
import { rootKeyFromBytes } from '../crypto/root-key.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { runCommandLine } from './command.ts';
import { retentionCommands } from './documents-retention.ts';

for (const engine of engines) {
  test(`${engine.name}: the command for a hold on a citizen prints the number of their documents, and fails for an unknown id`, async (t) => {
    const app = await openDocumentApp(t, engine);
    await depositDocumentOf(app, makePdf(1_000));
    await depositDocumentOf(app, makePdf(2_000));
    const deps = {
      ...app.deletionDeps,
      claim: async () => [],
      operator: 'ops',
      root: rootKeyFromBytes(new Uint8Array(32)),
      random: systemRandom,
    };
    const placeOn = async (citizenId: string) => {
      let printed = '';
      const stderr = (text: string) => {
        printed += text;
      };
      let placed = '';
      const stdout = (text: string) => {
        placed += text;
      };
      const terminal = { stdout, stderr, isInteractive: false, cwd: '/' };
      const commands = retentionCommands((use) => use(deps), terminal);
      const args = ['holds', 'add', '--citizen', citizenId, '--reason', 'Court order 4 O 12/26'];
      const code = await runCommandLine(args, commands, terminal);
      assert.match(placed, code === 0 ? /^hld_\w{26}\n$/ : /^$/);
      return { code, printed };
    };
    assert.deepEqual(await placeOn(testCitizenId), {
      code: 0,
      printed: 'The hold applies to all documents of this citizen (2 now) and to later deposits.\n',
    });
    // Citizens of an external register have no keys here.
    await app.db.write(app.citizenKeys.destructionStatements(otherCitizenId));
    assert.deepEqual(await placeOn(otherCitizenId), {
      code: 0,
      printed: 'The hold applies to all future documents of this citizen. There are none now.\n',
    });
    const slip = await placeOn(`${testCitizenId}x`);
    assert.equal(slip.code, 1);
    assert.match(slip.printed, /^the citizen is not in the register and has no document/);
  });
}
