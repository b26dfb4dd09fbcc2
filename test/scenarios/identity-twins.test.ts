import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { ClaimName, Claims } from '../../src/identity/claims.ts';
import { evaluate, frequenciesOf } from '../../src/identity/evaluate.ts';
import { identify } from '../../src/identity/identify.ts';
import { normaliseClaims } from '../../src/identity/match/comparable.ts';
import { calibratedPolicy, type Policy, policies, standardPolicy2 } from '../../src/identity/match/policy.ts';
import { engines } from '../engines.ts';
import { openIdentityHouse } from '../identity-house.ts';
import { importPeople, temporaryFolder } from '../identity-people.ts';
import { makeTwins } from '../identity-twins.ts';

const names: readonly ClaimName[] = ['givenName', 'familyName', 'birthDate'];
const withAddress: readonly ClaimName[] = [...names, 'streetAddress', 'postalCode', 'locality'];

test('no twin, parent or namesake of a household is taken for the other, by any policy', (t) => {
  const { register, claims, pairs } = makeTwins();
  for (const policy of policies.values()) {
    for (const use of [names, withAddress]) {
      const result = evaluate({ register, claims, use, policy }, pairs);
      t.diagnostic(
        `${policy.name}, ${use.length} claims: ${result.accepted} of ${result.truePairs} own, ${result.falseMatches} of ${result.falsePairs} others'`,
      );
      assert.deepEqual([policy.name, result.falseMatches], [policy.name, 0]);
    }
  }
});

/** One family of each kind is enough for the comparison with the server: the kinds differ, the families do not. */
const oneOfEachKind = /^H\d-|^H1[01]-/;

/** The pairs of these families that evaluate takes for the same person, as `claim record`; the same for both engines. */
const acceptedByEvaluate = memoised((policy: Policy, use: readonly ClaimName[]) => {
  const { register, claims, pairs } = makeTwins();
  const accepted = new Set<string>();
  const some = pairs.filter(({ claim }) => oneOfEachKind.test(claim));
  for (const [claim, group] of Map.groupBy(some, (pair) => pair.claim)) {
    const asked = claims.filter(({ citizenId }) => citizenId === claim);
    const result = evaluate({ register, claims: asked, use, policy }, group);
    // A claim has two pairs, one of each sort.
    assert.deepEqual([result.truePairs, result.falsePairs], [1, 1]);
    for (const { record, same } of group) {
      if ((same ? result.accepted : result.falseMatches) > 0) accepted.add(`${claim} ${record}`);
    }
  }
  return accepted;
});

function memoised<T>(make: (policy: Policy, use: readonly ClaimName[]) => T): typeof make {
  const made = new Map<string, T>();
  return (policy, use) => {
    const key = `${policy.name} ${use.length}`;
    const known = made.get(key) ?? make(policy, use);
    made.set(key, known);
    return known;
  };
}

for (const engine of engines) {
  test(`${engine.name}: the server and evaluate decide alike, wherever the claims suffice for an answer`, async (t) => {
    const house = await openIdentityHouse(t, engine);
    const { register, claims, pairs } = makeTwins();
    await importPeople(t, house, register);
    const frequencies = frequenciesOf(register);
    const today = '2026-03-01';
    const unspent = async () => true;
    const byId = new Map(claims.map((claim) => [claim.citizenId, claim]));
    const some = pairs.filter(({ claim }) => oneOfEachKind.test(claim));
    for (const policy of policies.values()) {
      for (const use of [names, withAddress]) {
        const accepted = acceptedByEvaluate(policy, use);
        const differing: string[] = [];
        for (const pair of some) {
          const used = use.flatMap((claim) => [[claim, byId.get(pair.claim)?.[claim]]]);
          const asked: Claims = { ...Object.fromEntries(used), citizenId: pair.record };
          const bench = {
            register: house.ports.register,
            policy,
            frequencies: policy.model && frequencies,
            today,
            unspent,
          };
          const { decision } = await identify(normaliseClaims(asked), asked, bench);
          if ((decision === 'match') !== accepted.has(`${pair.claim} ${pair.record}`))
            differing.push(`${pair.claim} ${pair.record}`);
        }
        assert.deepEqual([policy.name, use.length, differing], [policy.name, use.length, []]);
      }
    }
  });

  test(`${engine.name}: the server does not take a twin for the other, with the other's id or without one`, async (t) => {
    const house = await openIdentityHouse(t, engine);
    const { register, claims, pairs } = makeTwins();
    const path = join(temporaryFolder(t), 'people.jsonl');
    writeFileSync(path, register.map((person) => JSON.stringify(person)).join('\n'));
    const columns: readonly ClaimName[] = ['citizenId', ...withAddress];
    await house.importFile({
      path,
      format: 'jsonl',
      mapping: Object.fromEntries(columns.map((c) => [c, { columns: [c] }])),
    });
    // Slips that stay within one household, of a part of the families: each question is a write.
    const others = pairs.filter(({ same, claim }) => !same && /^H\d\d?-/.test(claim));
    for (const policy of [standardPolicy2, calibratedPolicy]) {
      for (const { claim, record } of others.slice(0, 150)) {
        const asked = claims.find(({ citizenId }) => citizenId === claim);
        const { citizenId: _, ...plain } = asked ?? { citizenId: '' };
        const named = await house.ask('POST', { ...plain, citizenId: record }, {}, { policyOf: () => policy });
        assert.notEqual('json' in named && named.json['decision'], 'match', `${policy.name}: ${claim} as ${record}`);
      }
    }
  });
}
