import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deposited, openDocumentHouse, pdfOf } from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import { listedDeletion } from '../../test/listed-deletion.ts';
import { allRetentionClasses, findRetentionClass, retentionOf, setRetentionClass } from './retention-class.ts';

const dayMs = 86_400_000;
const permit = { name: 'permit', keepDays: 5, eraseAfterDays: 30, legalBasis: 'Archive Act 3' };

for (const engine of engines) {
  test(`${engine.name}: of the time of a class and the one that the issuer wants, the longer keeps a document`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    await house.db.write([setRetentionClass(permit, 0)]);
    const depositedFor = async (days: number) =>
      await deposited(house, pdfOf(100), {
        'document-retention-class': 'permit',
        'document-retain-until': new Date(house.time.now + days * dayMs).toISOString(),
      });
    const [shorter, longer] = [await depositedFor(1), await depositedFor(40)];
    const erasedAfter = async (days: number) => {
      house.time.now += days * dayMs;
      return (await listedDeletion(house.keeping, { operator: 'clerk' }, false)).erased;
    };
    for (const id of [shorter, longer]) assert.ok('status' in (await house.withdraw(id)));
    assert.deepEqual(await erasedAfter(4), []);
    assert.deepEqual(await erasedAfter(1), [shorter]);
    assert.deepEqual(await erasedAfter(34), []);
    assert.deepEqual(await erasedAfter(1), [longer]);
  });

  test(`${engine.name}: a class that is stated anew is the new one throughout`, async (t) => {
    const { db } = await openDocumentHouse(t, engine);
    const other = { ...permit, name: 'letter' };
    await db.write([permit, other].map((one) => setRetentionClass(one, 0)));
    const anew = { name: 'permit', keepDays: 7, eraseAfterDays: null, legalBasis: 'Archive Act 4' };
    await db.write([setRetentionClass(anew, 1)]);
    assert.deepEqual(await findRetentionClass(db.read, 'permit'), anew);
    assert.deepEqual(await allRetentionClasses(db.read), [other, anew]);
  });
}

test('whatever its issuer states, a document is kept and erased at instants that an answer can state', () => {
  const last = Date.parse('9999-12-31T23:59:59.999Z');
  assert.deepEqual(retentionOf(permit, last, null), { retainUntil: last, eraseAt: last });
  assert.deepEqual(retentionOf(permit, last - 10 * dayMs, last), { retainUntil: last, eraseAt: last });
  assert.deepEqual(retentionOf(permit, last - 10 * dayMs, null), { retainUntil: last - 5 * dayMs, eraseAt: last });
  // Before 1970: its time is over, and the database knows no instant before.
  assert.deepEqual(retentionOf(permit, -40 * dayMs, null), { retainUntil: 0, eraseAt: 0 });
});
