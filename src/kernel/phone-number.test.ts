import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadPhoneParser } from './phone-number.ts';

const anywhere = await loadPhoneParser(undefined);
const british = await loadPhoneParser('GB');

test('a number with its country code is parsed into E.164, however it is separated', () => {
  const written = [
    '+447700900123',
    '+44 7700 900 123',
    '+44 (0) 7700 900123',
    '0044 7700 900123',
    '+44\u00a07700\u202f900123',
    '+44\u20107700\u2013900123',
    '+44-7700.900123',
    '\uff0b\uff14\uff14\uff17\uff17\uff10\uff10\uff19\uff10\uff10\uff11\uff12\uff13',
    '+\u0664\u0664\u0667\u0667\u0660\u0660\u0669\u0660\u0660\u0661\u0662\u0663',
    'tel:+447700900123',
    '+4407700900123',
  ];
  for (const parse of [anywhere, british])
    assert.deepEqual(
      written.map(parse),
      written.map(() => '+447700900123'),
    );
  assert.deepEqual(
    [
      '+49 170/1234567',
      '+49 (0)170 / 1234567',
      '+47 (0) 400 00 000',
      '+39 (0)6 698 12345',
      '+1\ufe0f-202-555-0147',
    ].map(anywhere),
    ['+491701234567', '+491701234567', '+4740000000', '+390669812345', '+12025550147'],
  );
});

test('invisible and bidirectional characters in a number are ignored', () => {
  const marks = [
    '\u202a',
    '\u202c',
    '\u2068',
    '\u2069',
    '\u200b',
    '\u200d',
    '\u200e',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\ufe0f',
  ];
  for (const mark of marks) {
    const number = `${mark}+44${mark} 7700 ${mark}900123${mark}`;
    assert.equal(anywhere(number), '+447700900123', JSON.stringify(number));
  }
});

test('a phone number without a country code is valid only with a default country', async () => {
  // The last one comes from a spreadsheet.
  const written = ['07700 900123', '(07700) 900123', '447700900123', '7700900123'];
  assert.deepEqual(
    written.map(anywhere),
    written.map(() => undefined),
  );
  assert.deepEqual(
    written.map(british),
    written.map(() => '+447700900123'),
  );
  const of = async (country: string, text: string) => (await loadPhoneParser(country))(text);
  assert.deepEqual(
    [
      await of('DE', '0170/1234567'),
      await of('NO', '400 00 000'),
      await of('US', '(202) 555-0147'),
      await of('IT', '06 698 12345'),
      await of('BR', '(11) 91234-5678'),
      await of('AR', '02966 15-123456'),
      await of('JP', '0044 7700 900123'),
    ],
    [
      '+491701234567',
      '+4740000000',
      '+12025550147',
      '+390669812345',
      '+5511912345678',
      '+5492966123456',
      '+447700900123',
    ],
  );
  // Without its prefix, a number may be a local one of another person.
  assert.deepEqual(
    [await of('DE', '1234567'), await of('DE', '1701234567'), await of('DE', '4930123')],
    [undefined, undefined, undefined],
  );
});

test('a text that is not exactly one possible number is invalid', () => {
  const wrong = [
    '',
    '112',
    '+44',
    '+44 7700',
    '+44 7700 9001234567',
    '+999 1234567',
    '+0123456789',
    '4.4770E+11',
    '+447700900123;+447700900124',
    '+447700900123,+447700900124',
    '07700 900123 / 07700 900124',
    '+49 30 12345/67890',
    '4477009001',
    '+44 7700 900123 ext 5',
    '+44 7700 900123/5',
    '+44 7700 900123;phone-context=example.org',
    '+44 7700 900123 (mobile)',
    "'+447700900123",
    '0800 FLOWERS',
    '++447700900123',
  ];
  for (const text of wrong) assert.deepEqual([anywhere(text), british(text)], [undefined, undefined], text);
});

test('two numbers with the same start that one parser parses have separate results', () => {
  assert.deepEqual(
    ['+447700900001', '+447700900002', '+4477009000', '+4477009000033', '07700900004', '077009000044'].map(british),
    ['+447700900001', '+447700900002', undefined, undefined, '+447700900004', undefined],
  );
});
