import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { sweepBlobs } from '../../src/documents/sweep-blobs.ts';
import { verifyDocuments } from '../../src/documents/verify-documents.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { buildDocumentHouse, pdfOf, temporaryFolder } from '../document-house.ts';

test('after kill -9 every answered deposit is whole, and nothing is left of the others', async (t) => {
  const folder = await temporaryFolder(t);
  const open = () => openSqlite(join(folder, 'house.sqlite'), { random: systemRandom });
  const first = await open();
  await migrate(first, { now: () => 0 });
  await first.close();

  const answered = new Map<string, number>();
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'deposit-loop.ts'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    for await (const line of createInterface({ input: child.stdout })) {
      const [id = '', size] = line.split(' ');
      answered.set(id, Number(size));
      // Killed at the answer of one, while three others are somewhere on their way.
      if (answered.size >= 34 * (round + 1)) child.kill('SIGKILL');
    }
    await ended;
  }

  const db = await open();
  t.after(() => db.close());
  const house = await buildDocumentHouse(db, folder, new Uint8Array(32));
  await sweepBlobs({ blobs: house.wires.blobs, read: db.read }, Number.MAX_SAFE_INTEGER);
  const verified = await verifyDocuments({
    ...house.keeping,
    readBytes: true,
    before: Number.MAX_SAFE_INTEGER,
    onFinding: ({ id, fault }) => assert.fail(`${id}: ${fault}`),
    onProgress: () => undefined,
  });
  assert.ok(verified.documents >= answered.size && answered.size >= 100);
  const rows = await db.read('select id from document order by id');
  const blobs = (await house.files()).filter(({ path }) => path.startsWith('documents'));
  assert.deepEqual(
    blobs.map(({ path }) => path.slice(-30)).sort(),
    rows.map(({ id }) => id),
  );
  for (const [id, size] of answered) {
    const result = await house.retrieve(id);
    assert.ok('status' in result && result.bytes.equals(pdfOf(size)), id);
  }
  assert.deepEqual(house.alarms, []);
});
