import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citizen, deposited, openDocumentHouse, otherCitizen, pdfOf } from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import { runCommandLine } from './command.ts';
import { keepingCommands } from './documents-keeping.ts';

for (const engine of engines) {
  test(`${engine.name}: a hold on a citizen says how many documents it is on, and on a wrong id that nobody has it`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    await deposited(house, pdfOf(1_000));
    await deposited(house, pdfOf(2_000));
    const room = { ...house.keeping, claim: async () => [], operator: 'ops' };
    const placeOn = async (citizenId: string) => {
      let told = '';
      const stderr = (text: string) => {
        told += text;
      };
      let placed = '';
      const stdout = (text: string) => {
        placed += text;
      };
      const terminal = { stdout, stderr, isInteractive: false, cwd: '/' };
      const commands = keepingCommands((use) => use(room), terminal);
      const args = ['documents', 'hold', '--citizen', citizenId, '--reason', 'Court order 4 O 12/26'];
      const code = await runCommandLine(args, commands, terminal);
      assert.match(placed, code === 0 ? /^hld_\w{26}\n$/ : /^$/);
      return { code, told };
    };
    assert.deepEqual(await placeOn(citizen), {
      code: 0,
      told: 'It holds the documents of this citizen, now 2, and what is deposited later.\n',
    });
    // Citizens of a register elsewhere have no keys here.
    await house.db.write([house.citizenKeys.destruction(otherCitizen)]);
    assert.deepEqual(await placeOn(otherCitizen), {
      code: 0,
      told: 'Nothing of this citizen lies here now. It holds what is deposited later.\n',
    });
    const slip = await placeOn(`${citizen}x`);
    assert.equal(slip.code, 1);
    assert.match(slip.told, /^the register knows no such citizen/);
  });
}
