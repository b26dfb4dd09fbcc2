import assert from 'node:assert/strict';
import { test } from 'node:test';
import { euPolicy } from '../../src/identity/match/policy.ts';
import type { IdentityPorts } from '../../src/identity/verification/ports.ts';
import { engines } from '../support/database-engines.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

/** The mandatory person identification data of a wallet: EU 2024/2977, Annex, section 1. */
const ana = {
  givenName: 'Ana Maria',
  familyName: 'García-López',
  birthDate: '1990-11-30',
  birthPlace: 'Málaga',
  nationality: 'ES,PT',
};
/** The mandatory minimum data set of eIDAS (EU 2015/1501, Annex, section 1), with its unique identifier as document number. */
const bo = { givenName: 'Bo', familyName: 'Holm', birthDate: '1980-01-01', documentNumber: 'DK/ES/123' };
const people = [
  { citizenId: 'A', ...ana },
  { citizenId: 'B', ...bo },
  { citizenId: 'T-1', ...ana, givenName: 'Pau', birthPlace: 'Palma' },
  { citizenId: 'T-2', ...ana, givenName: 'Pau', birthPlace: 'Palma' },
];

for (const engine of engines) {
  test(`${engine.name}: both mandatory EU data sets match exactly one person in a search, in any spelling`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const ask = async (claims: object) =>
      await app.ask('POST', claims, {}, { policyOf: () => euPolicy } satisfies Partial<IdentityPorts>);
    const decided = async (claims: object) => {
      const answered = await ask(claims);
      return 'json' in answered ? answered.json['decision'] : answered.refusal.slug;
    };
    assert.equal(await decided(ana), 'match');
    assert.equal(
      await decided({ ...ana, familyName: 'GARCIA LOPEZ', birthPlace: 'Malaga', nationality: 'pt' }),
      'match',
    );
    assert.equal(await decided(bo), 'match');
    assert.equal(await decided({ ...ana, nationality: 'FR' }), 'no_match');
    assert.equal(await decided({ ...ana, givenName: 'Ana' }), 'no_match');
    assert.equal(await decided({ ...ana, givenName: 'Pau', birthPlace: 'Palma' }), 'not_determined');
    const { nationality: _, ...less } = ana;
    assert.equal(await decided(less), 'insufficient-claims');
    assert.equal(
      await decided({ ...bo, documentNumber: undefined, birthPlace: 'Aarhus', nationality: 'DK' }),
      'no_match',
    );
  });

  test(`${engine.name}: the signed result attests the claimed nationalities as a list`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const answered = await app.ask('POST', { ...ana, nationality: 'PT, ES' }, {}, { policyOf: () => euPolicy });
    assert.ok('json' in answered);
    const { payload } = await app.openToken(answered.json['token']);
    const { claims } = payload['verified_claims'] as { readonly claims: Record<string, unknown> };
    assert.deepEqual(claims['nationalities'], ['PT', 'ES']);
    assert.deepEqual(claims['place_of_birth'], { locality: 'Málaga' });
  });

  test(`${engine.name}: each different wrong nationality is another failed verification, including the second of a list`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const decided = async (nationality: string) => {
      const answered = await app.ask('POST', { ...ana, nationality }, {}, { policyOf: () => euPolicy });
      return 'json' in answered ? answered.json['decision'] : answered.refusal.slug;
    };
    for (const second of ['FR', 'DE', 'IT', 'NL', 'BE']) assert.equal(await decided(`ES,${second}`), 'no_match');
    assert.equal(await decided('ES'), 'no_match', 'over budget');
  });
}
