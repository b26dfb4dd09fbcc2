import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { depositDocumentOf, makePdf, openDocumentApp, runDeletionWithIds } from '../../../test/support/document-app.ts';
import { allRetentionClasses, findRetentionClass, retentionDates, upsertRetentionClass } from './retention-class.ts';

const dayMs = 86_400_000;
const permit = { name: 'permit', keepDays: 5, eraseAfterDays: 30, legalBasis: 'Archive Act 3' };

for (const engine of engines) {
  test(`${engine.name}: the longer of the retention of a class and of the issuer applies`, async (t) => {
    const app = await openDocumentApp(t, engine);
    await app.db.write([upsertRetentionClass(permit, 0)]);
    const depositedFor = async (days: number) =>
      await depositDocumentOf(app, makePdf(100), {
        'document-retention-class': 'permit',
        'document-retain-until': new Date(app.time.now + days * dayMs).toISOString(),
      });
    const [shorter, longer] = [await depositedFor(1), await depositedFor(40)];
    const erasedAfter = async (days: number) => {
      app.time.now += days * dayMs;
      return (await runDeletionWithIds(app.deletionDeps, { operator: 'clerk' }, false)).erased;
    };
    for (const id of [shorter, longer]) assert.ok('status' in (await app.withdraw(id)));
    assert.deepEqual(await erasedAfter(4), []);
    assert.deepEqual(await erasedAfter(1), [shorter]);
    assert.deepEqual(await erasedAfter(34), []);
    assert.deepEqual(await erasedAfter(1), [longer]);
  });

  test(`${engine.name}: a changed class replaces the old one completely`, async (t) => {
    const { db } = await openDocumentApp(t, engine);
    const other = { ...permit, name: 'letter' };
    await db.write([permit, other].map((one) => upsertRetentionClass(one, 0)));
    const changed = { name: 'permit', keepDays: 7, eraseAfterDays: null, legalBasis: 'Archive Act 4' };
    await db.write([upsertRetentionClass(changed, 1)]);
    assert.deepEqual(await findRetentionClass(db.read, 'permit'), changed);
    assert.deepEqual(await allRetentionClasses(db.read), [other, changed]);
  });
}

test('for any retention, the dates of a document are between 1970 and the end of 9999', () => {
  const last = Date.parse('9999-12-31T23:59:59.999Z');
  assert.deepEqual(retentionDates(permit, last, null), { retainUntil: last, eraseAt: last });
  assert.deepEqual(retentionDates(permit, last - 10 * dayMs, last), { retainUntil: last, eraseAt: last });
  assert.deepEqual(retentionDates(permit, last - 10 * dayMs, null), { retainUntil: last - 5 * dayMs, eraseAt: last });
  // Before 1970: the retention is over, and the database has no earlier instants.
  assert.deepEqual(retentionDates(permit, -40 * dayMs, null), { retainUntil: 0, eraseAt: 0 });
});
