import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findDcqlFault } from '../../../test/support/dcql-rules.ts';
import { testDataPath, testDataSkipReason } from '../../../test/support/test-data.ts';
import { pidSdJwtClaims } from '../../../test/support/wallet-credentials.ts';
import { buildDcqlQuery, type CredentialQueryParts, requireSatisfied } from './credential-query.ts';
import { claimsOf, pidClaimNames, pidEvidenceOf } from './pid-claims.ts';
import type { PresentedCredential } from './presented-credential.ts';

const pidType = 'eu.europa.ec.eudi.pid.1';
const sdJwt: CredentialQueryParts = {
  id: 'pid_sd',
  format: 'dc+sd-jwt',
  types: ['urn:eudi:pid:1', 'urn:eudi:pid:de:1'],
  keyIds: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'],
  claims: ['familyName', 'nationality'],
};
const mdoc: CredentialQueryParts = { ...sdJwt, id: 'pid_md', format: 'mso_mdoc', types: [pidType], keyIds: [] };

test('the rules of DCQL accept the printed queries and those of the EUDI verifier', (context) => {
  const [printed, eudi] = ['dcql.json', 'eudi-verifier.json'].map((name) => testDataPath(`vectors/wallet/${name}`));
  if (printed === undefined || eudi === undefined) return context.skip(testDataSkipReason);
  const queries = Object.values(JSON.parse(readFileSync(printed, 'utf8')));
  const entries: [string, { dcql_query?: object }][] = Object.entries(JSON.parse(readFileSync(eudi, 'utf8')));
  const ofEudi = entries.filter(([name]) => name.endsWith('dcql')).map(([, value]) => value.dcql_query);
  assert.equal(queries.length + ofEudi.length, 15);
  for (const query of [...queries, ...ofEudi]) assert.equal(findDcqlFault(query), undefined);
});

test('a query asks for one of the credentials, and for evidence that the credential may lack', () => {
  const claim = (id: string, ...path: (string | null)[]) => ({ id, path });
  const sets = [['familyName', 'nationality', 'issuingCountry'], sdJwt.claims];
  assert.deepEqual(buildDcqlQuery([sdJwt, mdoc]), {
    credentials: [
      {
        id: 'pid_sd',
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:eudi:pid:1', 'urn:eudi:pid:de:1'] },
        trusted_authorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }],
        claims: [
          claim('familyName', 'family_name'),
          claim('nationality', 'nationalities', null),
          claim('issuingCountry', 'issuing_country'),
        ],
        claim_sets: sets,
      },
      {
        id: 'pid_md',
        format: 'mso_mdoc',
        meta: { doctype_value: pidType },
        claims: [
          claim('familyName', pidType, 'family_name'),
          claim('nationality', pidType, 'nationality'),
          claim('issuingCountry', pidType, 'issuing_country'),
        ],
        claim_sets: sets,
      },
    ],
    credential_sets: [{ options: [['pid_sd'], ['pid_md']] }],
  });
});

test('each query is valid DCQL: for all claims, for no claim, with and without the administrative number', () => {
  for (const claims of [pidClaimNames, ['streetAddress'], []]) {
    for (const administrativeNumber of [true, false]) {
      const parts = [sdJwt, mdoc].map((one) => ({ ...one, claims, administrativeNumber }));
      const query = buildDcqlQuery(parts);
      assert.equal(findDcqlFault(query), undefined);
      assert.equal(JSON.stringify(query).includes('personal_administrative_number'), administrativeNumber);
    }
  }
});

const pid: PresentedCredential = {
  format: 'dc+sd-jwt',
  type: 'urn:eudi:pid:1',
  attributes: pidSdJwtClaims,
  certificates: [],
};
const claimsWith = (changes: object) => claimsOf({ ...pid, attributes: { ...pidSdJwtClaims, ...changes } });

test('the attributes of a PID have the names of claims of a request, in both formats', () => {
  const claims = {
    givenName: 'Erika',
    familyName: 'Mustermann',
    birthDate: '1984-01-17',
    birthPlace: 'Berlin',
    streetAddress: 'Heidestraße 17',
    postalCode: '51147',
    locality: 'Köln',
    country: 'DE',
    nationality: 'DE',
  };
  assert.deepEqual(claimsOf(pid), claims);
  assert.deepEqual(pidEvidenceOf(pid), { issuingCountry: 'DE', administrativeNumber: '4711' });
  const { given_name, family_name, birthdate, place_of_birth, nationalities, address } = pidSdJwtClaims;
  const elements = {
    given_name,
    family_name,
    birth_date: birthdate,
    place_of_birth,
    nationality: nationalities,
    resident_street: address.street_address,
    resident_house_number: address.house_number,
    resident_postal_code: address.postal_code,
    resident_city: address.locality,
    resident_country: address.country,
  };
  const document: PresentedCredential = {
    ...pid,
    format: 'mso_mdoc',
    type: pidType,
    attributes: { [pidType]: elements },
  };
  assert.deepEqual(claimsOf(document), claims);
  assert.deepEqual(pidEvidenceOf(document), {});
});

test('the most exact part of the birth place counts, and only known nationalities', () => {
  const places = [{ locality: 'Berlin', region: 'BE' }, { region: 'BE', country: 'DE' }, { country: 'DE' }, {}];
  assert.deepEqual(
    places.map((place) => claimsWith({ place_of_birth: place })['birthPlace']),
    ['Berlin', 'BE', 'DE', undefined],
  );
  const nations = [['DE', 'FR'], ['QU', 'DE'], ['QS'], [], 'DE'];
  assert.deepEqual(
    nations.map((nationalities) => claimsWith({ nationalities })['nationality']),
    ['DE,FR', 'DE', undefined, undefined, undefined],
  );
});

test('a value of another form is not presented: no text, too long, with control characters, no date', () => {
  for (const given_name of [42, '', ' ', 'a'.repeat(201), 'Eri\nka', 'Eri\ud800ka', null, ['Erika'], { toString: 'x' }])
    assert.equal(claimsWith({ given_name })['givenName'], undefined);
  for (const birthdate of ['1984', '17.01.1984', 19840117])
    assert.equal(claimsWith({ birthdate })['birthDate'], undefined);
});

test('a credential satisfies its query only with its format, one of its types and each claim', () => {
  for (const type of sdJwt.types) requireSatisfied({ ...pid, type }, sdJwt);
  const fails = (credential: PresentedCredential, parts: CredentialQueryParts, reason: string) =>
    assert.throws(() => requireSatisfied(credential, parts), { reason });
  fails({ ...pid, type: 'urn:eudi:pid:nl:1' }, sdJwt, 'type-not-asked');
  fails({ ...pid, type: pidType }, mdoc, 'type-not-asked');
  fails(pid, { ...sdJwt, claims: ['familyName', 'documentNumber'] }, 'query-not-satisfied');
  fails({ ...pid, attributes: { family_name: 7 } }, { ...sdJwt, claims: ['familyName'] }, 'query-not-satisfied');
});
