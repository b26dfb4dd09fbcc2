import assert from 'node:assert/strict';
import { test } from 'node:test';
import { euPolicy, type MatchPolicy, standardPolicy3 } from './match/policy.ts';
import { planPresentedClaims } from './plan-presented-claims.ts';
import type { ClaimName } from './register/claims.ts';

const mandatory = ['familyName', 'givenName', 'birthDate', 'birthPlace', 'nationality'];
const optional = ['streetAddress', 'postalCode', 'documentNumber'];

type Plan = Parameters<typeof planPresentedClaims>[0];

/** The planned claims, or the name of the problem. */
async function planned(plan: Partial<Plan>, policy: MatchPolicy = euPolicy): Promise<unknown> {
  const ports = { policyOf: () => policy, purposesOf: () => ['permit'], legalBasesOf: () => ['law'] };
  const asked = { clientId: 'c', purpose: 'permit', legalBasis: 'law', available: mandatory, mandatory, ...plan };
  const answer = await planPresentedClaims(asked, ports);
  return 'claims' in answer ? answer.claims : answer.refusal.slug;
}

test('by default a wallet is asked for the smallest minimum set with the fewest claims that a credential may lack', async () => {
  const named = ['givenName', 'familyName', 'birthDate'];
  for (const available of [mandatory, [...mandatory, ...optional]])
    assert.deepEqual(new Set((await planned({ available })) as string[]), new Set(mandatory));
  const anyClaims = { available: [...mandatory, ...optional], mandatory: [] };
  assert.deepEqual(await planned(anyClaims), [...named, 'postalCode']);
  assert.deepEqual(
    await planned(anyClaims, standardPolicy3),
    await planned({ ...anyClaims, mandatory }, standardPolicy3),
  );
  assert.deepEqual(await planned({ available: [...mandatory, 'citizenId'], mandatory: [] }), [
    'citizenId',
    'familyName',
    'birthDate',
  ]);
  const permitted = new Set<ClaimName>(['givenName', 'familyName', 'birthDate', 'documentNumber']);
  const available = [...mandatory, ...optional];
  assert.deepEqual(await planned({ available }, { ...euPolicy, permitted }), [...named, 'documentNumber']);
});

test('a plan for claims, a purpose or a legal basis that the client may not use is refused', async () => {
  const permitted = new Set<ClaimName>(['givenName']);
  assert.deepEqual(
    [
      await planned({ purpose: 'tax' }),
      await planned({ legalBasis: 'consent' }),
      await planned({ claims: ['givenName', 'familyName'] }),
      await planned({ claims: mandatory }, { ...euPolicy, permitted }),
      await planned({}, standardPolicy3),
    ],
    [
      'purpose-not-permitted',
      'legal-basis-not-permitted',
      'insufficient-claims',
      'claim-not-permitted',
      'insufficient-claims',
    ],
  );
});
