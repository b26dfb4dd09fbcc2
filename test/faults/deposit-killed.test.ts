import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openS3Blobs } from '../../src/documents/blobs/s3-blobs.ts';
import { sweepBlobs } from '../../src/documents/blobs/sweep-blobs.ts';
import { verifyDocuments } from '../../src/documents/verify-documents.ts';
import { engines } from '../support/database-engines.ts';
import {
  buildDocumentApp,
  type DocumentApp,
  depositDocumentOf,
  makeDocumentFolder,
  makePdf,
} from '../support/document-app.ts';
import { fetchOnce } from '../support/http-client.ts';
import { waitUntilNoSessions } from '../support/postgres-databases.ts';
import { strictS3IdlePath, strictS3Place } from '../support/strict-s3-server.ts';

/** The blob store of an app; `settled` resolves when no work of a killed process is left in it. */
type Store = {
  readonly name: string;
  open(t: TestContext): Promise<{ readonly endpoint?: string; settled(): Promise<void> }>;
};

const stores: readonly Store[] = [
  { name: 'folder', open: async () => ({ settled: async () => undefined }) },
  {
    name: 's3',
    open: async (t) => {
      const program = join(import.meta.dirname, '..', 'support/strict-s3-server.ts');
      const child = spawn(process.execPath, [program, await makeDocumentFolder(t)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      t.after(async () => {
        child.stdin.end();
        await once(child, 'exit');
      });
      const [endpoint] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      return { endpoint, settled: async () => void (await fetchOnce(`${endpoint}${strictS3IdlePath}`)) };
    },
  },
];

/** The number of concurrent deposits; set `UPLOADS=100` for more. */
const atOnce = Number(process.env['UPLOADS'] ?? 32);

/** The number of answers after which the process is killed, while the other uploads run. */
const killedAt = [1, Math.round(0.4 * atOnce), Math.round(0.75 * atOnce)];

/** More documents with an owner than a kill leaves without one: otherwise the sweep assumes the wrong database. */
const earlier = atOnce;

async function earlierDocuments(app: DocumentApp): Promise<Map<string, number>> {
  const ids = await Promise.all(Array.from({ length: earlier }, () => depositDocumentOf(app, makePdf(100))));
  return new Map(ids.map((id) => [id, 100]));
}

/** Lets the process deposit until that many were answered, and kills it; returns the answers. */
async function depositAndKill(args: readonly string[], answers: number): Promise<ReadonlyMap<string, number>> {
  const loop = join(import.meta.dirname, 'deposit-process.ts');
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

/** After the sweep each blob has its row, each row its blob, and each answered document opens completely; returns the rows. */
async function assertSwept(app: DocumentApp, answered: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const whenever = { before: Number.MAX_SAFE_INTEGER, rowless: Number.MAX_SAFE_INTEGER };
  await sweepBlobs({ blobs: app.wires.blobs, read: app.db.read }, whenever);
  const rows = (await app.db.read('select id from document order by id')).map(({ id }) => String(id));
  const blobs = await Array.fromAsync(app.wires.blobs.list(), ({ name }) => name);
  assert.deepEqual(blobs.sort(), rows);
  for (const [id, size] of answered) {
    const result = await app.retrieve(id);
    assert.ok('status' in result && result.bytes.equals(makePdf(size)), id);
  }
  assert.deepEqual(app.alarms, []);
  return rows;
}

/** The verifier reads every document, including unanswered ones, and finds no fault. */
async function assertVerified(app: DocumentApp): Promise<void> {
  await verifyDocuments({
    ...app.deletionDeps,
    readBytes: true,
    before: Number.MAX_SAFE_INTEGER,
    onFinding: ({ id, fault }) => assert.fail(`${id}: ${fault}`),
    onProgress: () => undefined,
  });
}

for (const engine of engines) {
  for (const store of stores) {
    test(`${engine.name}, ${store.name}: after kill -9 during uploads every acknowledged upload is complete, and no bytes of the others remain`, async (t) => {
      const folder = await makeDocumentFolder(t);
      const place = await engine.createLocation(t);
      const { endpoint, settled } = await store.open(t);
      const openAppAt = async (db: Database) => {
        const app = await buildDocumentApp(db, folder, new Uint8Array(32));
        if (endpoint !== undefined) app.wires.blobs = openS3Blobs(strictS3Place(endpoint));
        return app;
      };
      const first = await engine.openAt(place);
      await migrate(first, { now: () => 0 });
      const all = await earlierDocuments(await openAppAt(first));
      await first.close();
      let rows: readonly string[] = [];
      for (const answers of killedAt) {
        const args = [folder, engine.name, place, ...(endpoint === undefined ? [] : [endpoint])];
        const answered = await depositAndKill(args, answers);
        for (const [id, size] of answered) all.set(id, size);
        await settled();
        if (engine.name === 'postgres') await waitUntilNoSessions(place);
        const db = await engine.openAt(place);
        try {
          const app = await openAppAt(db);
          rows = await assertSwept(app, answered);
          if (answers === killedAt.at(-1)) await assertVerified(app);
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
