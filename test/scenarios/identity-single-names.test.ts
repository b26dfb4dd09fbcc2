import assert from 'node:assert/strict';
import test from 'node:test';
import {
  calibratedPolicy,
  type MatchPolicy,
  standardPolicy,
  standardPolicy2,
} from '../../src/identity/match/policy.ts';
import { engines } from '../support/database-engines.ts';
import { verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

const homeOf = (at: number) => ({ streetAddress: `${at} Canal Street`, postalCode: `${6000 + at}` });
const people = [
  { citizenId: 'F-1', familyName: 'Suharto', birthDate: '1954-10-16', documentNumber: 'A1', ...homeOf(1) },
  { citizenId: 'G-1', givenName: 'Tenzin', birthDate: '1961-02-03', documentNumber: 'A2', ...homeOf(2) },
  {
    citizenId: 'B-1',
    givenName: 'Budi',
    familyName: 'Budi',
    birthDate: '1970-08-09',
    documentNumber: 'A3',
    ...homeOf(3),
  },
  {
    citizenId: 'T-1',
    givenName: 'Min Jun',
    familyName: 'Kim',
    birthDate: '1988-05-17',
    documentNumber: 'A4',
    ...homeOf(4),
  },
];
const [familyOnly = {}, givenOnly = {}, both = {}, twoNames = {}] = people.map(
  ({ birthDate, documentNumber, ...person }) => {
    const { streetAddress, postalCode } = person;
    return { birthDate, documentNumber, streetAddress, postalCode };
  },
);

for (const engine of engines) {
  test(`${engine.name}: a person with one name is found by that name, the birth date and an address or document number`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const decisionOf = (claims: object, policy: MatchPolicy) =>
      verifyDecisionOf(app, claims, { policyOf: () => policy });
    const withoutNumber = ({ documentNumber: _, ...others }: { documentNumber?: string }) => others;
    const onlyNumber = ({
      streetAddress: _,
      postalCode: __,
      ...others
    }: object & { streetAddress?: string; postalCode?: string }) => others;
    for (const details of [withoutNumber, onlyNumber]) {
      for (const policy of [standardPolicy, standardPolicy2, calibratedPolicy]) {
        assert.equal(await decisionOf({ familyName: 'Suharto', ...details(familyOnly) }, policy), 'match');
        assert.equal(
          await decisionOf({ givenName: 'Suharto', familyName: 'Suharto', ...details(familyOnly) }, policy),
          'match',
        );
        assert.equal(await decisionOf({ givenName: 'Tenzin', ...details(givenOnly) }, policy), 'match');
        assert.equal(await decisionOf({ familyName: 'Budi', ...details(both) }, policy), 'match');
        assert.equal(await decisionOf({ givenName: 'Budi', ...details(both) }, policy), 'match');
      }
      // A form that requires both names gets a filler for the missing one.
      for (const givenName of ['-', 'FNU', 'XXX'])
        assert.equal(
          await decisionOf({ givenName, familyName: 'Suharto', ...details(familyOnly) }, calibratedPolicy),
          'match',
        );
      // In the other field the name is a deviation.
      assert.equal(await decisionOf({ givenName: 'Suharto', ...details(familyOnly) }, calibratedPolicy), 'match');
      assert.equal(await decisionOf({ familyName: 'Tenzin', ...details(givenOnly) }, calibratedPolicy), 'match');
    }
  });

  test(`${engine.name}: one of two names, or another second name, matches nobody in a search`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const decisionOf = (claims: object, policy: MatchPolicy) =>
      verifyDecisionOf(app, claims, { policyOf: () => policy });
    for (const policy of [standardPolicy, standardPolicy2, calibratedPolicy]) {
      assert.equal(await decisionOf({ familyName: 'Kim', ...twoNames }, policy), 'no_match');
      assert.equal(await decisionOf({ givenName: 'Min Jun', ...twoNames }, policy), 'no_match');
      assert.equal(await decisionOf({ givenName: '-', familyName: 'Kim', ...twoNames }, policy), 'no_match');
      assert.equal(await decisionOf({ givenName: 'Kim', familyName: 'Kim', ...twoNames }, policy), 'no_match');
      assert.equal(await decisionOf({ givenName: 'Agus', familyName: 'Suharto', ...familyOnly }, policy), 'no_match');
      assert.equal(
        await decisionOf({ familyName: 'Suharto', ...familyOnly, birthDate: '1960-01-02' }, policy),
        'no_match',
      );
      assert.equal(await decisionOf({ familyName: 'Suharto', birthDate: '1954-10-16' }, policy), 'insufficient-claims');
    }
  });

  test(`${engine.name}: a search finds a whole name in one field, given name first`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const decisionOf = (claims: object, policy: MatchPolicy) =>
      verifyDecisionOf(app, claims, { policyOf: () => policy });
    assert.equal(await decisionOf({ familyName: 'Min Jun Kim', ...twoNames }, calibratedPolicy), 'match');
    assert.equal(await decisionOf({ givenName: 'Min Jun Kim', ...twoNames }, calibratedPolicy), 'match');
    // A search by this policy forgives nothing.
    const { documentNumber: _, ...stated } = twoNames as { documentNumber?: string };
    assert.equal(await decisionOf({ familyName: 'Min Jun Kim', ...stated }, standardPolicy2), 'no_match');
  });

  test(`${engine.name}: names that are divided differently are found among too many people of one birth date`, async (t) => {
    const birthDate = '1990-01-01';
    const person = { citizenId: 'D-1', givenName: 'Ana Maria', familyName: 'Lopez Garcia', birthDate, ...homeOf(9) };
    const others = Array.from({ length: 101 }, (_, at) => ({
      citizenId: `O-${at}`,
      givenName: `Given${at}`,
      familyName: `Family${at}`,
      birthDate,
    }));
    const app = await openIdentityAppWith(t, engine, [person, ...others]);
    for (const names of [
      { givenName: 'Ana Maria Lopez', familyName: 'Garcia' },
      { givenName: 'Ana', familyName: 'Maria Lopez Garcia' },
      { givenName: 'Ana Maria Lopez Garcia' },
      { familyName: 'Ana Maria Lopez Garcia' },
    ]) {
      const claims = { ...names, birthDate, ...homeOf(9) };
      assert.equal(await verifyDecisionOf(app, claims, { policyOf: () => calibratedPolicy }), 'match');
    }
  });
}
