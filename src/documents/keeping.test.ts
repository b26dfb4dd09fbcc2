import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  citizen,
  type DocumentHouse,
  deposited,
  openDocumentHouse,
  otherCitizen,
  pdfOf,
} from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import { listedDeletion } from '../../test/listed-deletion.ts';
import type { DocumentId } from '../kernel/id.ts';
import { CitizenHeld, eraseCitizen } from '../ledger/erase-citizen.ts';
import { citizenErasure, type Due, dueForErasure, erasedDocumentsOf } from './keeping-store.ts';
import { placeHold, releaseHold } from './legal-hold.ts';
import { setRetentionClass } from './retention-class.ts';
import { type Finding, verifyDocuments } from './verify-documents.ts';

const dayMs = 86_400_000;
const operator = { operator: 'clerk' } as const;

async function statusOf(house: DocumentHouse, id: DocumentId): Promise<string> {
  const [row] = await house.db.read('select status from document where id = $1', [id]);
  return String(row?.['status']);
}

async function slugOf(house: DocumentHouse, id: DocumentId): Promise<string | number> {
  const got = await house.retrieve(id);
  return 'refusal' in got ? got.refusal.slug : got.status;
}

type Said = { readonly status: string; readonly receipt: string };

async function withdrawn(house: DocumentHouse, id: DocumentId): Promise<unknown> {
  const got = await house.withdraw(id);
  return 'refusal' in got ? got.refusal.slug : (got.json as { status: string }).status;
}

async function findings(house: DocumentHouse): Promise<string[]> {
  const found: Finding[] = [];
  await verifyDocuments({
    ...house.keeping,
    readBytes: true,
    before: Number.MAX_SAFE_INTEGER,
    onFinding: (finding) => found.push(finding),
    onProgress: () => undefined,
  });
  return found.map(({ fault }) => fault);
}

async function held(house: DocumentHouse, on: { document: DocumentId } | { citizenId: string }) {
  const placed = await placeHold(house.keeping, { actor: operator, reason: 'court order 4 O 12/26', on });
  assert.ok('hold' in placed);
  return placed.hold;
}

