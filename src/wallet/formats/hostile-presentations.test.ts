import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createCredentialParties,
  expectedPresentation,
  presentMdoc,
  presentSdJwt,
} from '../../../test/support/wallet-credentials.ts';
import { PresentationFailure } from '../failure-reason.ts';
import { decodeCbor } from './cbor.ts';
import { checkMdocPresentation } from './mdoc-presentation.ts';
import { claimsOf } from './pid-claims.ts';
import type { PresentedCredential } from './presented-credential.ts';
import { checkSdJwtPresentation } from './sd-jwt-presentation.ts';

const parties = await createCredentialParties();
const padding = 'a'.repeat(300_000);
const formats = [
  {
    name: 'SD-JWT',
    valid: presentSdJwt(parties),
    large: presentSdJwt(parties, { payload: { padding } }),
    check: checkSdJwtPresentation,
  },
  {
    name: 'mdoc',
    valid: presentMdoc(parties),
    large: presentMdoc(parties, { securityObject: [['padding', padding]] }),
    check: checkMdocPresentation,
  },
] as const;
const runs = { numRuns: 1_000 };

/** The reason of the failure, or undefined for a valid presentation. Another error fails the test. */
async function reasonOf(check: () => Promise<PresentedCredential>): Promise<string | undefined> {
  try {
    claimsOf(await check());
    return undefined;
  } catch (error) {
    if (error instanceof PresentationFailure) return error.reason;
    throw error;
  }
}

for (const { name, valid, large, check } of formats) {
  test(`a valid ${name} with a changed part ends with a reason, and never with another attribute`, async () => {
    const original = claimsOf(await check(valid, expectedPresentation));
    const position = fc.nat(valid.length);
    const change = fc.tuple(position, fc.nat(40), fc.string({ maxLength: 20 }));
    await fc.assert(
      fc.asyncProperty(change, async ([at, removed, inserted]) => {
        const changed = valid.slice(0, at) + inserted + valid.slice(at + removed);
        await reasonOf(async () => {
          const credential = await check(changed, expectedPresentation);
          assert.deepEqual(claimsOf(credential), original);
          return credential;
        });
      }),
      runs,
    );
  });

  test(`any text in place of an ${name} ends with a reason`, async () => {
    const text = fc.oneof(fc.string({ maxLength: 200 }), fc.base64String({ maxLength: 200 }));
    await fc.assert(
      fc.asyncProperty(text, async (one) => assert.ok(await reasonOf(() => check(one, expectedPresentation)))),
      runs,
    );
  });

  test(`an ${name} of more than 256 KiB is refused before it is read`, async () => {
    for (const text of [large, 'a'.repeat(2 ** 20), '~'.repeat(2 ** 20), 'gYGB'.repeat(2 ** 18)])
      assert.equal(await reasonOf(() => check(text, expectedPresentation)), 'credential-malformed');
  });
}

test('a signed SD-JWT with any value in any member ends with a reason, or is valid', async () => {
  const names = ['vct', 'exp', 'nbf', 'iat', 'cnf', 'status', '_sd', '_sd_alg', 'address', 'nationalities', '...'];
  const values = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 4 });
  await fc.assert(
    fc.asyncProperty(
      values,
      fc.dictionary(fc.constantFrom('aud', 'nonce', 'iat', 'sd_hash'), fc.jsonValue()),
      async (payload, proof) => {
        await reasonOf(() => checkSdJwtPresentation(presentSdJwt(parties, { payload, proof }), expectedPresentation));
      },
    ),
    runs,
  );
});

test('a signed security object with any value in any member ends with a reason, or is valid', async () => {
  const names = ['digestAlgorithm', 'valueDigests', 'deviceKeyInfo', 'docType', 'validityInfo', 'status'];
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.uint8Array({ maxLength: 40 }),
    fc.constant(new Map([[1, 2]])),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), value, async (name, replaced) => {
      const changes = [
        { securityObject: [[name, replaced]] },
        { document: [[name, replaced]] },
        { response: [[name, replaced]] },
      ] as const;
      for (const change of changes)
        await reasonOf(() => checkMdocPresentation(presentMdoc(parties, change), expectedPresentation));
    }),
    { numRuns: 300 },
  );
});

test('any bytes in place of CBOR are decoded or fail as malformed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        decodeCbor(bytes);
      } catch (error) {
        assert.ok(error instanceof PresentationFailure);
      }
    }),
    { numRuns: 10_000 },
  );
});

test('an SD-JWT that is nested 50,000 levels deep is refused', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const disclosures = () => [Buffer.from(`["salt","name",${deep}]`).toString('base64url')];
  const presentation = presentSdJwt(parties, { disclosures });
  assert.equal(await reasonOf(() => checkSdJwtPresentation(presentation, expectedPresentation)), 'disclosure-invalid');
});
