import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import {
  type DocumentApp,
  depositDocumentOf,
  makePdf,
  openDocumentApp,
  otherCitizenId,
  runDeletionWithIds,
  testCitizenId,
} from '../../test/support/document-app.ts';
import type { DocumentId } from '../kernel/id.ts';
import { CitizenUnderLegalHold, eraseCitizen } from '../ledger/erase-citizen.ts';
import { erasedIdOf } from '../ledger/erased-id.ts';
import { placeHold, releaseHold } from './retention/legal-hold.ts';
import { upsertRetentionClass } from './retention/retention-class.ts';
import {
  type DueDocument,
  dueForErasure,
  eraseDocumentsStatements,
  erasedDocumentsOf,
} from './retention/retention-store.ts';
import { type DocumentFinding, verifyDocuments } from './verify-documents.ts';

const dayMs = 86_400_000;
const operator = { operator: 'clerk' } as const;

async function statusOf(app: DocumentApp, id: DocumentId): Promise<string> {
  const [row] = await app.db.read('select status from document where id = $1', [id]);
  return String(row?.['status']);
}

async function slugOf(app: DocumentApp, id: DocumentId): Promise<string | number> {
  const got = await app.retrieve(id);
  return 'refusal' in got ? got.refusal.slug : got.status;
}

type Said = { readonly status: string; readonly receipt: string };

async function withdrawn(app: DocumentApp, id: DocumentId): Promise<unknown> {
  const got = await app.withdraw(id);
  return 'refusal' in got ? got.refusal.slug : (got.json as { status: string }).status;
}

async function findings(app: DocumentApp): Promise<string[]> {
  const found: DocumentFinding[] = [];
  await verifyDocuments({
    ...app.deletionDeps,
    readBytes: true,
    before: Number.MAX_SAFE_INTEGER,
    onFinding: (finding) => found.push(finding),
    onProgress: () => undefined,
  });
  return found.map(({ fault }) => fault);
}

async function held(app: DocumentApp, on: { document: DocumentId } | { citizenId: string }) {
  const placed = await placeHold(app.deletionDeps, { actor: operator, reason: 'court order 4 O 12/26', on });
  assert.ok('hold' in placed);
  return placed.hold;
}

