import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createNoteSigner, signatureTypes } from '../../src/ledger/tlog/note-key.ts';
import { doctorOnDamagedDemo } from '../support/doctor.ts';
import { freePort } from '../support/free-port.ts';
import { fileCleanupScope } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const thisFile = fileCleanupScope();
const doctorAfter = doctorOnDamagedDemo(thisFile);

test('a witness that does not answer, and a ledger without cosignatures, are warnings', async (t) => {
  const witness = createNoteSigner(signatureTypes.cosignature, 'witness.city.example', new Uint8Array(32).fill(3));
  const url = `http://127.0.0.1:${await freePort()}`;
  const policy = join(makeTestFolder('cs-witnesses-'), 'policy');
  writeFileSync(policy, `witness city ${witness.vkey} ${url}\nquorum city\n`);
  const { failures, code } = await doctorAfter(t, undefined, { LEDGER_WITNESSES: policy });
  const [ledger, away, ...others] = failures();
  assert.deepEqual([ledger?.name, ledger?.status], ['ledger', 'warn']);
  assert.match(ledger?.found ?? '', /^\d+ entries, \d+ signed, the last .* ago, 0 cosigned by the witnesses$/);
  assert.deepEqual([away?.name, away?.status], ['witnesses', 'warn']);
  assert.match(away?.found ?? '', new RegExp(`^${url}: connect ECONNREFUSED `));
  assert.equal(away?.fix, 'check that it runs and that this machine can reach it, or change LEDGER_WITNESSES');
  assert.deepEqual([others, code], [[], 0]);
});
