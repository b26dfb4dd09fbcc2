import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Level } from '../../src/identity/match/level.ts';
import { standardPolicy } from '../../src/identity/match/policy.ts';
import { engines } from '../support/database-engines.ts';
import { openIdentityAppWithPeople, zoeClaims } from '../support/identity-people.ts';
import { makeServerFixture } from '../support/server-process.ts';

/** The agreeing levels; counts the comparisons. */
class CountedLevels extends Set<Level> {
  asked = 0;
  override has(level: Level): boolean {
    this.asked += 1;
    return super.has(level);
  }
}

for (const engine of engines) {
  test(`${engine.name}: claims with an unknown id cause as many comparisons as claims with a known one`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const askedFor = async (citizenId: string) => {
      const agreement = new CountedLevels(standardPolicy.agreement);
      const policy = { ...standardPolicy, agreement };
      const claims = { ...zoeClaims, citizenId, givenName: 'Nobody', familyName: 'Atall', birthDate: '1950-05-05' };
      const answered = await app.ask('POST', claims, {}, { policyOf: () => policy });
      assert.ok('json' in answered && answered.json['decision'] === 'no_match');
      return agreement.asked;
    };
    const known = await askedFor('C-1');
    assert.ok(known > 0);
    assert.equal(await askedFor('nobody-has-this-id'), known);
  });
}

test('a verification is answered no earlier than the configured interval, for the first, a known and an unknown id', async (t) => {
  const intervalMs = 400;
  const home = await makeServerFixture(t, { settings: { VERIFY_QUANTUM_MS: String(intervalMs) } });
  await home.start('demo');
  const headers = { authorization: `Bearer ${await home.fetchAccessToken()}`, 'content-type': 'application/json' };
  const { citizenId, givenName, birthDate } = home.readDemoFile().citizens[0] ?? assert.fail();
  for (const id of [citizenId, citizenId, 'nobody-has-this-id']) {
    const startedAt = performance.now();
    const body = JSON.stringify({ citizenId: id, givenName, birthDate });
    const answer = await fetch(`${home.url}/v1/identity/verify`, { method: 'POST', headers, body });
    const tookMs = performance.now() - startedAt;
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
    // Only a lower bound: the upper bound depends on the machine.
    assert.ok(tookMs >= intervalMs, `${id} was answered after ${tookMs} ms`);
  }
});
