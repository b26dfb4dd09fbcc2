import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnRecord } from '../identity/read-own-record.ts';
import { localeFor } from '../locales/locale.ts';
import { citizenTextsOf } from './citizen-texts.ts';
import { recordRows } from './record-values.ts';

const record: OwnRecord = {
  citizenId: 'c-1',
  givenName: 'Zoë',
  familyName: 'O’Neill',
  birthFamilyName: null,
  birthDate: '1981-04-25',
  birthPlace: null,
  streetAddress: '14 Park Row',
  postalCode: 'BS1 4ST',
  locality: 'Bristol',
  country: 'GB',
  documentNumber: null,
  nationality: 'GB, IE',
  email: null,
  phone: null,
  language: 'cy',
  formerNames: [{ givenName: 'Zoë', familyName: 'Kelly', until: '2010-05' }],
  formerAddresses: [
    {
      streetAddress: '1 Old Street',
      postalCode: 'D02',
      locality: 'Dublin',
      country: 'IE',
      from: '2001-03-01',
      until: '2010-05-04',
    },
  ],
  underReview: false,
  locked: false,
  ownLock: null,
  walletLinks: [],
  deceased: false,
};

const rowsOf = (language: string, changes: Partial<OwnRecord> = {}) =>
  new Map(
    recordRows(citizenTextsOf(localeFor(language)), { ...record, ...changes }).map(([name, value]) => [
      name,
      String(value),
    ]),
  );

test('dates, countries, nationalities and languages are in words, and other values as in the register', () => {
  const [english, german] = [rowsOf('en'), rowsOf('de')];
  const shown = ['Given names', 'Postal code', 'Date of birth', 'Country', 'Nationality', 'Language'];
  assert.deepEqual(
    shown.map((name) => english.get(name)),
    ['Zoë', 'BS1 4ST', '25 April 1981', 'United Kingdom', 'United Kingdom, Ireland', 'Welsh'].map(
      (text) => `<bdi>${text}</bdi>`,
    ),
  );
  assert.equal(german.get('Geburtsdatum'), '<bdi>25. April 1981</bdi>');
});

test('a value that is no code and no date of the calendar stays as in the register', () => {
  const rows = rowsOf('en', {
    country: 'Großbritannien',
    nationality: 'stateless',
    birthDate: '1981-02-30',
    language: '?',
  });
  assert.deepEqual(
    ['Country', 'Nationality', 'Date of birth', 'Language'].map((name) => rows.get(name)),
    ['Großbritannien', 'stateless', '1981-02-30', '?'].map((text) => `<bdi>${text}</bdi>`),
  );
  assert.equal(rowsOf('en', { birthDate: '1981' }).get('Date of birth'), '<bdi>1981</bdi>');
});

test('an earlier name and an earlier address are one row each, with their period in words', () => {
  const rows = rowsOf('en');
  assert.equal(rows.get('Earlier name'), '<bdi>Zoë Kelly</bdi> (<bdi> – May 2010</bdi>)');
  assert.equal(
    rows.get('Earlier address'),
    '<bdi>1 Old Street</bdi><br /><bdi>D02 Dublin</bdi><br /><bdi>Ireland</bdi><br /> (<bdi>1 March 2001 – 4 May 2010</bdi>)',
  );
});
