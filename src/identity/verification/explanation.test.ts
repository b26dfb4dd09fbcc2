import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { type Engine, engines } from '../../../test/support/database-engines.ts';
import { identityAppStartMs } from '../../../test/support/identity-app.ts';
import { openIdentityAppWith } from '../../../test/support/identity-people.ts';
import { parseId } from '../../kernel/id.ts';
import { systemClock } from '../../kernel/system-clock.ts';
import { claimFindings, unmatchedReasons } from '../../kernel/verification-explanation.ts';
import { standardPolicy2 } from '../match/policy.ts';
import { claimNames } from '../register/claims.ts';
import { RegisterUnavailable } from '../register/register.ts';
import { citizenVerificationKey } from '../verification-limit/verification-keys.ts';
import { decodeExplanation, type Explanation, encodeExplanation, explainDecision } from './explanation.ts';
import type { IdentityPorts } from './ports.ts';
import { findExplanation } from './verification-store.ts';

test('an encoded explanation decodes unchanged, and has the same length whatever it contains', () => {
  const claims = fc.dictionary(fc.constantFrom(...claimNames), fc.constantFrom(...claimFindings));
  const reasons = fc.option(fc.constantFrom(...unmatchedReasons));
  fc.assert(
    fc.property(reasons, claims, (reason, found) => {
      const explanation: Explanation = { reason, claims: { ...found } };
      const packed = encodeExplanation(explanation);
      assert.deepEqual(decodeExplanation(packed), explanation);
      assert.equal(packed.length, claimNames.length + 1);
    }),
  );
});

test('an explanation stored with fewer or more claims is read as far as possible', () => {
  assert.deepEqual(decodeExplanation('lm'), { reason: 'record-locked', claims: { citizenId: 'match' } });
  assert.deepEqual(decodeExplanation('?m?----------?'), { reason: null, claims: { citizenId: 'match' } });
});

test('the levels of a comparison are reduced to five findings', () => {
  const levels = { givenName: 'shortened', familyName: 'normalised', birthDate: 'inverted' } as const;
  const others = { streetAddress: 'former', postalCode: 'different', locality: 'missing' } as const;
  assert.deepEqual(explainDecision('claims-do-not-fit', { ...levels, ...others }).claims, {
    givenName: 'similar',
    familyName: 'match',
    birthDate: 'similar',
    streetAddress: 'former',
    postalCode: 'no_match',
    locality: 'not_available',
  });
});

const ana = { givenName: 'Ana', familyName: 'Silva', birthDate: '1990-11-30' };
const people = [
  { citizenId: 'A', ...ana, streetAddress: '1 Hill Street', formerNames: '[{"familyName":"Costa"}]' },
  { citizenId: 'L', givenName: 'Lena', familyName: 'Locke', birthDate: '1970-01-01', locked: 'yes' },
  { citizenId: 'D', givenName: 'Dora', familyName: 'Dead', birthDate: '1930-01-01', deceased: 'yes' },
  { citizenId: 'R', givenName: 'Rita', familyName: 'Review', birthDate: '1975-01-01', underReview: 'yes' },
  { citizenId: 'T-1', givenName: 'Jon', familyName: 'Twin', birthDate: '2000-01-01' },
  { citizenId: 'T-2', givenName: 'Jón', familyName: 'Twin', birthDate: '2000-01-01' },
];

async function openExplanationApp(t: TestContext, engine: Engine) {
  const app = await openIdentityAppWith(t, engine, people);
  const parts = { read: app.db.read, citizenKeys: app.importDeps.citizenKeys, clock: systemClock };
  /** Verifies, and reads the explanation as one citizen. */
  const verifyAs = async (claims: object, reader: string, over: Partial<IdentityPorts> = {}) => {
    const answered = await app.ask('POST', claims, {}, { policyOf: () => standardPolicy2, ...over });
    assert.ok('json' in answered);
    const { token, ...answer } = answered.json;
    // Without the token: the random bytes of its signature can contain any three letters.
    const { payload } = await app.openToken(token);
    assert.equal(JSON.stringify([answer, payload]).includes('"why"'), false);
    const id = parseId('verification', String(answered.json['verificationId'])) ?? assert.fail();
    return [answered.json['decision'], await findExplanation(parts, id, reader)];
  };
  return { ...app, verifyAs };
}

