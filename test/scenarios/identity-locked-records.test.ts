import assert from 'node:assert/strict';
import test from 'node:test';
import { euPolicy, standardPolicy2 } from '../../src/identity/match/policy.ts';
import { engines } from '../support/database-engines.ts';
import { importPeople, openIdentityAppWith } from '../support/identity-people.ts';

const plain = { givenName: 'Ana', familyName: 'Silva', birthDate: '1990-11-30', postalCode: '1000-001' };
const people = [
  { citizenId: 'P-1', ...plain },
  { citizenId: 'L-1', ...plain, givenName: 'Lina', locked: 'yes' },
  { citizenId: 'D-1', ...plain, givenName: 'Dora', deceased: 'true' },
  { citizenId: 'R-1', ...plain, givenName: 'Rita', underReview: '1' },
];

for (const engine of engines) {
  test(`${engine.name}: correct claims do not match a locked or deceased citizen, and are not determined for a disputed record`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const decisionOf = async (citizenId: string, over = {}) => {
      const {
        locked: _,
        deceased: __,
        underReview: ___,
        ...own
      } = people.find((one) => one.citizenId === citizenId) as {
        [member: string]: string;
      };
      const named = await app.ask('POST', own, {}, over);
      const { citizenId: ____, ...searched } = own;
      const found = await app.ask('POST', searched, {}, over);
      return [named, found].map((answered) => ('json' in answered ? answered.json['decision'] : answered.refusal.slug));
    };
    assert.deepEqual(await decisionOf('P-1'), ['match', 'match']);
    assert.deepEqual(await decisionOf('L-1'), ['no_match', 'no_match']);
    assert.deepEqual(await decisionOf('D-1'), ['no_match', 'no_match']);
    assert.deepEqual(await decisionOf('R-1'), ['not_determined', 'not_determined']);
    const ofEstates = { policyOf: () => ({ ...standardPolicy2, deceasedMatch: true }) };
    assert.deepEqual(await decisionOf('D-1', ofEstates), ['match', 'match']);
    // Every verification is in the citizen's access log, whatever the answer.
    assert.deepEqual(
      (await app.events('L-1')).map(({ type, decision }) => [type, decision]),
      [
        ['identity.verified', 'no_match'],
        ['identity.verified', 'no_match'],
      ],
    );
  });

  test(`${engine.name}: an import without the lock column keeps a lock, and an import with the column can remove it`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const own = { citizenId: 'L-1', ...plain, givenName: 'Lina' };
    await importPeople(t, app, [{ ...own, locality: 'Porto' }]);
    assert.equal((await app.verify(own))['decision'], 'no_match');
    await importPeople(t, app, [{ citizenId: 'L-1', locked: 'no' }]);
    assert.equal((await app.verify({ ...own, locality: 'Porto' }))['decision'], 'match');
  });

  test(`${engine.name}: claims of a namesake of a locked citizen are not determined`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [...people, { citizenId: 'L-2', ...plain, locked: 'yes' }]);
    for (const policy of [standardPolicy2, euPolicy]) {
      const answered = await app.ask('POST', plain, {}, { policyOf: () => policy });
      assert.equal('json' in answered && answered.json['decision'], 'not_determined');
    }
  });
}
