import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postalLinesOf } from './postal-lines.ts';

/** The street, postal code, town and country of an address, the sending country, and the printed lines with | between them. */
type Case = readonly [readonly [string, string | null, string, string | null], string | undefined, string | undefined];

function linesOf([[streetAddress, postalCode, locality, country], home]: Case): string | undefined {
  return postalLinesOf({ streetAddress, postalCode, locality, country }, home)?.postalLines.join(' | ');
}

function assertLines(cases: readonly Case[]): void {
  for (const one of cases) assert.equal(linesOf(one), one[2], one[0].join(', '));
}

test('an address follows the rules of its country, without the name of the own country', () => {
  assertLines([
    [['14 Park Row', 'bs1 5lj', 'Bristol', 'GB'], 'GB', '14 Park Row | BRISTOL | BS1 5LJ'],
    [['14 Park Row', 'BS1 5LJ', 'Bristol', 'UK'], 'GB', '14 Park Row | BRISTOL | BS1 5LJ'],
    [['1 Royal Mile', 'EH1 1AA', 'Edinburgh', 'Scotland'], 'GB', '1 Royal Mile | EDINBURGH | EH1 1AA'],
    [['Am Markt 1', '53111', 'Bonn', 'DE'], 'DE', 'Am Markt 1 | 53111 Bonn'],
    [['Bahnhofstr. 1', '8001', 'Zürich', null], 'CH', 'Bahnhofstr. 1 | 8001 Zürich'],
    [['Rua Augusta 24', '1100-053', 'Lisboa', 'Portugal'], 'PT', 'Rua Augusta 24 | 1100-053 LISBOA'],
    [['1 Main St', '62701', 'Springfield IL', 'US'], 'US', '1 Main St | SPRINGFIELD IL 62701'],
    [['شارع الملكة رانيا 12', '11118', 'عمان', 'JO'], 'JO', 'شارع الملكة رانيا 12 | عمان 11118'],
    [['12 rue de Rivoli', '75001', 'Paris', 'FR'], 'FR', '12 rue de Rivoli | 75001 PARIS'],
    [['Damrak 1', '1012 LG', 'Amsterdam', 'NL'], 'NL', 'Damrak 1 | 1012 LG AMSTERDAM'],
    [['千代田1-1', '100-0001', '東京都千代田区', 'JP'], 'JP', '〒100-0001 | 東京都千代田区 | 千代田1-1'],
    [['Storgatan 1', '111 22', 'Malmö', 'SE'], 'SE', 'Storgatan 1 | 111 22 MALMÖ'],
    [['Gedimino 1', 'LT-01103', 'Vilnius', 'LT'], 'LT', 'Gedimino 1 | LT-01103 VILNIUS'],
    [['İstiklal 1', '35000', 'izmir', 'TR'], 'TR', 'İstiklal 1 | 35000 İZMİR'],
  ]);
});

test('a letter abroad has the name of the country in capitals, in the language of the sending country', () => {
  assertLines([
    [['14 Park Row', 'BS1 5LJ', 'Bristol', 'GB'], 'PT', '14 Park Row | BRISTOL | BS1 5LJ | REINO UNIDO'],
    [['Am Markt 1', '53111', 'Bonn', 'Deutschland'], 'GB', 'Am Markt 1 | 53111 BONN | GERMANY'],
    [['Storgatan 1', '111 22', 'Malmö', 'SE'], 'DE', 'Storgatan 1 | SE-111 22 MALMÖ | SCHWEDEN'],
    [['Rua Augusta 24', '1100-053', 'Lisboa', 'PT'], 'JO', 'Rua Augusta 24 | 1100-053 LISBOA | البرتغال / PORTUGAL'],
    [['1-1 Chiyoda', '100-8111', 'Tokyo', 'JP'], 'GB', '1-1 Chiyoda | TOKYO | 100-8111 | JAPAN'],
    [['Al Wasl 1', null, 'Dubai', 'AE'], 'GB', 'Al Wasl 1 | DUBAI | UNITED ARAB EMIRATES'],
    [['King St 1', 'JE1 1AA', 'St Helier', 'JE'], 'GB', 'King St 1 | ST HELIER | JERSEY | JE1 1AA'],
    [['Long Road 17', '0150', 'Oslo', 'NO'], undefined, 'Long Road 17 | 0150 OSLO | NORWAY'],
    [['Road 1', '1234', 'Town', 'Atlantis'], 'GB', 'Road 1 | 1234 Town | ATLANTIS'],
    [['Road 1', '1234', 'Town', 'ZZ'], 'GB', 'Road 1 | 1234 Town | ZZ'],
  ]);
});

test('the lines of a street stay as they are, and an address without a country stays in the order of today', () => {
  const street = 'Flat 4\r\nThe Old Mill, 14 park row';
  assertLines([
    [[street, 'BS1 5LJ', 'Bristol', 'GB'], 'GB', 'Flat 4 | The Old Mill, 14 park row | BRISTOL | BS1 5LJ'],
    [['Road 1', '0150', 'Oslo', null], undefined, 'Road 1 | 0150 Oslo'],
    [['Road 1', null, 'Oslo', null], undefined, 'Road 1 | Oslo'],
  ]);
});

test('a note such as "no fixed abode" is no address', () => {
  const notes = ['No fixed abode', 'N/A', 'o.f.W.', 'Ohne festen Wohnsitz', 'Sans domicile fixe', 'SEM-ABRIGO', '-'];
  const more = ['بلا مأوى', 'без постійного місця проживання', 'Zonder vaste woon- of verblijfplaats', 'Okänd adress'];
  const longer = ['No fixed abode, Bristol', 'ohne festen Wohnsitz (Postfach 12)'];
  assertLines([...notes, ...more, ...longer].map((note) => [[note, '1', 'Town', 'GB'], 'GB', undefined] as const));
  assertLines([
    [['Road 1', '1', 'unknown', 'GB'], 'GB', undefined],
    [['Unknown Street 1', 'BS1 5LJ', 'Bristol', 'GB'], 'GB', 'Unknown Street 1 | BRISTOL | BS1 5LJ'],
    [['Homeless Shelter, High St 1', 'BS1 5LJ', 'Bath', 'GB'], 'GB', 'Homeless Shelter, High St 1 | BATH | BS1 5LJ'],
  ]);
});

test('the name follows the address within Japan, and precedes it in other countries', () => {
  const isAfter = (streetAddress: string, country: string, home: string) =>
    postalLinesOf({ streetAddress, postalCode: '100-0001', locality: '東京都', country }, home)?.nameAfterAddress;
  assert.deepEqual(
    [isAfter('千代田1', 'JP', 'JP'), isAfter('千代田1', 'JP', 'PT'), isAfter('Road 1', 'PT', 'PT')],
    [true, false, false],
  );
});
