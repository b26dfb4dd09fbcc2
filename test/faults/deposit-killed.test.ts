import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { openS3Blobs } from '../../src/documents/blobs/s3.ts';
import { sweepBlobs } from '../../src/documents/sweep-blobs.ts';
import { verifyDocuments } from '../../src/documents/verify-documents.ts';
import type { Db } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrations.ts';
import { buildDocumentHouse, type DocumentHouse, deposited, pdfOf, temporaryFolder } from '../document-house.ts';
import { engines } from '../engines.ts';
import { untilLeft } from '../postgres-databases.ts';
import { idlePath, strictPlace } from '../strict-s3.ts';

/** Where the blobs of a house lie; `settled` resolves when nothing of a killed program is still at work there. */
type Store = {
  readonly name: string;
  open(t: TestContext): Promise<{ readonly endpoint?: string; settled(): Promise<void> }>;
};

const stores: readonly Store[] = [
  { name: 'folder', open: async () => ({ settled: async () => undefined }) },
  {
    name: 's3',
    open: async (t) => {
      const program = join(import.meta.dirname, '..', 'strict-s3-process.ts');
      const child = spawn(process.execPath, [program, await temporaryFolder(t)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      t.after(async () => {
        child.stdin.end();
        await once(child, 'exit');
      });
      const [endpoint] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      return { endpoint, settled: async () => void (await fetch(`${endpoint}${idlePath}`)) };
    },
  },
];

/** How many are deposited at once; `UPLOADS=100` for more. */
const atOnce = Number(process.env['UPLOADS'] ?? 32);

/** Killed at the answer of so many, while the others are somewhere on their way. */
const killedAt = [1, Math.round(0.4 * atOnce), Math.round(0.75 * atOnce)];

/** More documents with an owner than a kill leaves without one: else the sweep takes this for the wrong database. */
const earlier = atOnce;

async function earlierDocuments(house: DocumentHouse): Promise<Map<string, number>> {
  const ids = await Promise.all(Array.from({ length: earlier }, () => deposited(house, pdfOf(100))));
  return new Map(ids.map((id) => [id, 100]));
}

/** Lets the program deposit until so many were answered, and kills it; gives what was answered. */
async function depositAndKill(args: readonly string[], answers: number): Promise<ReadonlyMap<string, number>> {
  const loop = join(import.meta.dirname, 'deposit-loop.ts');
  const child = spawn(process.execPath, [loop, String(atOnce), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const answered = new Map<string, number>();
  for await (const line of createInterface({ input: child.stdout })) {
    const [id = '', size] = line.split(' ');
    answered.set(id, Number(size));
    if (answered.size >= answers) child.kill('SIGKILL');
  }
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  return answered;
}

/** Behind the sweep each blob has its row, each row its blob, and all that was just answered opens whole; gives the rows. */
async function assertSwept(house: DocumentHouse, answered: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const whenever = { before: Number.MAX_SAFE_INTEGER, rowless: Number.MAX_SAFE_INTEGER };
  await sweepBlobs({ blobs: house.wires.blobs, read: house.db.read }, whenever);
  const rows = (await house.db.read('select id from document order by id')).map(({ id }) => String(id));
  const blobs = await Array.fromAsync(house.wires.blobs.list(), ({ name }) => name);
  assert.deepEqual(blobs.sort(), rows);
  for (const [id, size] of answered) {
    const result = await house.retrieve(id);
    assert.ok('status' in result && result.bytes.equals(pdfOf(size)), id);
  }
  assert.deepEqual(house.alarms, []);
  return rows;
}

/** The verifier reads every document, those too of which nobody was told, and finds nothing. */
async function assertVerified(house: DocumentHouse): Promise<void> {
  await verifyDocuments({
    ...house.keeping,
    readBytes: true,
    before: Number.MAX_SAFE_INTEGER,
    onFinding: ({ id, fault }) => assert.fail(`${id}: ${fault}`),
    onProgress: () => undefined,
  });
}

for (const engine of engines) {
  for (const store of stores) {
    test(`${engine.name}, ${store.name}: after kill -9 among many uploads every answered one is whole, and nothing is left of the others`, async (t) => {
      const folder = await temporaryFolder(t);
      const place = await engine.place(t);
      const { endpoint, settled } = await store.open(t);
      const houseAt = async (db: Db) => {
        const house = await buildDocumentHouse(db, folder, new Uint8Array(32));
        if (endpoint !== undefined) house.wires.blobs = openS3Blobs(strictPlace(endpoint));
        return house;
      };
      const first = await engine.openAt(place);
      await migrate(first, { now: () => 0 });
      const all = await earlierDocuments(await houseAt(first));
      await first.close();
      let rows: readonly string[] = [];
      for (const answers of killedAt) {
        const args = [folder, engine.name, place, ...(endpoint === undefined ? [] : [endpoint])];
        const answered = await depositAndKill(args, answers);
        for (const [id, size] of answered) all.set(id, size);
        await settled();
        if (engine.name === 'postgres') await untilLeft(place);
        const db = await engine.openAt(place);
        try {
          const house = await houseAt(db);
          rows = await assertSwept(house, answered);
          if (answers === killedAt.at(-1)) await assertVerified(house);
        } finally {
          await db.close();
        }
      }
      assert.deepEqual(
        [...all.keys()].filter((id) => !rows.includes(id)),
        [],
      );
      const answered = all.size - earlier;
      assert.ok(answered >= atOnce);
      t.diagnostic(
        `${answered} answered, ${rows.length - earlier} stored, of ${killedAt.length} times ${atOnce} that were killed`,
      );
    });
  }
}
