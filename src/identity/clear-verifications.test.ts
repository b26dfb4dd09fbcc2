import assert from 'node:assert/strict';
import test from 'node:test';
import { engines } from '../../test/engines.ts';
import { houseTime } from '../../test/identity-house.ts';
import { openPeopledHouse, zoe } from '../../test/identity-people.ts';
import { clearGuesses, clearVerifications } from './clear-verifications.ts';

const dayMs = 86_400_000;

for (const engine of engines) {
  test(`${engine.name}: an answer is there as long as it is to be kept, and then it is gone, its event not`, async (t) => {
    const house = await openPeopledHouse(t, engine);
    const claim = async (statement: Parameters<typeof house.db.write>[0][number]) =>
      (await house.db.write([statement]))[0] ?? [];
    const old = String((await house.verify(zoe))['verificationId']);
    // More than go at once.
    const rows = Array.from({ length: 1_100 }, (_, at) => ({
      sql: "insert into verification (id, client_id, searched, checked_at, answer) values ($1, 'tax-office', false, $2, $3)",
      args: [`ver_0000${String(at).padStart(22, '0')}`, houseTime, new Uint8Array(3)],
    }));
    await house.db.write(rows);
    house.pass(365 * dayMs);
    const young = String((await house.verify(zoe))['verificationId']);
    const clear = (now: number) => clearVerifications({ read: house.db.read, claim, before: now - 365 * dayMs });
    assert.equal(await clear(houseTime + 365 * dayMs), 0);
    assert.equal(await clear(houseTime + 365 * dayMs + 1), 1_101);
    assert.equal(await clear(houseTime + 365 * dayMs + 1), 0);
    const again = await house.ask('GET', old);
    assert.equal('refusal' in again && again.refusal.slug, 'verification-not-found');
    assert.equal('json' in (await house.ask('GET', young)), true);
    assert.equal((await house.events('C-1')).filter(({ type }) => type === 'identity.verified').length, 2);
  });

  test(`${engine.name}: a budget goes when no guess of it counts any more, and not before`, async (t) => {
    const house = await openPeopledHouse(t, engine);
    const claim = async (statement: Parameters<typeof house.db.write>[0][number]) =>
      (await house.db.write([statement]))[0] ?? [];
    const left = async () => (await house.db.read('select subject from guess_budget')).length;
    const rows = Array.from({ length: 1_100 }, (_, at) => ({
      sql: "insert into guess_budget (subject, guesses, version, updated_at) values ($1, '[]', 1, $2)",
      args: [`s${at}`, houseTime - 1],
    }));
    await house.db.write(rows);
    await house.verify({ ...zoe, birthDate: '1980-02-08' });
    assert.equal(await clearGuesses(claim, houseTime + 30 * dayMs), 1_100);
    assert.equal(await left(), 1);
    assert.equal(await clearGuesses(claim, houseTime + 30 * dayMs + 1), 1);
    assert.equal(await left(), 0);
  });
}
