import assert from 'node:assert/strict';
import test from 'node:test';
import { normaliseClaims } from '../../src/identity/match/comparable.ts';
import { calibratedPolicy, shippedPolicies } from '../../src/identity/match/policy.ts';
import { nameSearchKeys } from '../../src/identity/names/name-key.ts';
import { arabicSkeletons, latinSkeleton } from '../../src/identity/names/name-skeleton.ts';
import { type Claims, decomposesTooLong, parseVerificationRequest } from '../../src/identity/register/claims.ts';
import { quotaWeightOf, toCountableClaims } from '../../src/identity/verification-limit/verification-keys.ts';
import { engines } from '../support/database-engines.ts';
import { identityAppStartMs } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// Attack: one client sends the most expensive claims within its quota, to slow down the others and to fill the disk. The cost is counted in
// letters, keys and bytes, and not measured in time.

const repeated = (text: string, length = 200) => [...text.repeat(length)].slice(0, length).join('');

/** Values of at most 200 code points that are expensive in one way each. */
const expensive: readonly string[] = [
  repeated('\ufdfa', 22),
  repeated('\u337f', 100),
  repeated('щ'),
  repeated('жä😀'),
  repeated('van Дэ al χя ü jr de хъ ра la щё ß st γє ö dr жї '),
  repeated('ا ل ج ژ خ ة '),
  repeated('الجخ'),
  repeated('张 '),
  repeated('シェ'),
  repeated('a b '),
  repeated('ä ö ü ñ '),
  repeated('12 flat 3 '),
  repeated('כהן '),
];

/** The longest form of a value: each of 400 units has at most six Latin letters in a system; a nationality has all its forms in one text. */
const maxFormLength = 3_000;

function claimsWith(text: string): Claims {
  const number = [...text].slice(0, 198).join('');
  return {
    givenName: text,
    familyName: text,
    birthDate: '1980-03-07',
    birthPlace: text,
    streetAddress: text,
    postalCode: `${number} 1`,
    documentNumber: `${number} 2`,
    nationality: text,
  };
}

test('a value that decomposes into more than 400 letters is refused, in a request and in a register', () => {
  for (const [value, isTooLong] of [
    [repeated('\ufdfa', 22), false],
    [repeated('\ufdfa', 23), true],
    [repeated('\u337f', 100), false],
    [repeated('\u337f', 101), true],
    [repeated('\u1ed1', 133), false],
    [repeated('x'), false],
  ] as const) {
    assert.equal(decomposesTooLong(value), isTooLong);
    const parsed = parseVerificationRequest({ givenName: value }, { from: 'body', now: identityAppStartMs });
    const issues = 'issues' in parsed ? parsed.issues.map(({ code }) => code) : [];
    assert.deepEqual(issues, isTooLong ? ['too-long'] : []);
  }
});

test('the skeleton of a name has a length that does not depend on the length of the name', () => {
  for (const text of [...expensive, 'btlmnr'.repeat(10_000), 'الجخبتلمنر'.repeat(10_000)]) {
    const found = [...arabicSkeletons(text.replaceAll(' ', '')), ...latinSkeleton(text)];
    assert.ok(found.length <= 17 && found.every((skeleton) => skeleton.length <= 25), text.slice(0, 10));
  }
});

test('expensive claims have a bounded number of forms, letters, search keys and verification keys', () => {
  const hmacKey = new Uint8Array(32);
  for (const [at, text] of expensive.entries()) {
    const other = expensive[(at + 1) % expensive.length] ?? '';
    for (const sent of [claimsWith(text), { ...claimsWith(text), familyName: other, streetAddress: other }]) {
      for (const policy of shippedPolicies.values()) {
        const countable = toCountableClaims(hmacKey, sent, normaliseClaims(sent), policy);
        const { claims, verificationKeys } = countable;
        const forms = Object.values(claims.values).flatMap((value) => value?.forms ?? []);
        assert.ok(forms.length <= 8 * 8, `${forms.length} forms`);
        assert.ok(Math.max(...forms.map(({ length }) => length)) <= maxFormLength);
        const searchKeys = nameSearchKeys(claims.values.familyName?.forms ?? []);
        assert.ok(searchKeys.length <= 8 * (4 + 16), `${searchKeys.length} search keys`);
        assert.ok(verificationKeys.keys.length <= 200, `${verificationKeys.keys.length} keys`);
        const letters = forms.reduce((sum, { length }) => sum + length, 0);
        const weight = quotaWeightOf(countable);
        assert.ok(weight >= verificationKeys.keys.length / 34 && weight >= letters / 1_000, `weight ${weight}`);
      }
    }
  }
});

test('usual claims count as one request in the quota', () => {
  const sent = {
    givenName: 'Anna Maria',
    familyName: 'Müller',
    birthDate: '1980-03-07',
    streetAddress: 'Hauptstraße 12',
    postalCode: '10115',
  };
  for (const policy of shippedPolicies.values()) {
    const countable = toCountableClaims(new Uint8Array(32), sent, normaliseClaims(sent), policy);
    assert.equal(quotaWeightOf(countable), 1, `${policy.name}: ${countable.verificationKeys.keys.length} keys`);
  }
});

for (const engine of engines) {
  test(`${engine.name}: a search with expensive claims stores at most 64,000 bytes`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', givenName: 'Anna', familyName: 'Berg' }]);
    for (const text of expensive) {
      const before = await storedBytes(app.db.read);
      await app.ask('POST', claimsWith(text), {}, { policyOf: () => calibratedPolicy });
      const written = (await storedBytes(app.db.read)) - before;
      assert.ok(written <= 64_000, `${written} bytes`);
    }
  });
}

for (const engine of engines) {
  test(`${engine.name}: long claims of one client are decided one after another, and do not delay those of other clients`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', givenName: 'Anna', familyName: 'Berg' }]);
    const [inProgress, highest] = [new Map<string, number>(), new Map<string, number>()];
    const askAs = async (client: string, claims: object) => {
      const search: typeof app.ports.register.search = async (keys) => {
        const now = (inProgress.get(client) ?? 0) + 1;
        inProgress.set(client, now);
        highest.set(client, Math.max(now, highest.get(client) ?? 0));
        const found = await app.ports.register.search(keys);
        inProgress.set(client, now - 1);
        return found;
      };
      const answered = await app.ask('POST', claims, { client }, { register: { ...app.ports.register, search } });
      assert.ok('json' in answered);
    };
    const long = claimsWith(repeated('щ'));
    const usual = (at: number) => ({ givenName: `A${at}`, familyName: 'B', birthDate: '1980-03-07', postalCode: '1' });
    await Promise.all([
      ...Array.from({ length: 8 }, (_, at) => askAs('hostile', { ...long, birthDate: `1980-03-1${at}` })),
      ...Array.from({ length: 8 }, (_, at) => askAs('usual', usual(at))),
    ]);
    assert.equal(highest.get('hostile'), 1);
    assert.ok((highest.get('usual') ?? 0) > 1);
  });
}

async function storedBytes(read: Parameters<typeof quotaTables>[0]): Promise<number> {
  return (await quotaTables(read)).reduce((sum, bytes) => sum + bytes, 0);
}

async function quotaTables(
  read: (sql: string, args: readonly never[]) => Promise<readonly Record<string, unknown>[]>,
): Promise<number[]> {
  const bytes: number[] = [];
  for (const table of ['verification_limit', 'verification', 'ledger_event']) {
    for (const row of await read(`select * from ${table}`, [])) {
      for (const value of Object.values(row))
        bytes.push(value instanceof Uint8Array ? value.length : String(value).length);
    }
  }
  return bytes;
}
