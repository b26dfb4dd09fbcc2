import assert from 'node:assert/strict';
import test from 'node:test';
import { inferMapping, MappingFault, parseInlineMapping, parseMapping } from './import-fields.ts';

const febrl = {
  citizenId: { columns: ['rec_id'] },
  givenName: { columns: ['given_name'] },
  familyName: { columns: ['surname'] },
  birthDate: { columns: ['date_of_birth'], dateFormat: 'YYYYMMDD' },
  streetAddress: { columns: ['street_number', 'address_1'] },
};

test('a mapping has the same meaning in a file and on the command line', () => {
  const file = parseMapping({
    citizenId: 'rec_id',
    givenName: 'given_name',
    familyName: { column: 'surname' },
    birthDate: { column: 'date_of_birth', format: 'YYYYMMDD' },
    streetAddress: ['street_number', 'address_1'],
  });
  const line = parseInlineMapping(
    'citizenId=rec_id, givenName=given_name,familyName=surname,birthDate=date_of_birth:YYYYMMDD,streetAddress=street_number+address_1',
  );
  assert.deepEqual([file, line], [febrl, febrl]);
});

test('an ambiguous mapping is refused', () => {
  const wrong = [
    () => parseMapping([]),
    () => parseMapping(null),
    () => parseMapping('citizenId'),
    () => parseMapping({ citizenId: null }),
    () => parseMapping({ citizenId: ['id', 7] }),
    () => parseMapping({ citizenId: [] }),
    () => parseMapping({ familyName: 'surname' }),
    () => parseMapping({ citizenId: 'id', surname: 'surname' }),
    () => parseMapping({ citizenId: '' }),
    () => parseMapping({ citizenId: 'id', givenName: { column: 'n', format: 'YYYY-MM-DD' } }),
    () => parseMapping({ citizenId: 'id', birthDate: { column: 'n', format: 'YY-MM-DD' } }),
    () => parseInlineMapping('citizenId'),
    () => parseInlineMapping('citizenId=a,citizenId=b'),
  ];
  for (const parse of wrong) assert.throws(parse, MappingFault);
});

test('columns with claim names, OpenID Connect names or usual names need no mapping', () => {
  const columns = [
    'Citizen_ID',
    'given_name',
    'Surname',
    'date_of_birth',
    'street_number',
    'address_1',
    'postcode',
    'x',
  ];
  assert.deepEqual(inferMapping(columns), {
    citizenId: { columns: ['Citizen_ID'] },
    givenName: { columns: ['given_name'] },
    familyName: { columns: ['Surname'] },
    birthDate: { columns: ['date_of_birth'] },
    streetAddress: { columns: ['street_number', 'address_1'] },
    postalCode: { columns: ['postcode'] },
  });
  assert.throws(() => inferMapping(['name']), MappingFault);
});
