import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEmailAddress } from './email-address.ts';

for (const domain of [
  'good.example%2eevil.example',
  'example.org/home',
  'example.org?subject=x',
  'example.org#top',
  'example.org.',
  'example..org',
  '-example.org',
  'exam\u00adple.org',
  '127.1',
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '\uff11\uff12\uff17.1',
  'example.1',
  `${'a'.repeat(64)}.org`,
]) {
  test(`an address at ${JSON.stringify(domain)} is invalid, because a relay could read another host in it`, () =>
    assert.equal(parseEmailAddress(`mary@${domain}`), undefined));
}

test('an address at an international, short or numbered host name is valid, and its domain is in ASCII', () => {
  assert.deepEqual(
    [
      'b\u00fccher.example',
      'B\u00dcCHER.example',
      'b\u00fccher\u3002example',
      'localhost',
      '1und1.example',
      '4.example',
    ].map((domain) => parseEmailAddress(`mary.o'neil+tax@${domain}`)),
    [
      'xn--bcher-kva.example',
      'xn--bcher-kva.example',
      'xn--bcher-kva.example',
      'localhost',
      '1und1.example',
      '4.example',
    ].map((domain) => `mary.o'neil+tax@${domain}`),
  );
});
