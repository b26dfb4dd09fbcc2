import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { shippedPolicies, standardPolicy2 } from '../../src/identity/match/policy.ts';
import type { Claims } from '../../src/identity/register/claims.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

/** Verifies with each built-in policy. Returns the decisions by policy name. */
async function openDecisions(t: TestContext, engine: Engine, people: readonly Claims[]) {
  const app = await openIdentityAppWith(t, engine, people);
  return async (claims: Claims): Promise<Record<string, unknown>> => {
    const decisions: Record<string, unknown> = {};
    for (const [name, policy] of shippedPolicies) {
      const answer = await app.ask('POST', claims, {}, { policyOf: () => policy });
      decisions[name] = 'json' in answer ? answer.json['decision'] : answer;
    }
    return decisions;
  };
}

for (const engine of engines) {
  test(`${engine.name}: no person matches the name of a sibling in Arabic letters`, async (t) => {
    const decide = await openDecisions(t, engine, [
      { citizenId: 'A-1', givenName: 'كريم', familyName: 'الحسن', birthDate: '1990-05-05' },
      { citizenId: 'A-2', givenName: 'كريمة', familyName: 'الحسن', birthDate: '1990-05-05' },
      { citizenId: 'A-3', givenName: 'جمال', familyName: 'الحسن', birthDate: '1991-05-05' },
      { citizenId: 'A-4', givenName: 'جميل', familyName: 'الحسن', birthDate: '1991-05-05' },
      { citizenId: 'A-5', givenName: 'أمين', familyName: 'حسن', birthDate: '1992-05-05' },
      { citizenId: 'A-6', givenName: 'أمينة', familyName: 'حسن', birthDate: '1992-05-05' },
    ]);
    const own = { citizenId: 'A-1', givenName: 'Karim', familyName: 'Al-Hassan', birthDate: '1990-05-05' };
    const others: readonly Claims[] = [
      { ...own, givenName: 'Karima' },
      { citizenId: 'A-3', givenName: 'Jamil', familyName: 'Al-Hassan', birthDate: '1991-05-05' },
      { citizenId: 'A-5', givenName: 'Amina', familyName: 'Husin', birthDate: '1992-05-05' },
    ];
    for (const claims of others) {
      for (const [policy, decision] of Object.entries(await decide(claims))) {
        assert.notEqual(decision, 'match', `${policy}: ${claims.givenName}`);
      }
    }
    for (const [policy, decision] of Object.entries(await decide(own))) assert.equal(decision, 'match', policy);
  });

  test(`${engine.name}: honest spellings of names in another script match by id, and do not reach the verification limit`, async (t) => {
    const people: readonly Claims[] = [
      { citizenId: 'S-1', givenName: 'משה', familyName: 'כהן', birthDate: '1980-05-05' },
      { citizenId: 'S-2', givenName: 'رغد', familyName: 'شتيوي', birthDate: '1980-05-06' },
      { citizenId: 'S-3', givenName: '裕子', familyName: '渡邊', birthDate: '1980-05-07' },
    ];
    const spellings = [
      ['Moshe Cohen', 'Moshe Kohen', 'Mosheh Cohen', 'Moshe Coen', 'Mosheh Kahan'],
      ['Raghad Shtaiwi', 'Raghad Shteiwi', 'Ragad Shtaywi', 'Raghd Shtiwi', 'Raghad Chtaiwi'],
      ['Yuko Watanabe', 'Yuuko Watanabe', 'Hiroko Watanabe', 'Hiroko Watanabé', 'Yūko Watanabe'],
    ];
    const app = await openIdentityAppWith(t, engine, people);
    for (const [at, person] of people.entries()) {
      for (const spelling of spellings[at] ?? []) {
        const [givenName = '', familyName = ''] = spelling.split(' ');
        const answer = await app.ask(
          'POST',
          { ...person, givenName, familyName },
          {},
          { policyOf: () => standardPolicy2 },
        );
        assert.equal('json' in answer ? answer.json['decision'] : answer, 'match', spelling);
      }
    }
  });

  test(`${engine.name}: a person with a single name, or with all names in one field, is found from either name field`, async (t) => {
    const decide = await openDecisions(t, engine, [
      { citizenId: 'M-1', familyName: 'Sukarno', birthDate: '1981-03-01' },
      { citizenId: 'M-2', givenName: 'Suharto', birthDate: '1981-03-02' },
      { citizenId: 'M-3', familyName: 'Ana Maria Silva', birthDate: '1981-03-03' },
      { citizenId: 'M-4', givenName: 'Ana Maria Silva', birthDate: '1981-03-04' },
    ]);
    const asked: readonly Claims[] = [
      { citizenId: 'M-1', givenName: 'Sukarno', birthDate: '1981-03-01' },
      { citizenId: 'M-2', familyName: 'Suharto', birthDate: '1981-03-02' },
      { citizenId: 'M-3', givenName: 'Ana Maria', familyName: 'Silva', birthDate: '1981-03-03' },
      { citizenId: 'M-4', givenName: 'Ana Maria', familyName: 'Silva', birthDate: '1981-03-04' },
    ];
    for (const claims of asked) {
      // Names split differently are only similar, so policies that require agreement refuse them.
      assert.deepEqual(await decide(claims), {
        'standard-2026-1': 'no_match',
        'standard-2026-2': 'match',
        'eu-2025-846': 'no_match',
        'calibrated-2026-1': 'match',
        'standard-2026-3': 'match',
      });
    }
  });

  test(`${engine.name}: usual spellings of a name in another script match by every policy`, async (t) => {
    const decide = await openDecisions(t, engine, [
      { citizenId: 'Y-1', givenName: 'Евгений', familyName: 'Ельцин', birthDate: '1981-03-07' },
      { citizenId: 'Y-2', givenName: 'გიორგი', familyName: 'ბერიძე', birthDate: '1981-03-09' },
      { citizenId: 'Y-3', givenName: '伟', familyName: '吕', birthDate: '1981-03-10' },
      { citizenId: 'Y-4', givenName: '민수', familyName: '김', birthDate: '1981-03-11' },
    ]);
    const asked: readonly Claims[] = [
      { citizenId: 'Y-1', givenName: 'Yevgeny', familyName: 'Yeltsin', birthDate: '1981-03-07' },
      { citizenId: 'Y-2', givenName: 'Giorgi', familyName: 'Beridze', birthDate: '1981-03-09' },
      { citizenId: 'Y-3', givenName: 'Wei', familyName: 'Lyu', birthDate: '1981-03-10' },
      { citizenId: 'Y-4', givenName: 'Min-soo', familyName: 'Kim', birthDate: '1981-03-11' },
    ];
    for (const claims of asked) {
      for (const [policy, decision] of Object.entries(await decide(claims))) {
        assert.equal(decision, 'match', `${policy}: ${claims.familyName}`);
      }
    }
  });

  test(`${engine.name}: a title or suffix that the claim omits does not count as a deviation`, async (t) => {
    const decide = await openDecisions(t, engine, [
      { citizenId: 'S-1', givenName: 'James', familyName: 'Feggins Jr.', birthDate: '1981-03-05' },
      { citizenId: 'S-2', givenName: 'Dr. Eva', familyName: 'Weber', birthDate: '1981-03-06' },
    ]);
    const james = { citizenId: 'S-1', givenName: 'James', familyName: 'Feggins', birthDate: '1981-03-05' };
    const eva = { citizenId: 'S-2', givenName: 'Eva', familyName: 'Weber', birthDate: '1981-03-06' };
    for (const claims of [james, eva]) {
      for (const [policy, decision] of Object.entries(await decide(claims))) assert.equal(decision, 'match', policy);
    }
    const { 'calibrated-2026-1': _, ...byRules } = await decide({ ...james, familyName: 'Feggins Sr.' });
    assert.deepEqual(new Set(Object.values(byRules)), new Set(['no_match']));
  });
}