for (const engine of engines) {
  test(`${engine.name}: a withdrawn document without retention and hold is erased with its key and bytes, and links the proof`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(40_000));
    assert.equal(await withdrawn(app, id), 'erased');
    assert.deepEqual(await app.files(), []);
    const [row] = await app.db.read('select sealed_record, erasure_event from document where id = $1', [id]);
    assert.equal(row?.['sealed_record'], null);
    const event = (await app.eventsAbout(testCitizenId)).at(-1);
    assert.deepEqual(
      [event?.['type'], event?.['rule'], event?.['id']],
      ['document.erased', 'withdrawn', row?.['erasure_event']],
    );
    assert.match(String(event?.['sealedDigest']), /^sha-256=:.{44}:$/);
    const gone = await app.retrieve(id);
    assert.ok('refusal' in gone && gone.refusal.slug === 'document-erased');
    assert.equal(gone.refusal.headers?.['link'], `</v1/receipts/${row?.['erasure_event']}>; rel="describedby"`);
    assert.equal(await withdrawn(app, id), 'document-erased');
    assert.deepEqual(await findings(app), []);
  });

  test(`${engine.name}: a document in retention is withdrawn and not delivered, and the deletion run erases it when the retention ends`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const until = new Date(app.time.now + 10 * dayMs).toISOString();
    const id = await depositDocumentOf(app, makePdf(100), { 'document-retain-until': until });
    const first = await app.withdraw(id);
    app.time.now += 1_000;
    const again = await app.withdraw(id);
    assert.ok('json' in first && 'json' in again);
    const [{ receipt, ...said }, { receipt: repeated, ...saidAgain }] = [first.json, again.json] as [Said, Said];
    assert.deepEqual([said.status, saidAgain], ['withdrawn', said]);
    assert.notEqual(repeated, receipt);
    const types = (await app.eventsAbout(testCitizenId)).map(({ type }) => type);
    assert.deepEqual(types, ['document.deposited', 'document.withdrawn', 'document.record-read']);
    assert.equal(await slugOf(app, id), 'document-withdrawn');
    assert.deepEqual((await runDeletionWithIds(app.deletionDeps, operator, false)).erased, []);
    app.time.now += 10 * dayMs - 1_001;
    assert.deepEqual((await runDeletionWithIds(app.deletionDeps, operator, false)).erased, []);
    app.time.now += 1;
    assert.deepEqual((await runDeletionWithIds(app.deletionDeps, operator, true)).erased, [id]);
    assert.equal(await statusOf(app, id), 'withdrawn');
    assert.deepEqual((await runDeletionWithIds(app.deletionDeps, operator, false)).erased, [id]);
    assert.equal(await slugOf(app, id), 'document-erased');
    assert.deepEqual(await app.files(), []);
  });

  test(`${engine.name}: a retention class sets how long a document is kept, and when the deletion run erases it`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const permit = { name: 'permit', keepDays: 5, eraseAfterDays: 30, legalBasis: 'Archive Act 3' };
    await app.db.write([upsertRetentionClass(permit, 0)]);
    const id = await depositDocumentOf(app, makePdf(100), { 'document-retention-class': 'permit' });
    const forever = await depositDocumentOf(app, makePdf(100));
    const wrong = await app.deposit({
      headers: {
        'content-type': 'application/pdf',
        'citizen-id': testCitizenId,
        'document-title': 'x',
        'document-retention-class': 'none',
      },
    });
    assert.ok('refusal' in wrong && wrong.refusal.issues?.[0]?.name === 'document-retention-class');
    app.time.now += 29 * dayMs;
    assert.deepEqual((await runDeletionWithIds(app.deletionDeps, operator, false)).erased, []);
    app.time.now += dayMs;
    assert.deepEqual((await runDeletionWithIds(app.deletionDeps, operator, false)).erased, [id]);
    assert.equal(await statusOf(app, forever), 'available');
    const erased = (await app.eventsAbout(testCitizenId)).filter(({ type }) => type === 'document.erased');
    assert.deepEqual(
      erased.map(({ rule, retentionClass }) => [rule, retentionClass]),
      [['retention-class', 'permit']],
    );
    const rows = await app.db.read(
      "select content from ledger_event where type = 'documents.deletion-run' order by id",
    );
    assert.equal(rows.length, 2);
  });

  test(`${engine.name}: a legal hold on a document or its citizen prevents erasure until the last one is released`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const [one, whole] = [await held(app, { document: id }), await held(app, { citizenId: testCitizenId })];
    const later = await depositDocumentOf(app, makePdf(100));
    assert.equal(await withdrawn(app, id), 'withdrawn');
    assert.equal(await withdrawn(app, later), 'withdrawn');
    for (const hold of [whole, one]) {
      const run = await runDeletionWithIds(app.deletionDeps, operator, false);
      assert.deepEqual(run.erased, hold === whole ? [] : [later]);
      assert.ok(run.held.includes(id));
      assert.deepEqual(await releaseHold(app.deletionDeps, hold, operator), {});
      assert.notDeepEqual(await releaseHold(app.deletionDeps, hold, operator), {});
    }
    assert.deepEqual((await runDeletionWithIds(app.deletionDeps, operator, false)).erased, [id]);
    assert.deepEqual(await findings(app), []);
    const types = (await app.eventsAbout(testCitizenId)).map(({ type }) => type);
    assert.equal(types.filter((type) => type === 'document.hold-placed').length, 2);
    assert.equal(types.filter((type) => type === 'document.hold-released').length, 2);
  });

  test(`${engine.name}: a deletion run erases its documents in one commit, because a commit that destroys keys writes all changes to the database file`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const keep = { 'document-retain-until': new Date(app.time.now + dayMs).toISOString() };
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push(await depositDocumentOf(app, makePdf(100), keep));
    for (const id of ids) assert.equal(await withdrawn(app, id), 'withdrawn');
    app.time.now += dayMs;
    const write = app.wires.write;
    let [atOnce, most] = [0, 0];
    app.wires.write = async (unit) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      return await write(unit).finally(() => {
        atOnce -= 1;
      });
    };
    assert.deepEqual((await runDeletionWithIds(app.deletionDeps, operator, false)).erased, ids);
    assert.equal(most, ids.length);
  });

  test(`${engine.name}: a deletion run that is stopped erases no more documents, and can be started again`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const keep = { 'document-retain-until': new Date(app.time.now + dayMs).toISOString() };
    const id = await depositDocumentOf(app, makePdf(100), keep);
    assert.equal(await withdrawn(app, id), 'withdrawn');
    app.time.now += dayMs;
    const stopping = { ...app.deletionDeps, isStopping: () => true };
    assert.deepEqual((await runDeletionWithIds(stopping, operator, false)).erased, []);
    assert.deepEqual((await runDeletionWithIds(app.deletionDeps, operator, false)).erased, [id]);
  });

  test(`${engine.name}: an erasure becomes a withdrawal if a hold is placed between its read and its write`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const write = app.wires.write;
    let placed = false;
    app.wires.write = async (unit) => {
      if (!placed) {
        placed = true;
        await held(app, { document: id });
      }
      return await write(unit);
    };
    assert.equal(await withdrawn(app, id), 'withdrawn');
    assert.equal(await statusOf(app, id), 'withdrawn');
    assert.equal((await app.files()).length, 1);
  });

  test(`${engine.name}: a document that changed, or got a retention or hold, since it was read is withdrawn in its new state`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const { write } = app.wires;
    const changes = [
      ['', "update document set status = 'quarantined' where id = $1"],
      ['', `update document set retain_until = ${app.time.now + 1} where id = $1`],
      ['', 'insert into citizen_hold (citizen_id, holds, whole) select citizen_id, 1, 1 from document where id = $1'],
      [new Date(app.time.now + dayMs).toISOString(), "update document set status = 'quarantined' where id = $1"],
    ] as const;
    for (const [until, sql] of changes) {
      const id = await depositDocumentOf(app, makePdf(100), until === '' ? {} : { 'document-retain-until': until });
      app.wires.write = async (unit) => {
        app.wires.write = write;
        await app.db.write([{ sql, args: [id] }]);
        return await write(unit);
      };
      assert.equal(await withdrawn(app, id), 'withdrawn', sql);
      assert.equal(await statusOf(app, id), 'withdrawn', sql);
    }
  });

  test(`${engine.name}: a document with a damaged record is erased, and its event has no digest`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    await app.db.write([{ sql: 'update document set sealed_record = $2 where id = $1', args: [id, makePdf(200)] }]);
    assert.equal(await withdrawn(app, id), 'erased');
    const event = (await app.eventsAbout(testCitizenId)).at(-1);
    assert.deepEqual([event?.['type'], event?.['sealedDigest']], ['document.erased', undefined]);
    assert.deepEqual(await app.files(), []);
  });

  test(`${engine.name}: the deletion run reads due documents in pages, and skips those that changed meanwhile`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const end = app.time.now + dayMs;
    const due: DueDocument[] = [];
    // The first deposited document is due last.
    for (const dueAt of [end, end - 2, end - 1]) {
      const keep = { 'document-retain-until': new Date(dueAt).toISOString() };
      const id = await depositDocumentOf(app, makePdf(100), keep);
      assert.equal(await withdrawn(app, id), 'withdrawn');
      due.push({ id, dueAt, held: false });
    }
    due.push(...due.splice(0, 1));
    const ids = due.map(({ id }) => id);
    const page = async (after?: DueDocument) =>
      await dueForErasure(app.db.read, { now: app.time.now, after, limit: 2 });
    assert.deepEqual(await page(), []);
    app.time.now = end;
    assert.deepEqual(await page(), due.slice(0, 2));
    assert.deepEqual(await page(due[1]), due.slice(2));
    const { write } = app.wires;
    app.wires.write = async (unit) => {
      app.wires.write = write;
      await app.db.write([
        { sql: 'update document set retain_until = retain_until + 10 where id = $1', args: [ids[0] ?? ''] },
      ]);
      return await write(unit);
    };
    const run = await runDeletionWithIds(app.deletionDeps, operator, false);
    assert.deepEqual(run, { erased: ids.slice(1), held: [], passed: ids.slice(0, 1) });
  });

  test(`${engine.name}: a hold protects only its own documents, and is refused for an unknown document or citizen`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const [id, free] = [await depositDocumentOf(app, makePdf(100)), await depositDocumentOf(app, makePdf(100))];
    const whole = await held(app, { citizenId: testCitizenId });
    const others = await depositDocumentOf(app, makePdf(100), { 'citizen-id': otherCitizenId });
    assert.equal(await withdrawn(app, others), 'erased');
    const more = await depositDocumentOf(app, makePdf(100), { 'citizen-id': otherCitizenId });
    await releaseHold(app.deletionDeps, await held(app, { document: more }), operator);
    assert.equal(await withdrawn(app, more), 'erased');
    await releaseHold(app.deletionDeps, whole, operator);
    await held(app, { document: id });
    assert.equal(await withdrawn(app, free), 'erased');
    const misspelled = { citizenId: `${testCitizenId} ` };
    for (const on of [{ document: free }, { document: app.createId('document') }, misspelled]) {
      assert.ok('fault' in (await placeHold(app.deletionDeps, { actor: operator, reason: 'too late', on })));
    }
    assert.equal(await withdrawn(app, id), 'withdrawn');
  });

  test(`${engine.name}: the erasure of a citizen erases all their documents, and one legal hold prevents the whole erasure`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const ids = [await depositDocumentOf(app, makePdf(100)), await depositDocumentOf(app, makePdf(100))];
    const other = await depositDocumentOf(app, makePdf(100), { 'citizen-id': 'CZ-1002' });
    const hold = await held(app, { document: ids[1] ?? other });
    const parts = {
      ...app.deletionDeps,
      citizenKeys: app.citizenKeys,
      actor: operator,
      extraStatements: eraseDocumentsStatements,
    };
    await assert.rejects(eraseCitizen(parts, testCitizenId), CitizenUnderLegalHold);
    assert.deepEqual(await erasedDocumentsOf(app.db.read, testCitizenId), []);
    assert.equal(await slugOf(app, ids[0] ?? other), 200);
    await releaseHold(app.deletionDeps, hold, operator);
    assert.equal(await eraseCitizen(parts, testCitizenId), true);
    const erasedId = erasedIdOf(app.citizenKeys.pseudonymOf(testCitizenId));
    assert.deepEqual(await erasedDocumentsOf(app.db.read, erasedId), ids);
    for (const id of ids) assert.equal(await slugOf(app, id), 'document-erased');
    assert.equal(await slugOf(app, other), 200);
    assert.deepEqual(await findings(app), ['erased-blob-left', 'erased-blob-left']);
  });
}
