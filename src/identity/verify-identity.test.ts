import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { buildIdentityApp, identityAppStartMs, type VerifyCaller } from '../../test/support/identity-app.ts';
import { openIdentityAppWithPeople, zoeClaims } from '../../test/support/identity-people.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';

/** A result without the values that differ each time: ids and the bytes of the token. */
function comparable(answer: Readonly<Record<string, unknown>>): unknown {
  const { verificationId, receipt, token, requestHash, ...rest } = answer;
  return [
    rest,
    String(verificationId).length,
    String(receipt).length,
    String(token).length,
    String(requestHash).length,
  ];
}

/** The verification element of OpenID Connect for Identity Assurance, section 5. */
function evidenceOf(verificationId: unknown) {
  const time = '2026-03-01T09:30:00.000Z';
  const organization = 'Register of Exampleland';
  return {
    trust_framework: 'eidas',
    assurance_level: 'low',
    assurance_process: {
      policy: 'standard-2026-1',
      procedure: 'register-match',
      assurance_details: [{ assurance_type: 'evidence_validation', evidence_ref: [{ check_id: verificationId }] }],
    },
    time,
    verification_process: verificationId,
    evidence: [
      {
        type: 'electronic_record',
        check_details: [{ check_method: 'data', organization, check_id: verificationId, time }],
        record: { type: 'population_register', source: { name: organization, country: 'EX' } },
      },
    ],
  };
}