for (const engine of engines) {
  test(`${engine.name}: a withdrawn document that nothing holds is erased: no key, no bytes, and the proof is linked`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, pdfOf(40_000));
    assert.equal(await withdrawn(house, id), 'erased');
    assert.deepEqual(await house.files(), []);
    const [row] = await house.db.read('select sealed_record, erasure_event from document where id = $1', [id]);
    assert.equal(row?.['sealed_record'], null);
    const event = (await house.eventsAbout(citizen)).at(-1);
    assert.deepEqual(
      [event?.['type'], event?.['rule'], event?.['id']],
      ['document.erased', 'withdrawn', row?.['erasure_event']],
    );
    assert.match(String(event?.['sealedDigest']), /^sha-256=:.{44}:$/);
    const gone = await house.retrieve(id);
    assert.ok('refusal' in gone && gone.refusal.slug === 'document-erased');
    assert.equal(gone.refusal.headers?.['link'], `</v1/receipts/${row?.['erasure_event']}>; rel="describedby"`);
    assert.equal(await withdrawn(house, id), 'document-erased');
    assert.deepEqual(await findings(house), []);
  });

  test(`${engine.name}: one that must be kept is only withdrawn, given to nobody, and erased by the run at its end`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const until = new Date(house.time.now + 10 * dayMs).toISOString();
    const id = await deposited(house, pdfOf(100), { 'document-retain-until': until });
    const first = await house.withdraw(id);
    house.time.now += 1_000;
    const again = await house.withdraw(id);
    assert.ok('json' in first && 'json' in again);
    const [{ receipt, ...said }, { receipt: repeated, ...saidAgain }] = [first.json, again.json] as [Said, Said];
    assert.deepEqual([said.status, saidAgain], ['withdrawn', said]);
    assert.notEqual(repeated, receipt);
    const types = (await house.eventsAbout(citizen)).map(({ type }) => type);
    assert.deepEqual(types, ['document.deposited', 'document.withdrawn', 'document.record-read']);
    assert.equal(await slugOf(house, id), 'document-withdrawn');
    assert.deepEqual((await listedDeletion(house.keeping, operator, false)).erased, []);
    house.time.now += 10 * dayMs - 1_001;
    assert.deepEqual((await listedDeletion(house.keeping, operator, false)).erased, []);
    house.time.now += 1;
    assert.deepEqual((await listedDeletion(house.keeping, operator, true)).erased, [id]);
    assert.equal(await statusOf(house, id), 'withdrawn');
    assert.deepEqual((await listedDeletion(house.keeping, operator, false)).erased, [id]);
    assert.equal(await slugOf(house, id), 'document-erased');
    assert.deepEqual(await house.files(), []);
  });

  test(`${engine.name}: a class says how long a document is kept, and when the run erases it under which rule`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const permit = { name: 'permit', keepDays: 5, eraseAfterDays: 30, legalBasis: 'Archive Act 3' };
    await house.db.write([setRetentionClass(permit, 0)]);
    const id = await deposited(house, pdfOf(100), { 'document-retention-class': 'permit' });
    const forever = await deposited(house, pdfOf(100));
    const wrong = await house.deposit({
      headers: {
        'content-type': 'application/pdf',
        'citizen-id': citizen,
        'document-title': 'x',
        'document-retention-class': 'none',
      },
    });
    assert.ok('refusal' in wrong && wrong.refusal.issues?.[0]?.name === 'document-retention-class');
    house.time.now += 29 * dayMs;
    assert.deepEqual((await listedDeletion(house.keeping, operator, false)).erased, []);
    house.time.now += dayMs;
    assert.deepEqual((await listedDeletion(house.keeping, operator, false)).erased, [id]);
    assert.equal(await statusOf(house, forever), 'available');
    const erased = (await house.eventsAbout(citizen)).filter(({ type }) => type === 'document.erased');
    assert.deepEqual(
      erased.map(({ rule, retentionClass }) => [rule, retentionClass]),
      [['retention-class', 'permit']],
    );
    const rows = await house.db.read(
      "select content from ledger_event where type = 'documents.deletion-run' order by id",
    );
    assert.equal(rows.length, 2);
  });

  test(`${engine.name}: a legal hold, on the document or on its citizen, keeps it until the last one is released`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, pdfOf(100));
    const [one, whole] = [await held(house, { document: id }), await held(house, { citizenId: citizen })];
    const later = await deposited(house, pdfOf(100));
    assert.equal(await withdrawn(house, id), 'withdrawn');
    assert.equal(await withdrawn(house, later), 'withdrawn');
    for (const hold of [whole, one]) {
      const run = await listedDeletion(house.keeping, operator, false);
      assert.deepEqual(run.erased, hold === whole ? [] : [later]);
      assert.ok(run.held.includes(id));
      assert.deepEqual(await releaseHold(house.keeping, hold, operator), {});
      assert.notDeepEqual(await releaseHold(house.keeping, hold, operator), {});
    }
    assert.deepEqual((await listedDeletion(house.keeping, operator, false)).erased, [id]);
    assert.deepEqual(await findings(house), []);
    const types = (await house.eventsAbout(citizen)).map(({ type }) => type);
    assert.equal(types.filter((type) => type === 'document.hold-placed').length, 2);
    assert.equal(types.filter((type) => type === 'document.hold-released').length, 2);
  });

  test(`${engine.name}: a run erases its documents together, since each commit behind a key writes the database through`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const keep = { 'document-retain-until': new Date(house.time.now + dayMs).toISOString() };
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push(await deposited(house, pdfOf(100), keep));
    for (const id of ids) assert.equal(await withdrawn(house, id), 'withdrawn');
    house.time.now += dayMs;
    const write = house.wires.write;
    let [atOnce, most] = [0, 0];
    house.wires.write = async (unit) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      return await write(unit).finally(() => {
        atOnce -= 1;
      });
    };
    assert.deepEqual((await listedDeletion(house.keeping, operator, false)).erased, ids);
    assert.equal(most, ids.length);
  });

  test(`${engine.name}: a run that is told to stop erases nothing more, and is begun again`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const keep = { 'document-retain-until': new Date(house.time.now + dayMs).toISOString() };
    const id = await deposited(house, pdfOf(100), keep);
    assert.equal(await withdrawn(house, id), 'withdrawn');
    house.time.now += dayMs;
    const stopping = { ...house.keeping, isStopping: () => true };
    assert.deepEqual((await listedDeletion(stopping, operator, false)).erased, []);
    assert.deepEqual((await listedDeletion(house.keeping, operator, false)).erased, [id]);
  });

  test(`${engine.name}: a hold that is placed between reading and writing makes a withdrawal of the erasure`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, pdfOf(100));
    const write = house.wires.write;
    let placed = false;
    house.wires.write = async (unit) => {
      if (!placed) {
        placed = true;
        await held(house, { document: id });
      }
      return await write(unit);
    };
    assert.equal(await withdrawn(house, id), 'withdrawn');
    assert.equal(await statusOf(house, id), 'withdrawn');
    assert.equal((await house.files()).length, 1);
  });

  test(`${engine.name}: what has moved, must be kept or is held since it was read is withdrawn as it is by then`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const { write } = house.wires;
    const changes = [
      ['', "update document set status = 'quarantined' where id = $1"],
      ['', `update document set retain_until = ${house.time.now + 1} where id = $1`],
      ['', 'insert into citizen_hold (citizen_id, holds, whole) select citizen_id, 1, 1 from document where id = $1'],
      [new Date(house.time.now + dayMs).toISOString(), "update document set status = 'quarantined' where id = $1"],
    ] as const;
    for (const [until, sql] of changes) {
      const id = await deposited(house, pdfOf(100), until === '' ? {} : { 'document-retain-until': until });
      house.wires.write = async (unit) => {
        house.wires.write = write;
        await house.db.write([{ sql, args: [id] }]);
        return await write(unit);
      };
      assert.equal(await withdrawn(house, id), 'withdrawn', sql);
      assert.equal(await statusOf(house, id), 'withdrawn', sql);
    }
  });

  test(`${engine.name}: a document whose record is damaged is erased all the same, and its event names no digest`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, pdfOf(100));
    await house.db.write([{ sql: 'update document set sealed_record = $2 where id = $1', args: [id, pdfOf(200)] }]);
    assert.equal(await withdrawn(house, id), 'erased');
    const event = (await house.eventsAbout(citizen)).at(-1);
    assert.deepEqual([event?.['type'], event?.['sealedDigest']], ['document.erased', undefined]);
    assert.deepEqual(await house.files(), []);
  });

  test(`${engine.name}: the run looks at what is due page by page, and passes over what has changed meanwhile`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const end = house.time.now + dayMs;
    const due: Due[] = [];
    // What was deposited first is due last.
    for (const dueAt of [end, end - 2, end - 1]) {
      const keep = { 'document-retain-until': new Date(dueAt).toISOString() };
      const id = await deposited(house, pdfOf(100), keep);
      assert.equal(await withdrawn(house, id), 'withdrawn');
      due.push({ id, dueAt, held: false });
    }
    due.push(...due.splice(0, 1));
    const ids = due.map(({ id }) => id);
    const page = async (after?: Due) => await dueForErasure(house.db.read, { now: house.time.now, after, limit: 2 });
    assert.deepEqual(await page(), []);
    house.time.now = end;
    assert.deepEqual(await page(), due.slice(0, 2));
    assert.deepEqual(await page(due[1]), due.slice(2));
    const { write } = house.wires;
    house.wires.write = async (unit) => {
      house.wires.write = write;
      await house.db.write([
        { sql: 'update document set retain_until = retain_until + 10 where id = $1', args: [ids[0] ?? ''] },
      ]);
      return await write(unit);
    };
    const run = await listedDeletion(house.keeping, operator, false);
    assert.deepEqual(run, { erased: ids.slice(1), held: [], passed: ids.slice(0, 1) });
  });

  test(`${engine.name}: a hold keeps nothing but what it is on, and is on nothing that is not there`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const [id, free] = [await deposited(house, pdfOf(100)), await deposited(house, pdfOf(100))];
    const whole = await held(house, { citizenId: citizen });
    const others = await deposited(house, pdfOf(100), { 'citizen-id': otherCitizen });
    assert.equal(await withdrawn(house, others), 'erased');
    const more = await deposited(house, pdfOf(100), { 'citizen-id': otherCitizen });
    await releaseHold(house.keeping, await held(house, { document: more }), operator);
    assert.equal(await withdrawn(house, more), 'erased');
    await releaseHold(house.keeping, whole, operator);
    await held(house, { document: id });
    assert.equal(await withdrawn(house, free), 'erased');
    const misspelled = { citizenId: `${citizen} ` };
    for (const on of [{ document: free }, { document: house.mint('document') }, misspelled]) {
      assert.ok('fault' in (await placeHold(house.keeping, { actor: operator, reason: 'too late', on })));
    }
    assert.equal(await withdrawn(house, id), 'withdrawn');
  });

  test(`${engine.name}: erasing a citizen erases every document, and one hold about the citizen refuses the whole unit`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const ids = [await deposited(house, pdfOf(100)), await deposited(house, pdfOf(100))];
    const other = await deposited(house, pdfOf(100), { 'citizen-id': 'CZ-1002' });
    const hold = await held(house, { document: ids[1] ?? other });
    const parts = { ...house.keeping, citizenKeys: house.citizenKeys, actor: operator, besides: citizenErasure };
    await assert.rejects(eraseCitizen(parts, citizen), CitizenHeld);
    assert.deepEqual(await erasedDocumentsOf(house.db.read, citizen), []);
    assert.equal(await slugOf(house, ids[0] ?? other), 200);
    await releaseHold(house.keeping, hold, operator);
    assert.equal(await eraseCitizen(parts, citizen), true);
    assert.deepEqual(await erasedDocumentsOf(house.db.read, citizen), ids);
    for (const id of ids) assert.equal(await slugOf(house, id), 'document-erased');
    assert.equal(await slugOf(house, other), 200);
    assert.deepEqual(await findings(house), ['erased-blob-left', 'erased-blob-left']);
  });
}
