import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { WriteBusy, WriteRefused, WriteUnknown } from '../../src/db/database.ts';
import type { BlobStore } from '../../src/documents/blobs/blob-store.ts';
import { openS3Blobs } from '../../src/documents/blobs/s3-blobs.ts';
import { sweepBlobs } from '../../src/documents/blobs/sweep-blobs.ts';
import { runDeletion } from '../../src/documents/retention/run-deletion.ts';
import { verifyDocuments } from '../../src/documents/verify-documents.ts';
import { parseId } from '../../src/kernel/id.ts';
import { engines } from '../support/database-engines.ts';
import {
  type DocumentApp,
  depositDocumentOf,
  depositHeadersOf,
  makePdf,
  openDocumentApp,
} from '../support/document-app.ts';
import { startS3Server } from '../support/s3-server.ts';

const bytes = makePdf(30_000);
const endOfTime = Number.MAX_SAFE_INTEGER;
const whenever = { before: endOfTime, rowless: endOfTime };
const operator = { operator: 'clerk' } as const;

const stores: readonly { readonly name: string; use(t: TestContext, app: DocumentApp): Promise<void> }[] = [
  { name: 'folder', use: async () => undefined },
  {
    name: 's3',
    use: async (t, app) => {
      app.wires.blobs = openS3Blobs(await startS3Server(t));
    },
  },
];

/** One external call that fails before or after its effect. */
type Fault = { readonly name: string; inject(app: DocumentApp, when: 'before' | 'after'): void };

const putFails: Fault = {
  name: 'put',
  inject: ({ wires }, when) => {
    const real = wires.blobs;
    const put: BlobStore['put'] = async (name, pieces) => {
      if (when === 'after') await real.put(name, pieces);
      throw new Error('no answer from the store');
    };
    wires.blobs = { ...real, put };
  },
};
const removeFails: Fault = {
  name: 'remove',
  inject: ({ wires }, when) => {
    const real = wires.blobs;
    const remove: BlobStore['remove'] = async (name) => {
      if (when === 'after') await real.remove(name);
      throw new Error('no answer from the store');
    };
    wires.blobs = { ...real, remove };
  },
};
const writeFails = (name: string, fault: () => Error): Fault => ({
  name,
  inject: ({ wires }, when) => {
    const real = wires.write;
    wires.write = async (unit) => {
      if (when === 'after') await real(unit);
      throw fault();
    };
  },
});
const unknown = writeFails('write, outcome unknown', () => new WriteUnknown('the line was lost'));
const busy = writeFails('write, busy', () => new WriteBusy('three times'));
const refused = writeFails('write, refused', () => new WriteRefused('unique', 0, 'there already'));

/** Each call of a deposit and of an erasure. `refused` and `busy` mean that nothing was done: they have no `after`. */
const table: readonly (readonly [what: 'deposit' | 'withdraw' | 'run', Fault, ...whens: ('before' | 'after')[]])[] = [
  ['deposit', putFails, 'before', 'after'],
  ['deposit', unknown, 'before', 'after'],
  ['deposit', busy, 'before'],
  ['deposit', refused, 'before'],
  ['withdraw', unknown, 'before', 'after'],
  ['withdraw', busy, 'before'],
  ['withdraw', removeFails, 'before', 'after'],
  ['run', unknown, 'before', 'after'],
  ['run', removeFails, 'before', 'after'],
];

async function act(app: DocumentApp, what: string, id: string): Promise<void> {
  const doing = async () => {
    if (what === 'deposit') await app.deposit({ headers: depositHeadersOf(bytes), body: [bytes] });
    else if (what === 'withdraw') await app.withdraw(id);
    else await runDeletion(app.deletionDeps, operator, false);
  };
  await doing().catch((fault: unknown) => assert.ok(fault instanceof Error));
}

/** After a restart: the sweep has run, the verifier finds nothing, and each remaining document opens completely. */
async function settled(app: DocumentApp): Promise<number> {
  await sweepBlobs({ blobs: app.wires.blobs, read: app.db.read }, whenever);
  const { findings } = await verifyDocuments({
    ...app.deletionDeps,
    readBytes: true,
    before: endOfTime,
    onFinding: ({ id, fault }) => assert.fail(`${id}: ${fault}`),
    onProgress: () => undefined,
  });
  assert.equal(findings, 0);
  const rows = await app.db.read("select id from document where status = 'available'");
  for (const row of rows) {
    const id = parseId('document', String(row['id']));
    assert.ok(id !== undefined);
    const got = await app.retrieve(id);
    assert.ok('status' in got && got.bytes.equals(bytes));
  }
  return rows.length;
}

for (const engine of engines) {
  for (const store of stores) {
    test(`${engine.name}: on ${store.name}, after every fault the document is either complete or absent`, async (t) => {
      for (const [what, fault, ...whens] of table) {
        for (const when of whens) {
          await t.test(`${what}: no document is partial if ${fault.name} fails ${when} its effect`, async (t) => {
            const app = await openDocumentApp(t, engine);
            await store.use(t, app);
            const [blobs, write] = [app.wires.blobs, app.wires.write];
            // More documents with an owner than without: otherwise the sweep assumes the wrong database.
            const ids = [await depositDocumentOf(app, bytes), await depositDocumentOf(app, bytes)];
            const due = { 'document-retain-until': new Date(app.time.now + 1).toISOString() };
            const last = what === 'deposit' ? '' : await depositDocumentOf(app, bytes, what === 'run' ? due : {});
            if (what === 'run') await app.withdraw(last);
            app.time.now += 10;
            fault.inject(app, when);
            await act(app, what, last);
            Object.assign(app.wires, { blobs, write });
            const stored = what === 'deposit' && fault === unknown && when === 'after';
            const kept = what === 'withdraw' && fault !== removeFails && when === 'before';
            assert.equal(await settled(app), ids.length + (stored || kept ? 1 : 0));
          });
        }
      }
    });
  }
}
