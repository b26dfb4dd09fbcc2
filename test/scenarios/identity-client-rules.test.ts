import assert from 'node:assert/strict';
import test from 'node:test';
import { standardPolicy, standardPolicy2 } from '../../src/identity/match/policy.ts';
import type { ClaimName } from '../../src/identity/register/claims.ts';
import type { IdentityPorts } from '../../src/identity/verification/ports.ts';
import { engines } from '../support/database-engines.ts';
import type { IdentityApp } from '../support/identity-app.ts';
import { openIdentityAppWithPeople, zoeClaims } from '../support/identity-people.ts';

async function outcome(app: IdentityApp, claims: object, over: Partial<IdentityPorts>): Promise<unknown> {
  const answered = await app.ask('POST', claims, {}, over);
  return 'json' in answered ? answered.json['decision'] : answered.refusal.slug;
}

for (const engine of engines) {
  test(`${engine.name}: a client with agreed purposes or legal bases must state one of them`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const before = (await app.events('C-1')).length;
    const purposesOf = () => ['permit'];
    const legalBasesOf = () => ['Registration Act 12', 'consent'];
    const both = { purposesOf, legalBasesOf };
    const asked = { ...zoeClaims, purpose: 'permit' };
    assert.deepEqual(
      [
        await outcome(app, zoeClaims, { purposesOf }),
        await outcome(app, { ...zoeClaims, purpose: 'curiosity' }, { purposesOf }),
        await outcome(app, asked, both),
        await outcome(app, { ...asked, legalBasis: 'because' }, both),
        await outcome(app, { ...asked, legalBasis: 'because', consentReference: 'c-9' }, both),
        await outcome(app, { ...asked, consentReference: 'c-9' }, { purposesOf, legalBasesOf: () => ['Act 1'] }),
        await outcome(app, { ...asked, legalBasis: 'consent' }, both),
      ],
      [
        'purpose-not-permitted',
        'purpose-not-permitted',
        'legal-basis-not-permitted',
        'legal-basis-not-permitted',
        'legal-basis-not-permitted',
        'legal-basis-not-permitted',
        'legal-basis-not-permitted',
      ],
    );
    assert.equal((await app.events('C-1')).length, before);
    assert.equal(await outcome(app, { ...asked, consentReference: 'c-9' }, both), 'match');
    assert.equal(await outcome(app, { ...asked, legalBasis: 'consent', consentReference: 'c-9' }, both), 'match');
    assert.equal(await outcome(app, { ...asked, legalBasis: 'Registration Act 12' }, both), 'match');
  });

  test(`${engine.name}: purpose, legal basis and consent are in the result, in the stored result and in the citizen's ledger`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const stated = { purpose: 'permit', legalBasis: 'Registration Act 12', consentReference: 'c-9' };
    const answer = await app.verify({ ...zoeClaims, ...stated });
    const kept = await app.ask('GET', String(answer['verificationId']));
    const [event] = await app.events('C-1');
    const of = (from: Readonly<Record<string, unknown>> | undefined) =>
      Object.fromEntries(Object.keys(stated).map((name) => [name, from?.[name]]));
    assert.deepEqual([of(answer), of('json' in kept ? kept.json : {}), of(event)], [stated, stated, stated]);
  });

  test(`${engine.name}: a policy limits the allowed claims and sets their minimum, and a refusal names the claims`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const permitted = new Set<ClaimName>(['citizenId', 'familyName', 'birthDate']);
    const policyOf = () => ({ ...standardPolicy2, permitted });
    const refused = await app.ask('POST', { ...zoeClaims, locality: 'Köln' }, {}, { policyOf });
    assert.deepEqual(
      'refusal' in refused && [refused.refusal.slug, refused.refusal.issues?.map((i) => 'pointer' in i && i.pointer)],
      ['claim-not-permitted', ['/givenName', '/locality']],
    );
    const aliased = await app.ask('POST', { ...zoeClaims, givenName: undefined, given_name: 'Zoë' }, {}, { policyOf });
    assert.deepEqual('refusal' in aliased && aliased.refusal.issues?.map(({ pointer }) => pointer), ['/given_name']);
    const { givenName: _, ...allowed } = zoeClaims;
    assert.equal(await outcome(app, allowed, { policyOf }), 'match');
    const more = () => ({ ...standardPolicy2, minimum: [[['citizenId'], ['documentNumber']] as const] });
    assert.equal(await outcome(app, zoeClaims, { policyOf: more }), 'insufficient-claims');
    assert.equal(await outcome(app, { ...zoeClaims, documentNumber: 'P1' }, { policyOf: more }), 'match');
  });

  test(`${engine.name}: a year or month of birth does not count towards the minimum if the register has the full date`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const policyOf = () => standardPolicy;
    for (const birthDate of ['1980', '1980-02', '1980-00-00', '1980-02-00']) {
      assert.equal(await outcome(app, { ...zoeClaims, birthDate }, { policyOf }), 'no_match');
    }
    // It is accepted with enough other claims, and a policy can require less.
    const enough = { ...zoeClaims, birthDate: '1980', documentNumber: 'P1', postalCode: '50667' };
    assert.equal(await outcome(app, enough, { policyOf }), 'no_match');
    const { postalCode: __, ...known } = { ...enough, birthDate: '1980-02' };
    const lenient = { policyOf: () => ({ ...standardPolicy, leastDate: 'month' as const }) };
    assert.equal(await outcome(app, known, lenient), 'match');
  });
}
