import assert from 'node:assert/strict';
import test from 'node:test';
import { normaliseClaims } from '../../src/identity/match/comparable.ts';
import { calibratedPolicy, type MatchPolicy, standardPolicy2 } from '../../src/identity/match/policy.ts';
import type { Claims } from '../../src/identity/register/claims.ts';
import { identifyCitizen } from '../../src/identity/verification/identify-citizen.ts';
import { engines } from '../support/database-engines.ts';
import type { IdentityApp } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// More people share one family name and birth date than a search compares at once. Addresses and numbers tell them apart.

type Person = Claims & { readonly citizenId: string };

/** Each given name is shared by several people, and each postal code by ten. */
function peopleOfOneDate(common: Claims, givenNames: readonly string[]): Person[] {
  return Array.from({ length: 150 }, (_, at) => ({
    citizenId: `${common.familyName}-${at}`,
    ...common,
    givenName: givenNames[at % givenNames.length] ?? '',
    streetAddress: `${at + 1} High Street`,
    postalCode: `${2000 + Math.floor(at / 10)}`,
    documentNumber: `X ${70_000 + at * 37}`,
  }));
}

const kims = peopleOfOneDate({ familyName: 'Kim', birthDate: '1988-05-17' }, [
  'Min Jun',
  'Seo Yeon',
  'Ji Woo',
  'Hyun Woo',
  'Ji Hoon',
  'Soo Jin',
  'Eun Ji',
]);
const mohameds = peopleOfOneDate({ familyName: 'Ahmed', birthDate: '1990-01-01' }, ['Mohamed']);
const people = [...kims, ...mohameds];

async function findBy(app: IdentityApp, claims: Claims, policy: MatchPolicy) {
  const context = {
    register: app.ports.register,
    policy,
    today: '2026-03-01',
    isBelowLimit: async () => true,
  };
  return await identifyCitizen(normaliseClaims(claims), claims, context);
}

const policies = [standardPolicy2, calibratedPolicy];
type Detail = 'streetAddress' | 'postalCode' | 'documentNumber';

function statedOf({ givenName, familyName, birthDate, ...details }: Person, use: readonly Detail[]): Claims {
  const stated = use.map((claim) => [claim, details[claim]]);
  return { givenName, familyName, birthDate, ...Object.fromEntries(stated) } as Claims;
}

for (const engine of engines) {
  test(`${engine.name}: 150 people of one family name and birth date are found by address or document number`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    for (const policy of policies) {
      for (const use of [['streetAddress', 'postalCode'], ['streetAddress'], ['documentNumber']] as const) {
        const missed: string[] = [];
        // Each search writes nothing, but compares up to 100 people: some of them are enough.
        for (const person of people.filter((_, at) => at % 6 === 0)) {
          const { decision, aboutCitizenId } = await findBy(app, statedOf(person, use), policy);
          if (decision !== 'match' || aboutCitizenId !== person.citizenId) missed.push(person.citizenId);
        }
        assert.deepEqual([policy.name, use.join(), missed], [policy.name, use.join(), []]);
      }
    }
  });

  test(`${engine.name}: claims with values of two people match nobody among 150 people of one family name and birth date`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    for (const policy of policies) {
      for (const [at, person] of people.entries()) {
        if (at % 10 > 0) continue;
        const other = people[at + 1] ?? person;
        const { streetAddress, postalCode, documentNumber } = other;
        for (const details of [{ streetAddress, postalCode }, { documentNumber }]) {
          const claims = { ...statedOf(person, []), ...details };
          const found = await findBy(app, claims, policy);
          const isNamesake = person.givenName === other.givenName;
          const expected = isNamesake ? ['match', other.citizenId] : ['no_match', null];
          if (policy === standardPolicy2) assert.deepEqual([found.decision, found.aboutCitizenId], expected);
          else if (!isNamesake) assert.notEqual(found.decision, 'match', person.citizenId);
        }
      }
    }
  });

  test(`${engine.name}: a wrong letter in a common name is accepted if date and address agree, by id and by search`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    for (const person of people.filter((_, at) => at % 30 === 0)) {
      const claims = { ...statedOf(person, ['streetAddress', 'postalCode']), givenName: `${person.givenName}h` };
      for (const asked of [claims, { ...claims, citizenId: person.citizenId }]) {
        const { decision, aboutCitizenId } = await findBy(app, asked, calibratedPolicy);
        assert.deepEqual([decision, aboutCitizenId], ['match', person.citizenId]);
      }
    }
  });

  test(`${engine.name}: a search is not determined if several namesakes of one birth date share its postal code`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const [person] = mohameds;
    assert.ok(person);
    for (const policy of policies) {
      const { decision } = await findBy(app, statedOf(person, ['postalCode']), policy);
      assert.deepEqual([policy.name, decision], [policy.name, 'not_determined']);
    }
  });
}
