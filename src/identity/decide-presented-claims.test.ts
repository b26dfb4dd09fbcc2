import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { importPeople, openIdentityAppWith } from '../../test/support/identity-people.ts';
import { attestedClaims, presentClaims, walletPerson } from '../../test/support/presentations.ts';
import { euPolicy } from './match/policy.ts';
import { RegisterUnavailable } from './register/register.ts';
import { deleteWalletLinks, walletLinksOf } from './verification/wallet-link-store.ts';

const ana = { citizenId: 'A', ...walletPerson };
const bo = { ...walletPerson, givenName: 'Bo', familyName: 'Holm' };
const people = [
  ana,
  { citizenId: 'B', ...bo },
  { citizenId: 'L', ...walletPerson, givenName: 'Lina', locked: 'yes' },
  { citizenId: 'R', ...walletPerson, givenName: 'Rita', underReview: 'yes' },
];
const link = { issuingCountry: 'ES', administrativeNumber: '12345678Z', consented: true };
const without = { ...link, consented: false };
/** The name after a marriage, which the register does not have yet. */
const renamed = { ...walletPerson, familyName: 'Novak' };

for (const engine of engines) {
  test(`${engine.name}: attested claims that fit one citizen match, and the signed result names the credential and no value`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const { result, citizenId } = await presentClaims(app, attestedClaims(walletPerson), {
      mayReadClaims: () => true,
    });
    const { token, verificationId, requestHash, receipt, ...shown } = result;
    assert.equal(citizenId, 'A');
    assert.deepEqual(shown, {
      verified: true,
      decision: 'match',
      claims: Object.fromEntries(Object.keys(walletPerson).map((claim) => [claim, 'match'])),
      assurance: { framework: 'eidas', level: 'high' },
      policy: 'eu-2025-846',
      checkedAt: '2026-03-01T09:30:00.000Z',
      expiresAt: '2026-03-01T09:35:00.000Z',
      purpose: 'residence-permit',
      legalBasis: null,
      consentReference: null,
      evidence: {
        kind: 'wallet',
        credential: 'urn:eudi:pid:1',
        format: 'dc+sd-jwt',
        issuer: 'CN=PID Provider',
        issuingCountry: 'ES',
        holderBinding: true,
      },
    });
    const { payload } = await app.openToken(token);
    const { verification, claims } = payload['verified_claims'] as {
      verification: { assurance_level: string; evidence: readonly object[] };
      claims: object;
    };
    assert.equal(verification.assurance_level, 'high');
    assert.deepEqual(verification.evidence[1], {
      type: 'electronic_record',
      check_details: [{ check_method: 'vcrypt', check_id: `${verificationId}:wallet`, time: shown.checkedAt }],
      record: { type: 'urn:eudi:pid:1', format: 'dc+sd-jwt', source: { name: 'CN=PID Provider', country: 'ES' } },
      issuer_certificate: { digest: { alg: 'sha-256', value: Buffer.alloc(32, 9).toString('base64') } },
    });
    assert.deepEqual(claims, {
      compared_claims: ['given_name', 'family_name', 'birthdate', 'birth_place', 'nationality'],
    });
    assert.deepEqual([payload['sub'], payload['nonce'], payload['request_hash']], [undefined, 'n-1', requestHash]);
    const read = await app.ask('GET', verificationId, { client: 'permits' });
    const { claims: _, ...withoutClaims } = result;
    assert.deepEqual('json' in read && read.json, withoutClaims);
    assert.match(receipt, /^\/v1\/receipts\/evt_/);
    assert.deepEqual(
      (await app.events('A')).map(({ type, decision, wallet, purpose }) => [type, decision, wallet, purpose]),
      [
        ['identity.verified', 'match', 'match', 'residence-permit'],
        ['identity.verification-read', undefined, undefined, undefined],
      ],
    );
  });

  test(`${engine.name}: wrong attested claims do not use up the verification limit, and a limit that is reached does not refuse right ones`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const asked = async (claims: object) => {
      const answered = await app.ask('POST', claims, {}, { policyOf: () => euPolicy });
      return 'json' in answered && answered.json['decision'];
    };
    for (let at = 0; at < 12; at += 1) {
      const { result } = await presentClaims(app, attestedClaims({ ...walletPerson, birthPlace: `Town ${at}` }));
      assert.equal(result.decision, 'no_match');
    }
    assert.equal(await asked(walletPerson), 'match');
    for (let at = 0; at < 12; at += 1) await asked({ ...walletPerson, birthPlace: `Village ${at}` });
    assert.equal(await asked(walletPerson), 'no_match');
    assert.equal((await presentClaims(app, attestedClaims(walletPerson))).result.decision, 'match');
  });

  test(`${engine.name}: attested claims of a locked, disputed or unavailable record have the decision of a verification`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const decisionOf = async (givenName: string, over = {}) =>
      (await presentClaims(app, attestedClaims({ ...walletPerson, givenName }), over)).result.decision;
    assert.equal(await decisionOf('Lina'), 'no_match');
    assert.equal(await decisionOf('Rita'), 'not_determined');
    const register = {
      ...app.ports.register,
      search: async () => {
        throw new RegisterUnavailable('no answer');
      },
    };
    assert.equal(await decisionOf('Ana Maria', { register }), 'not_determined');
  });

  test(`${engine.name}: a client that expects another citizen gets no_match, and only the citizen of the wallet learns why`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const other = await presentClaims(app, attestedClaims(walletPerson, { expectedCitizenId: 'B' }));
    const unknown = await presentClaims(app, attestedClaims(walletPerson, { expectedCitizenId: 'X' }));
    const { verificationId } = other.result;
    assert.deepEqual([other.result.decision, unknown.result.decision, other.citizenId], ['no_match', 'no_match', null]);
    assert.deepEqual([(await app.events('B')).length, (await app.events('X')).length], [0, 0]);
    assert.equal((await app.events('A'))[0]?.['wallet'], 'other');
    const disputed = attestedClaims({ ...walletPerson, givenName: 'Rita' }, { expectedCitizenId: 'B' });
    assert.equal((await presentClaims(app, disputed)).result.decision, 'no_match');
    const own = await presentClaims(app, attestedClaims(walletPerson, { expectedCitizenId: 'A' }));
    const { payload } = await app.openToken(own.result.token);
    assert.equal(own.result.decision, 'match');
    assert.equal((payload['verified_claims'] as { claims: Record<string, unknown> }).claims['citizen_id'], 'A');
    assert.match(String(payload['sub']), /^[\w-]{43}$/);
    assert.equal('refusal' in (await app.ask('GET', verificationId, { client: 'other' })), true);
  });

  test(`${engine.name}: an attested number is the citizen id only if the operator has declared it`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const claims = { familyName: walletPerson.familyName, birthDate: walletPerson.birthDate, citizenId: 'A' };
    const number = { ...link, administrativeNumber: 'A' };
    const decisionOf = async (isAdministrativeNumberCitizenId: boolean) =>
      (await presentClaims(app, attestedClaims(claims, { isAdministrativeNumberCitizenId, link: number }))).result
        .decision;
    assert.deepEqual([await decisionOf(true), await decisionOf(false)], ['match', 'no_match']);
    assert.deepEqual(await walletLinksOf(app.db.read, 'A'), []);
  });

  test(`${engine.name}: a wallet that was linked with consent matches after a change of name, until the link is removed`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const decisionOf = async (claims: object, over = {}) =>
      (await presentClaims(app, attestedClaims(claims, { link: without, ...over }))).result.decision;
    await presentClaims(app, attestedClaims(walletPerson, { link: without }));
    assert.equal(await decisionOf(renamed), 'no_match');
    await presentClaims(app, attestedClaims(walletPerson, { link }));
    assert.deepEqual(await walletLinksOf(app.db.read, 'A'), [
      { issuingCountry: 'ES', keptAt: Date.parse('2026-03-01T09:30:00Z') },
    ]);
    assert.equal(await decisionOf(renamed), 'match');
    assert.equal(await decisionOf(renamed, { expectedCitizenId: 'B' }), 'no_match');
    assert.equal(await decisionOf(renamed, { link: { ...without, issuingCountry: 'PT' } }), 'no_match');
    assert.equal(
      await decisionOf({ ...renamed, birthDate: '1990-11-29' }),
      'no_match',
      'another person has the number',
    );
    await importPeople(t, app, [{ citizenId: 'A', birthDate: '1990' }]);
    assert.equal(await decisionOf({ ...renamed, birthDate: '1990' }), 'no_match', 'many people share a year');
    await importPeople(t, app, [{ citizenId: 'A', birthDate: walletPerson.birthDate }]);
    assert.equal(await decisionOf(bo), 'not_determined', 'the claims fit another citizen');
    await importPeople(t, app, [{ citizenId: 'A', locked: 'yes' }]);
    assert.equal(await decisionOf(renamed), 'no_match', 'locked');
    await importPeople(t, app, [{ citizenId: 'A', locked: 'no' }]);
    await app.db.write([deleteWalletLinks('A')]);
    assert.equal(await decisionOf(renamed), 'no_match', 'removed');
    assert.deepEqual(
      (await app.events('A')).filter(({ type }) => type === 'wallet-link.kept').map(({ actor }) => actor),
      [{ client: 'permits' }],
    );
  });

  test(`${engine.name}: a new number of the same country replaces the linked one`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    await presentClaims(app, attestedClaims(walletPerson, { link }));
    await presentClaims(app, attestedClaims(walletPerson, { link: { ...link, administrativeNumber: '2' } }));
    await presentClaims(app, attestedClaims(walletPerson, { link: { ...link, issuingCountry: 'PT' } }));
    assert.deepEqual(
      (await walletLinksOf(app.db.read, 'A')).map(({ issuingCountry }) => issuingCountry),
      ['ES', 'PT'],
    );
    assert.equal((await presentClaims(app, attestedClaims(renamed, { link }))).result.decision, 'no_match');
  });
}
