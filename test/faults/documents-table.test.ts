import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BlobStore } from '../../src/documents/blobs/blob-store.ts';
import { openS3Blobs } from '../../src/documents/blobs/s3.ts';
import { runDeletion } from '../../src/documents/deletion-run.ts';
import { sweepBlobs } from '../../src/documents/sweep-blobs.ts';
import { verifyDocuments } from '../../src/documents/verify-documents.ts';
import { parseId } from '../../src/kernel/id.ts';
import { WriteBusy, WriteRefused, WriteUnknown } from '../../src/store/db.ts';
import { type DocumentHouse, deposited, depositHeadersFor, openDocumentHouse, pdfOf } from '../document-house.ts';
import { engines } from '../engines.ts';
import { startS3 } from '../s3-server.ts';

const bytes = pdfOf(30_000);
const endOfTime = Number.MAX_SAFE_INTEGER;
const whenever = { before: endOfTime, rowless: endOfTime };
const operator = { operator: 'clerk' } as const;

const stores: readonly { readonly name: string; use(t: TestContext, house: DocumentHouse): Promise<void> }[] = [
  { name: 'folder', use: async () => undefined },
  {
    name: 's3',
    use: async (t, house) => {
      house.wires.blobs = openS3Blobs(await startS3(t));
    },
  },
];

/** One call to what lies outside, that fails before it was done or behind it. */
type Fault = { readonly name: string; spoil(house: DocumentHouse, when: 'before' | 'after'): void };

const putFails: Fault = {
  name: 'put',
  spoil: ({ wires }, when) => {
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
  spoil: ({ wires }, when) => {
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
  spoil: ({ wires }, when) => {
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

/** Every call of a deposit and of an erasure. A refusal and being busy mean that nothing was done: no `after` there. */
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

async function act(house: DocumentHouse, what: string, id: string): Promise<void> {
  const doing = async () => {
    if (what === 'deposit') await house.deposit({ headers: depositHeadersFor(bytes), body: [bytes] });
    else if (what === 'withdraw') await house.withdraw(id);
    else await runDeletion(house.keeping, operator, false);
  };
  await doing().catch((fault: unknown) => assert.ok(fault instanceof Error));
}

/** After a restart: the sweep has run, the verifier finds nothing, and every document that is there opens whole. */
async function settled(house: DocumentHouse): Promise<number> {
  await sweepBlobs({ blobs: house.wires.blobs, read: house.db.read }, whenever);
  const { findings } = await verifyDocuments({
    ...house.keeping,
    readBytes: true,
    before: endOfTime,
    onFinding: ({ id, fault }) => assert.fail(`${id}: ${fault}`),
    onProgress: () => undefined,
  });
  assert.equal(findings, 0);
  const rows = await house.db.read("select id from document where status = 'available'");
  for (const row of rows) {
    const id = parseId('document', String(row['id']));
    assert.ok(id !== undefined);
    const got = await house.retrieve(id);
    assert.ok('status' in got && got.bytes.equals(bytes));
  }
  return rows.length;
}

for (const engine of engines) {
  for (const store of stores) {
    test(`${engine.name}: on ${store.name}, after every fault there is nothing or the whole document, never half`, async (t) => {
      for (const [what, fault, ...whens] of table) {
        for (const when of whens) {
          await t.test(`${what}: ${fault.name} fails ${when}`, async (t) => {
            const house = await openDocumentHouse(t, engine);
            await store.use(t, house);
            const [blobs, write] = [house.wires.blobs, house.wires.write];
            // More documents with an owner than without: else the sweep takes this for the wrong database.
            const ids = [await deposited(house, bytes), await deposited(house, bytes)];
            const due = { 'document-retain-until': new Date(house.time.now + 1).toISOString() };
            const last = what === 'deposit' ? '' : await deposited(house, bytes, what === 'run' ? due : {});
            if (what === 'run') await house.withdraw(last);
            house.time.now += 10;
            fault.spoil(house, when);
            await act(house, what, last);
            Object.assign(house.wires, { blobs, write });
            const stored = what === 'deposit' && fault === unknown && when === 'after';
            const kept = what === 'withdraw' && fault !== removeFails && when === 'before';
            assert.equal(await settled(house), ids.length + (stored || kept ? 1 : 0));
          });
        }
      }
    });
  }
}