for (const engine of engines) {
  test(`${engine.name}: the explanation names the claims that did not fit and the former values`, async (t) => {
    const { verifyAs } = await openExplanationApp(t, engine);
    const explained = async (claims: object) => await verifyAs({ citizenId: 'A', ...ana, ...claims }, 'A');
    const all = { citizenId: 'match', givenName: 'match', familyName: 'match', birthDate: 'match' };
    assert.deepEqual(await explained({}), ['match', { reason: null, claims: all }]);
    assert.deepEqual(await explained({ familyName: 'Jones', postalCode: '1' }), [
      'no_match',
      { reason: 'claims-do-not-fit', claims: { ...all, familyName: 'no_match', postalCode: 'not_available' } },
    ]);
    assert.deepEqual(await explained({ familyName: 'Costa', givenName: 'Anna' }), [
      'no_match',
      { reason: 'claims-do-not-fit', claims: { ...all, givenName: 'similar', familyName: 'former' } },
    ]);
  });

  test(`${engine.name}: a locked, disputed or ambiguous record is explained to its citizen only`, async (t) => {
    const { verifyAs } = await openExplanationApp(t, engine);
    const reasons = [];
    for (const { citizenId, givenName, familyName, birthDate } of people.slice(1, 5)) {
      const [decision, explained] = await verifyAs(
        // In the spelling of the twin.
        { citizenId, givenName: citizenId === 'T-1' ? 'Jón' : givenName, familyName, birthDate },
        citizenId,
      );
      reasons.push([decision, (explained as Explanation).reason]);
    }
    assert.deepEqual(reasons, [
      ['no_match', 'record-locked'],
      ['no_match', 'record-of-the-dead'],
      ['not_determined', 'record-under-review'],
      ['not_determined', 'others-fit-as-well'],
    ]);
    const [, toAnother] = await verifyAs({ citizenId: 'A', ...ana }, 'L');
    assert.equal(toAnother, undefined);
    // Claims that do not fit are not explained by the lock of the record.
    const [, wrong] = await verifyAs({ ...people[1], locked: undefined, familyName: 'Jones' }, 'L');
    assert.equal((wrong as Explanation).reason, 'claims-do-not-fit');
  });

  test(`${engine.name}: a search is explained to the person whose names and birth date it has, even if it matches no person`, async (t) => {
    const { verifyAs } = await openExplanationApp(t, engine);
    assert.deepEqual(await verifyAs({ ...ana, streetAddress: '2 Valley Road' }, 'A'), [
      'no_match',
      {
        reason: 'claims-do-not-fit',
        claims: { givenName: 'match', familyName: 'match', birthDate: 'match', streetAddress: 'no_match' },
      },
    ]);
    assert.deepEqual(await verifyAs({ ...ana, givenName: 'Eva', streetAddress: '1 Hill Street' }, 'A'), [
      'no_match',
      undefined,
    ]);
  });

  test(`${engine.name}: an explanation at the limit has its own reason and the findings, and has no findings without a register`, async (t) => {
    const { verifyAs } = await openExplanationApp(t, engine);
    const explained = async (claims: object, over?: Partial<IdentityPorts>) =>
      await verifyAs({ citizenId: 'A', ...ana, ...claims }, 'A', over);
    const down = async () => {
      throw new RegisterUnavailable('down');
    };
    const register = { find: down } as unknown as IdentityPorts['register'];
    assert.deepEqual(await explained({}, { register }), [
      'not_determined',
      { reason: 'register-unavailable', claims: {} },
    ]);
    for (const day of [1, 2, 3, 4, 5]) await explained({ birthDate: `1990-10-0${day}` });
    const all = { citizenId: 'match', givenName: 'match', familyName: 'match', birthDate: 'match' };
    assert.deepEqual(await explained({}), ['no_match', { reason: 'guesses-spent', claims: all }]);
  });

  test(`${engine.name}: a search that finds the limit reached by concealed failures is not explained`, async (t) => {
    const { verifyAs, ports, pass } = await openExplanationApp(t, engine);
    const subject = citizenVerificationKey(ports.rootKey.derive('guess-budget'), 'A');
    // By the clock of the reader, which is not that of the app.
    const hiddenUntil = Date.now() + 3_600_000;
    for (const tag of ['1', '2', '3', '4', '5']) {
      const counting = { keys: [subject], tag, notifyKey: subject, isFailed: true, hiddenUntil };
      await ports.verificationLimiter.count(
        counting,
        await ports.verificationLimiter.readSnapshot([subject], identityAppStartMs),
      );
    }
    const search = { ...ana, streetAddress: '1 Hill Street' };
    assert.deepEqual(await verifyAs(search, 'A'), ['no_match', undefined]);
    // A month later the failures no longer count.
    pass(31 * 86_400_000);
    assert.equal((await verifyAs(search, 'A'))[0], 'match');
  });

  test(`${engine.name}: the explanations of an erased citizen cannot be read`, async (t) => {
    const { verifyAs, db } = await openExplanationApp(t, engine);
    await verifyAs({ citizenId: 'A', ...ana }, 'A');
    const [row] = await db.read('select id from verification', []);
    const id = parseId('verification', String(row?.['id'])) ?? assert.fail();
    const keyOf = async () => new Uint8Array(32);
    assert.equal(
      await findExplanation({ read: db.read, citizenKeys: { keyOf }, clock: systemClock }, id, 'A'),
      undefined,
    );
  });
}
