import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { countFrequencies, evaluatePolicy } from '../../src/identity/evaluation/evaluate-policy.ts';
import { normaliseClaims } from '../../src/identity/match/comparable.ts';
import {
  calibratedPolicy,
  type MatchPolicy,
  shippedPolicies,
  standardPolicy2,
} from '../../src/identity/match/policy.ts';
import type { ClaimName, Claims } from '../../src/identity/register/claims.ts';
import { identifyCitizen } from '../../src/identity/verification/identify-citizen.ts';
import { engines } from '../support/database-engines.ts';
import { openIdentityApp } from '../support/identity-app.ts';
import { importPeople, makeIdentityFolder } from '../support/identity-people.ts';
import { makeSimilarPeople } from '../support/similar-people.ts';

const names: readonly ClaimName[] = ['givenName', 'familyName', 'birthDate'];
const withAddress: readonly ClaimName[] = [...names, 'streetAddress', 'postalCode', 'locality'];

test('no policy matches a citizen with a twin, parent or namesake of the household', (t) => {
  const { register, claims, pairs } = makeSimilarPeople();
  for (const policy of shippedPolicies.values()) {
    for (const use of [names, withAddress]) {
      const result = evaluatePolicy({ register, claims, use, policy }, pairs);
      t.diagnostic(
        `${policy.name}, ${use.length} claims: ${result.accepted} of ${result.truePairs} own, ${result.falseMatches} of ${result.falsePairs} others'`,
      );
      assert.deepEqual([policy.name, result.falseMatches], [policy.name, 0]);
    }
  }
});

/** One family of each kind is enough for the comparison with the server. */
const oneOfEachKind = /^H\d-|^H1[01]-/;

/** The pairs of these families that `evaluatePolicy` matches, in the form `claim record`. They are the same for both engines. */
const acceptedByEvaluate = memoised((policy: MatchPolicy, use: readonly ClaimName[]) => {
  const { register, claims, pairs } = makeSimilarPeople();
  const accepted = new Set<string>();
  const some = pairs.filter(({ claim }) => oneOfEachKind.test(claim));
  for (const [claim, group] of Map.groupBy(some, (pair) => pair.claim)) {
    const asked = claims.filter(({ citizenId }) => citizenId === claim);
    const result = evaluatePolicy({ register, claims: asked, use, policy }, group);
    // Each claim has one true and one false pair.
    assert.deepEqual([result.truePairs, result.falsePairs], [1, 1]);
    for (const { record, same } of group) {
      if ((same ? result.accepted : result.falseMatches) > 0) accepted.add(`${claim} ${record}`);
    }
  }
  return accepted;
});

function memoised<T>(make: (policy: MatchPolicy, use: readonly ClaimName[]) => T): typeof make {
  const made = new Map<string, T>();
  return (policy, use) => {
    const key = `${policy.name} ${use.length}`;
    const known = made.get(key) ?? make(policy, use);
    made.set(key, known);
    return known;
  };
}

for (const engine of engines) {
  test(`${engine.name}: the server and evaluate decide the same if the claims meet the minimum`, async (t) => {
    const app = await openIdentityApp(t, engine);
    const { register, claims, pairs } = makeSimilarPeople();
    await importPeople(t, app, register);
    const frequencies = countFrequencies(register);
    const today = '2026-03-01';
    const isBelowLimit = async () => true;
    const byId = new Map(claims.map((claim) => [claim.citizenId, claim]));
    const some = pairs.filter(({ claim }) => oneOfEachKind.test(claim));
    for (const policy of shippedPolicies.values()) {
      for (const use of [names, withAddress]) {
        // Stricter rules apply to claims that state an id.
        const accepted = acceptedByEvaluate(policy, policy.refusesContradictions ? ['citizenId', ...use] : use);
        const differing: string[] = [];
        for (const pair of some) {
          const used = use.flatMap((claim) => [[claim, byId.get(pair.claim)?.[claim]]]);
          const asked: Claims = { ...Object.fromEntries(used), citizenId: pair.record };
          const bench = {
            register: app.ports.register,
            policy,
            frequencies: policy.model && frequencies,
            today,
            isBelowLimit,
          };
          const { decision } = await identifyCitizen(normaliseClaims(asked), asked, bench);
          if ((decision === 'match') !== accepted.has(`${pair.claim} ${pair.record}`))
            differing.push(`${pair.claim} ${pair.record}`);
        }
        assert.deepEqual([policy.name, use.length, differing], [policy.name, use.length, []]);
      }
    }
  });

  test(`${engine.name}: the server does not match a twin with the other twin, by id or in a search`, async (t) => {
    const app = await openIdentityApp(t, engine);
    const { register, claims, pairs } = makeSimilarPeople();
    const path = join(makeIdentityFolder(t), 'people.jsonl');
    writeFileSync(path, register.map((person) => JSON.stringify(person)).join('\n'));
    const columns: readonly ClaimName[] = ['citizenId', ...withAddress];
    await app.importFile({
      path,
      format: 'jsonl',
      mapping: Object.fromEntries(columns.map((c) => [c, { columns: [c] }])),
    });
    // Only some families, because each verification writes to the database.
    const others = pairs.filter(({ same, claim }) => !same && /^H\d\d?-/.test(claim));
    for (const policy of [standardPolicy2, calibratedPolicy]) {
      for (const { claim, record } of others.slice(0, 150)) {
        const asked = claims.find(({ citizenId }) => citizenId === claim);
        const { citizenId: _, ...plain } = asked ?? { citizenId: '' };
        const named = await app.ask('POST', { ...plain, citizenId: record }, {}, { policyOf: () => policy });
        assert.notEqual('json' in named && named.json['decision'], 'match', `${policy.name}: ${claim} as ${record}`);
      }
    }
  });
}
