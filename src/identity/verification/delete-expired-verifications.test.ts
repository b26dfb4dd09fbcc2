import assert from 'node:assert/strict';
import test from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { identityAppStartMs } from '../../../test/support/identity-app.ts';
import { openIdentityAppWithPeople, zoeClaims } from '../../../test/support/identity-people.ts';
import { deleteExpiredFailures, deleteExpiredVerifications } from './delete-expired-verifications.ts';

const dayMs = 86_400_000;

for (const engine of engines) {
  test(`${engine.name}: a stored result is deleted after its retention, and its event is kept`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const claim = async (statement: Parameters<typeof app.db.write>[0][number]) =>
      (await app.db.write([statement]))[0] ?? [];
    const old = String((await app.verify(zoeClaims))['verificationId']);
    // More than one deletion removes.
    const rows = Array.from({ length: 1_100 }, (_, at) => ({
      sql: "insert into verification (id, client_id, is_search, checked_at, sealed_result) values ($1, 'tax-office', false, $2, $3)",
      args: [`ver_0000${String(at).padStart(22, '0')}`, identityAppStartMs, new Uint8Array(3)],
    }));
    await app.db.write(rows);
    app.pass(365 * dayMs);
    const young = String((await app.verify(zoeClaims))['verificationId']);
    const clear = (now: number) => deleteExpiredVerifications({ read: app.db.read, claim, before: now - 365 * dayMs });
    assert.equal(await clear(identityAppStartMs + 365 * dayMs), 0);
    assert.equal(await clear(identityAppStartMs + 365 * dayMs + 1), 1_101);
    assert.equal(await clear(identityAppStartMs + 365 * dayMs + 1), 0);
    const again = await app.ask('GET', old);
    assert.equal('refusal' in again && again.refusal.slug, 'verification-not-found');
    assert.equal('json' in (await app.ask('GET', young)), true);
    assert.equal((await app.events('C-1')).filter(({ type }) => type === 'identity.verified').length, 2);
  });

  test(`${engine.name}: a verification key is deleted when none of its failures counts any longer, and not before`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const claim = async (statement: Parameters<typeof app.db.write>[0][number]) =>
      (await app.db.write([statement]))[0] ?? [];
    const left = async () => (await app.db.read('select verification_key from verification_limit')).length;
    const rows = Array.from({ length: 1_100 }, (_, at) => ({
      sql: "insert into verification_limit (verification_key, failures, version, updated_at) values ($1, '[]', 1, $2)",
      args: [`s${at}`, identityAppStartMs - 1],
    }));
    await app.db.write(rows);
    await app.verify({ ...zoeClaims, birthDate: '1980-02-08' });
    assert.equal(await deleteExpiredFailures(claim, identityAppStartMs + 30 * dayMs), 1_100);
    assert.equal(await left(), 1);
    assert.equal(await deleteExpiredFailures(claim, identityAppStartMs + 30 * dayMs + 1), 1);
    assert.equal(await left(), 0);
  });
}
