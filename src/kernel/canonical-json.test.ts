import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, type Json } from './canonical-json.ts';

test('the example of RFC 8785, section 3.2.2, gives the text of section 3.2.3', () => {
  const value = {
    numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\u002f',
    literals: [null, true, false],
  };
  assert.equal(
    canonicalJson(value),
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test('members are sorted by UTF-16 code units (RFC 8785, section 3.2.3)', () => {
  const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
  const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
  assert.deepEqual(Object.keys(JSON.parse(canonicalJson(Object.fromEntries(names.map((name) => [name, 0]))))), [
    '1',
    ...sorted.filter((name) => name !== '1'),
  ]);
  assert.ok(canonicalJson({ '\ud83d\ude00': 0, '\ufb33': 0 }).startsWith('{"😀"'));
});

test('canonical JSON parses to the same value, and that value gives the same text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      // fast-check makes JSON values only.
      const text = canonicalJson(value as Json);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(canonicalJson(JSON.parse(text)), text);
    }),
  );
});

test('a number that is not finite, and a lone surrogate in a value or name, throws', () => {
  assert.throws(() => canonicalJson(Number.NaN), /NaN is not allowed/);
  assert.throws(() => canonicalJson({ a: Number.POSITIVE_INFINITY }), /Infinity is not allowed/);
  assert.throws(() => canonicalJson('\ud800'), /Lone surrogate/);
  assert.throws(() => canonicalJson({ '\ud800': 1 }), /Lone surrogate/);
});

test('minus zero is written as 0, and undefined members are left out', () => {
  assert.equal(canonicalJson({ b: undefined, a: -0 }), '{"a":0}');
});
