import assert from 'node:assert/strict';
import test from 'node:test';
import { calibratedPolicy, standardPolicy, standardPolicy2 } from '../../src/identity/match/policy.ts';
import { engines } from '../support/database-engines.ts';
import { verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

const home = { streetAddress: '4 Mill Lane', postalCode: '4000' };
const people = [
  { citizenId: 'Y-1', givenName: 'Amina', familyName: 'Okoye', birthDate: '1985', ...home },
  { citizenId: 'M-1', givenName: 'Tomas', familyName: 'Reyes', birthDate: '1985-03', ...home },
  { citizenId: 'D-1', givenName: 'Karin', familyName: 'Holm', birthDate: '1985-03-07', ...home },
  { citizenId: 'D-2', givenName: 'Lars', familyName: 'Holm', birthDate: '1985-03-17', ...home },
] as const;
const policies = [standardPolicy, standardPolicy2, calibratedPolicy];

for (const engine of engines) {
  test(`${engine.name}: the year or month of a birth date verifies a person if the register has no more, by id and by search`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    for (const policy of policies) {
      for (const { citizenId, ...claims } of people.slice(0, 2)) {
        const decisionOf = (asked: object) => verifyDecisionOf(app, asked, { policyOf: () => policy });
        const { streetAddress: _, postalCode: __, ...names } = claims;
        assert.deepEqual([policy.name, await decisionOf({ ...names, citizenId })], [policy.name, 'match']);
        assert.deepEqual([policy.name, await decisionOf(claims)], [policy.name, 'match']);
        const zeros = `${claims.birthDate}-00-00`.slice(0, 10);
        assert.equal(await decisionOf({ ...claims, birthDate: zeros }), 'match', policy.name);
        const wrong = claims.birthDate.replace('1985', '1986');
        assert.equal(await decisionOf({ ...claims, birthDate: wrong }), 'no_match', policy.name);
      }
    }
  });

  test(`${engine.name}: a date that is less precise than the registered one matches nobody and counts as failed`, async (t) => {
    for (const policy of policies) {
      const app = await openIdentityAppWith(t, engine, people);
      const decisionOf = (asked: object) => verifyDecisionOf(app, asked, { policyOf: () => policy });
      const [, month, day] = people;
      assert.equal(await decisionOf({ ...month, birthDate: '1985' }), 'no_match');
      const { citizenId: _, ...searched } = day;
      assert.equal(await decisionOf({ ...searched, birthDate: '1985' }), 'no_match');
      assert.equal(await decisionOf({ ...searched, birthDate: '1985-03' }), 'no_match');
      // The fifth wrong year is the last that is decided: the right date is refused after it.
      for (const year of [1983, 1984, 1985, 1986, 1987])
        assert.equal(await decisionOf({ ...day, birthDate: String(year) }), 'no_match');
      assert.equal(await decisionOf(day), 'no_match');
    }
  });

  test(`${engine.name}: a year has the same answer for a record with the full date and for an unknown id`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const day = people[2];
    const answerTo = async (asked: object) => {
      const answered = await app.ask('POST', asked);
      assert.ok('json' in answered);
      const { verificationId: _, receipt: __, token, requestHash: ___, ...rest } = answered.json;
      return { ...rest, length: String(token).length, status: answered.status };
    };
    assert.deepEqual(
      await answerTo({ ...day, birthDate: '1985' }),
      await answerTo({ ...day, citizenId: 'X-1', birthDate: '1985' }),
    );
  });

  test(`${engine.name}: exchanged day and month are found by a search if the policy permits them`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [
      ...people.map((person) => ({ ...person, documentNumber: `N-${person.citizenId}` })),
      // More people of the claimed day than a search compares: names restrict the search.
      ...Array.from({ length: 101 }, (_, at) => ({
        citizenId: `O-${at}`,
        givenName: `Other${at}`,
        familyName: `Family${at}`,
        birthDate: '1985-07-03',
      })),
    ]);
    const { citizenId: _, ...claims } = people[2];
    const exchanged = { ...claims, birthDate: '1985-07-03' };
    const decisionOf = (asked: object, policy: typeof standardPolicy) =>
      verifyDecisionOf(app, asked, { policyOf: () => policy });
    assert.equal(await decisionOf(exchanged, calibratedPolicy), 'match');
    assert.equal(await decisionOf({ ...exchanged, documentNumber: 'N-D-1' }, standardPolicy2), 'match');
    assert.equal(await decisionOf(exchanged, standardPolicy2), 'no_match');
    assert.equal(await decisionOf(exchanged, standardPolicy), 'no_match');
  });
}
