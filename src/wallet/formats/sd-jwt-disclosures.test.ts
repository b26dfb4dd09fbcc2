import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { concealClaims, type Disclosure, type DisclosureFrame } from '../../../test/support/sd-jwt-issuer.ts';
import { testDataPath, testDataSkipReason } from '../../../test/support/test-data.ts';
import { sha256 } from '../../kernel/hashing.ts';
import { isObject } from '../../kernel/is-object.ts';
import { resolveDisclosures } from './sd-jwt-disclosures.ts';

type VectorCase = {
  readonly claims: object;
  readonly disclosureFrame?: DisclosureFrame;
  readonly presentationFrames?: object;
  readonly presentedClaims: object;
};

/** The paths that a frame of the vectors names, with those of the levels above. */
function pathsIn(frame: object, path = ''): readonly string[] {
  return Object.entries(frame).flatMap(([name, below]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return isObject(below) ? [here, ...pathsIn(below, here)] : [here];
  });
}

test('the claims of each case of sd-jwt-js are presented as it documents', (context) => {
  const path = testDataPath('vectors/wallet/sd-jwt-cases.json');
  if (path === undefined) return context.skip(testDataSkipReason);
  const cases: Record<string, VectorCase> = JSON.parse(readFileSync(path, 'utf8'));
  assert.equal(Object.keys(cases).length, 17);
  for (const [name, { claims, disclosureFrame, presentationFrames, presentedClaims }] of Object.entries(cases)) {
    const disclosures: Disclosure[] = [];
    const payload = concealClaims(claims, disclosureFrame ?? {}, { disclosures });
    assert.ok(isObject(payload));
    // The file has no result for this case: RFC 9901 removes the digests, and leaves an object without members.
    const expected = name === 'array_none_disclosed' ? { is_over: {} } : presentedClaims;
    const selected = new Set(pathsIn(presentationFrames ?? {}));
    const presented = disclosures.filter((disclosure) => selected.has(disclosure.path)).map(({ text }) => text);
    assert.deepEqual(resolveDisclosures({ ...payload, _sd_alg: 'sha-256' }, presented), expected, name);
  }
});

const encode = (...parts: readonly unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
const digest = (text: string) => sha256(Buffer.from(text)).toString('base64url');
const name = encode('salt', 'given_name', 'Erika');
const element = encode('salt', 'DE');

/** Payloads with disclosures that must be refused. */
const refused: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
  ['a disclosure without a digest', {}, [name]],
  ['one disclosure twice', { _sd: [digest(name)] }, [name, name]],
  ['a digest twice in one list', { _sd: [digest(name), digest(name)] }, [name]],
  ['a digest twice in different objects', { _sd: [digest(name)], a: { _sd: [digest(name)] } }, [name]],
  ['a digest that has no disclosure, twice', { _sd: ['decoy'], a: [{ '...': 'decoy' }] }, []],
  ['a claim that exists', { _sd: [digest(name)], given_name: 'Max' }, [name]],
  ['a list of digests that is no list', { _sd: 'digest' }, []],
  ['a digest that is no text', { _sd: [1] }, []],
  ['a salt that is no text', { _sd: [digest(encode(1, 'name', 1))] }, [encode(1, 'name', 1)]],
  ['another hash algorithm', { _sd_alg: 'sha-512', _sd: [] }, []],
  ['a member named "..."', { '...': 'digest' }, []],
  ['a placeholder with two members', { list: [{ '...': 'digest', more: 1 }] }, []],
  ['an element in place of a member', { _sd: [digest(element)] }, [element]],
  ['a member in place of an element', { list: [{ '...': digest(name) }] }, [name]],
  ['text that is no JSON', { _sd: [digest('e30x')] }, ['e30x']],
  ['an object as disclosure', { _sd: [digest('e30')] }, ['e30']],
  ...['_sd', '...'].map((reserved) => {
    const text = encode('salt', reserved, []);
    return [`a claim with the reserved name ${reserved}`, { _sd: [digest(text)] }, [text]] as const;
  }),
];

for (const [title, payload, disclosures] of refused) {
  test(`an SD-JWT is refused: ${title}`, () => {
    assert.throws(() => resolveDisclosures(payload, disclosures), { reason: 'disclosure-invalid' });
  });
}

test('500 disclosures are resolved, and 501 are refused', () => {
  const texts = Array.from({ length: 501 }, (_, index) => encode('salt', `name-${index}`, index));
  const resolve = (presented: readonly string[]) => resolveDisclosures({ _sd: texts.map(digest) }, presented);
  assert.equal(Object.keys(resolve(texts.slice(1))).length, 500);
  assert.throws(() => resolve(texts), { reason: 'disclosure-invalid' });
});

test('a claim named __proto__ is a claim and changes no prototype', () => {
  const text = encode('salt', '__proto__', { given_name: 'Eve' });
  const claims = resolveDisclosures({ _sd: [digest(text)] }, [text]);
  assert.equal(claims['given_name'], undefined);
  assert.deepEqual(Object.keys(claims), ['__proto__']);
});

test('disclosures that are nested deeper than the limit are refused', () => {
  const texts: string[] = [];
  let digests: string[] = [];
  for (let depth = 0; depth < 20; depth += 1) {
    const text = encode('salt', 'level', { _sd: digests });
    texts.push(text);
    digests = [digest(text)];
  }
  assert.throws(() => resolveDisclosures({ _sd: digests }, texts), { reason: 'disclosure-invalid' });
});