for (const engine of engines) {
  test(`${engine.name}: correct claims match, with the documented response`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const answered = await app.ask('POST', { ...zoeClaims, purpose: 'tax', nonce: 'n-1' });
    assert.equal('refusal' in answered, false);
    if ('refusal' in answered) return;
    const { verificationId, receipt, token, ...rest } = answered.json;
    const asked = canonicalJson({ ...zoeClaims, purpose: 'tax', nonce: 'n-1' });
    const requestHash = `sha-256:${createHash('sha256').update(asked).digest('base64url')}`;
    assert.deepEqual([answered.status, answered.headers], [200, { 'cache-control': 'no-store' }]);
    assert.deepEqual(rest, {
      verified: true,
      decision: 'match',
      assurance: { framework: 'eidas', level: 'low' },
      policy: 'standard-2026-1',
      checkedAt: '2026-03-01T09:30:00.000Z',
      expiresAt: '2026-03-01T09:35:00.000Z',
      purpose: 'tax',
      legalBasis: null,
      consentReference: null,
      requestHash,
    });
    assert.match(String(verificationId), /^ver_[0-9A-Z]{26}$/);
    assert.match(String(receipt), /^\/v1\/receipts\/evt_[0-9A-Z]{26}$/);
    const { header, payload } = await app.openToken(token);
    const { sub, verified_claims, ...members } = payload;
    const seconds = identityAppStartMs / 1000;
    assert.equal(header.typ, 'identity-verification+jwt');
    assert.deepEqual(members, {
      iss: 'https://gov.example',
      aud: 'tax-office',
      iat: seconds,
      exp: seconds + 300,
      jti: verificationId,
      nonce: 'n-1',
      request_hash: requestHash,
      decision: 'match',
      policy: 'standard-2026-1',
      purpose: 'tax',
    });
    assert.match(String(sub), /^[\w-]{43}$/);
    assert.deepEqual(verified_claims, {
      verification: evidenceOf(verificationId),
      claims: { citizen_id: 'C-1', given_name: 'Zoë', family_name: 'Müller', birthdate: '1980-02-07' },
    });
  });

  test(`${engine.name}: accents, case, blanks and hyphens do not change the decision`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const variants = [
      { ...zoeClaims, givenName: 'ZOE' },
      { ...zoeClaims, familyName: 'Mueller' },
      { ...zoeClaims, familyName: ' mul-ler ' },
      { ...zoeClaims, givenName: 'Zoe\u0308', documentNumber: 'p-1', locality: 'KOELN' },
    ];
    const decisions = await Promise.all(variants.map(async (claims) => (await app.verify(claims))['decision']));
    assert.deepEqual(decisions, ['match', 'match', 'match', 'match']);
  });

  test(`${engine.name}: an unknown id and each kind of mismatch have the same answer`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const scopes = ['identity:verify', 'identity:verify:claims'];
    const asked = [
      { ...zoeClaims, citizenId: 'C-9' },
      { ...zoeClaims, givenName: 'Ana' },
      { ...zoeClaims, birthDate: '1980-02-08' },
      { ...zoeClaims, citizenId: 'C-2' },
    ];
    const answers = await Promise.all(asked.map((claims) => app.verify(claims, { scopes })));
    const [first, ...others] = answers.map(comparable);
    assert.equal(answers[0]?.['decision'], 'no_match');
    assert.deepEqual(
      others,
      others.map(() => first),
    );
    const tokens = await Promise.all(
      answers.map(async ({ token }) => Object.keys((await app.openToken(token)).payload)),
    );
    assert.deepEqual(
      tokens,
      tokens.map(() => ['iss', 'aud', 'iat', 'exp', 'jti', 'request_hash', 'decision', 'policy']),
    );
  });

  test(`${engine.name}: the results of single claims are in a matching result only with the scope for them`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const claims = { ...zoeClaims, country: 'EX' };
    const withScope = { scopes: ['identity:verify', 'identity:verify:claims'] };
    assert.deepEqual((await app.verify(claims, withScope))['claims'], {
      citizenId: 'match',
      givenName: 'match',
      familyName: 'match',
      birthDate: 'match',
      country: 'not_available',
    });
    assert.equal('claims' in (await app.verify(claims)), false);
    assert.equal('claims' in (await app.verify({ ...claims, familyName: 'Silva' }, withScope)), false);
  });

  test(`${engine.name}: an earlier result contains the results of single claims only for a token with the scope for them`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const withScope = { scopes: ['identity:verify', 'identity:verify:claims'] };
    const { claims, ...rest } = await app.verify(zoeClaims, withScope);
    const readBy = async (asking: VerifyCaller) => {
      const again = await app.ask('GET', String(rest['verificationId']), asking);
      return 'json' in again ? again.json : again.refusal;
    };
    assert.deepEqual([await readBy(withScope), await readBy({})], [{ claims, ...rest }, rest]);
  });

  test(`${engine.name}: a search matches only if the claims fit exactly one person`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const twin = { givenName: 'Jon', familyName: 'Twin', birthDate: '2000-01-01', streetAddress: 'High Street 1' };
    const ana = { givenName: 'ana', familyName: 'SILVA', birthDate: '1990-11-30', postalCode: '1000 001' };
    const decisions = await Promise.all(
      [ana, { ...ana, postalCode: '1000-002' }, { ...ana, birthDate: '1990-11-29' }, twin].map(
        async (claims) => (await app.verify(claims))['decision'],
      ),
    );
    assert.deepEqual(decisions, ['match', 'no_match', 'no_match', 'not_determined']);
  });

  test(`${engine.name}: a record under review is not determined`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const rita = { citizenId: 'R-1', familyName: 'Review', birthDate: '1970-01-01' };
    const answer = await app.verify(rita);
    assert.deepEqual([answer['verified'], answer['decision']], [false, 'not_determined']);
    assert.equal((await app.verify({ ...rita, familyName: 'Reviewer' }))['decision'], 'no_match');
  });

  test(`${engine.name}: every verification with an id is recorded as an event of that citizen, whether the id is known or not`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    for (const citizenId of ['C-1', 'C-9']) {
      const answer = await app.verify({ ...zoeClaims, citizenId, purpose: 'tax', legalBasis: 'law 1' });
      const [event, ...others] = await app.events(citizenId);
      assert.deepEqual(others, []);
      assert.deepEqual(event, {
        type: 'identity.verified',
        id: String(answer['receipt']).replace('/v1/receipts/', ''),
        at: '2026-03-01T09:30:00.000Z',
        actor: { client: 'tax-office' },
        citizenId,
        verification: answer['verificationId'],
        decision: answer['decision'],
        policy: 'standard-2026-1',
        claimsAsked: ['citizenId', 'givenName', 'familyName', 'birthDate'],
        purpose: 'tax',
        legalBasis: 'law 1',
      });
    }
  });

  test(`${engine.name}: the receipt of a search does not reveal whether a person was found`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const ana = { givenName: 'Ana', familyName: 'Silva', birthDate: '1990-11-30', postalCode: '1000-001' };
    for (const claims of [ana, { ...ana, postalCode: '9' }, { ...ana, givenName: 'Eva' }]) {
      const receipt = String((await app.verify(claims))['receipt']).replace('/v1/receipts/', '');
      const event = (await app.events()).find(({ id }) => id === receipt);
      assert.equal(event?.['type'], 'identity.searched');
    }
    const decisions = (await app.events('C-2')).map(({ decision }) => decision);
    assert.deepEqual(decisions, ['match', 'no_match']);
  });

  test(`${engine.name}: a stored result contains no claim value in clear text`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    await app.verify({ ...zoeClaims, purpose: 'tax' });
    const rows = await app.db.read('select client_id, checked_at, sealed_result from verification');
    const bytes = Buffer.concat(
      rows
        .flatMap((row) => Object.values(row))
        .map((v) => (v instanceof Uint8Array ? Buffer.from(v) : Buffer.from(String(v)))),
    );
    // Longer values only: random bytes can contain any four letters.
    for (const value of ['Müller', '1980-02-07', 'match', 'sha-256']) assert.equal(bytes.includes(value), false, value);
  });

  test(`${engine.name}: an earlier result is returned unchanged, and only to its client`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const searched = { givenName: 'Ana', familyName: 'Silva', birthDate: '1990-11-30', postalCode: '9' };
    for (const claims of [zoeClaims, { ...zoeClaims, citizenId: 'C-9' }, searched]) {
      const answer = await app.verify(claims);
      const id = String(answer['verificationId']);
      const again = await app.ask('GET', id);
      assert.deepEqual('json' in again ? again.json : again, answer);
      const otherClient = await app.ask('GET', id, { client: 'other' });
      assert.equal('refusal' in otherClient && otherClient.refusal.slug, 'verification-not-found');
    }
    assert.deepEqual(
      (await app.events('C-1')).map(({ type }) => type),
      ['identity.verified', 'identity.verification-read'],
    );
  });

  test(`${engine.name}: the results of an erased citizen cannot be read`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const answer = await app.verify({ ...zoeClaims, citizenId: 'C-2' });
    await app.db.write([{ sql: 'delete from citizen_key where citizen_id = $1', args: ['C-2'] }]);
    const later = await buildIdentityApp(app.db);
    const again = await later.ask('GET', String(answer['verificationId']));
    assert.equal('refusal' in again && again.refusal.slug, 'verification-not-found');
  });
}
