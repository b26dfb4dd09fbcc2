import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claims } from '../register/claims.ts';
import type { Explanation } from './explanation.ts';
import type { IdentityPorts } from './ports.ts';
import { decodeStoredExplanation, decodeStoredResult, encodeStoredResult as packExplained } from './stored-result.ts';
import type { Verification } from './verification.ts';
import { verificationTokenPayload } from './verification-token.ts';

const explanation: Explanation = { reason: null, claims: { citizenId: 'match', documentNumber: 'not_available' } };
const packAnswer = (answer: Verification) => packExplained(answer, explanation);
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token whose payload holds what that of an answer holds, and claims as a caller may have written them. */
function answerOf(changes: Partial<Verification>, claims: object = {}): Verification {
  const answer = {
    ...{ verificationId: 'ver_01M86DA8RDE00843KKQQ8K764X', verified: true, decision: 'match' },
    ...{ assurance: { framework: 'eidas', level: 'low' }, policy: 'standard-2026-2' },
    ...{ checkedAt: '2026-11-24T09:13:44.461Z', expiresAt: '2026-11-24T09:18:44.461Z' },
    ...{ purpose: null, legalBasis: null, consentReference: null },
    ...{ requestHash: 'sha-256:dLGxcFC2JaBWXwelcURiMV15iCdwSFvhODTvFfQWrUA' },
    ...{ receipt: '/v1/receipts/evt_01M86DA8RKE008G2WFMZ99QEHT' },
    ...changes,
  } as Omit<Verification, 'token'>;
  const payload = {
    ...{ iss: 'https://citizens.example', jti: answer.verificationId, request_hash: answer.requestHash },
    ...{ decision: answer.decision, policy: answer.policy, purpose: answer.purpose ?? undefined },
    verified_claims: { claims },
  };
  const header = { alg: 'ES256', typ: 'identity-verification+jwt', kid: 'QC6am7OVNRMuBtGkeLR14QwLv9fJ8BTImu' };
  return { ...answer, token: `${part(header)}.${part(payload)}.8YFiXLwhkGeiaQmowF95GZAXqs-_BrLFaG3MJLoCFL4` };
}

const answers: Readonly<Record<string, Verification>> = {
  'a match': answerOf({}),
  'a refusal': answerOf({ verified: false, decision: 'no_match' }),
  'an answer that was not determined': answerOf({ verified: false, decision: 'not_determined' }),
  'all that a caller may state': answerOf({
    ...{ purpose: 'tax\n\u2028return', legalBasis: 'consent', consentReference: 'C-7\r\n"quoted"' },
  }),
  'values of every script': answerOf(
    {},
    { given_name: 'Zoë\n', family_name: '王小明 🜁 \ud800', birthdate: '1980-02-29' },
  ),
};

for (const [name, answer] of Object.entries(answers)) {
  test(`${name} comes out of its pack word for word, and is shorter in it`, () => {
    const text = JSON.stringify(answer);
    const packed = packAnswer(answer);
    assert.equal(JSON.stringify(decodeStoredResult(packed)), text);
    assert.ok(packed.length < Buffer.byteLength(text));
  });
}

test('what explains an answer is kept with it, and is not a part of it', () => {
  const answer = answerOf({});
  const packed = packExplained(answer, { reason: 'record-locked', claims: { givenName: 'similar' } });
  assert.deepEqual(decodeStoredExplanation(packed), { reason: 'record-locked', claims: { givenName: 'similar' } });
  assert.deepEqual(decodeStoredResult(packed), answer);
});

/** A match as `resultPayload` makes its token, with that source. */
function matchOf(registerSource: IdentityPorts['registerSource'], claims: Claims, others: Partial<Verification> = {}) {
  const { token: _, ...answer } = answerOf(others);
  // What the payload of a match is made of.
  const ports = { issuer: 'https://citizens.example', registerSource, rootKey: { derive: () => Buffer.alloc(32, 7) } };
  const to = { clientId: 'tax-office', ports: ports as unknown as IdentityPorts };
  const levels = Object.fromEntries(Object.keys(claims).map((claim) => [claim, 'exact']));
  const payload = verificationTokenPayload(answer, { claims, nonce: marks }, levels, to);
  const header = { alg: 'ES256', typ: 'identity-verification+jwt', kid: 'QC6am7OVNRMuBtGkeLR14QwLv9fJ8BTImu' };
  return { ...answer, token: `${part(header)}.${part(payload)}.8YFiXLwhkGeiaQmowF95GZAXqs-_BrLFaG3MJLoCFL4` };
}

/** All that the pack looks for, as a caller or operator may write it. */
const marks =
  '"record":{"type":"population_register","source":{"name":"x"}}}]},"claims":{"verified_claims":{"verification":{"source":{}},"claims":{';
const person: Claims = { citizenId: 'C-7', givenName: 'Zoë', familyName: marks, birthDate: '1980-02-29' };
const sources = {
  'a name': { name: 'Register' },
  'a country': { name: 'Folkeregister', country: 'DK' },
  marks: { name: marks },
};

for (const [name, source] of Object.entries(sources)) {
  test(`a match by a source with ${name} is kept in less than half of its room, and comes out word for word`, () => {
    for (const others of [{}, { policy: 'own "policy"' }]) {
      const answer = matchOf(source, { ...person, familyName: 'Müller' }, others);
      assert.deepEqual(decodeStoredResult(packAnswer(answer)), answer);
      const short = name === 'marks' ? 0.6 : 0.5;
      assert.ok(packAnswer(answer).length < JSON.stringify(answer).length * short, packAnswer(answer).toString());
      const marked = matchOf(source, person, others);
      assert.deepEqual(decodeStoredResult(packAnswer(marked)), marked);
    }
  });
}

test('a match that says another thing of how it was verified is kept as it is', () => {
  const answer = matchOf({ name: 'Register' }, person);
  const [header, payload = '', signature] = answer.token.split('.');
  const other = Buffer.from(payload, 'base64url')
    .toString()
    .replace('"procedure":"register-match"', '"procedure":"other"');
  const changed = { ...answer, token: [header, Buffer.from(other).toString('base64url'), signature].join('.') };
  assert.match(packAnswer(changed).toString(), /"procedure":"other"/);
  assert.deepEqual(decodeStoredResult(packAnswer(changed)), changed);
});

test('the form of a match does not change either', () => {
  const answer = matchOf({ name: 'Register' }, { citizenId: 'C-7', birthDate: '1980-02-29' });
  const line = packAnswer(answer).toString().split('\n')[2] ?? '';
  assert.ok(
    line.endsWith(
      ',"verified_claims":{"verification":{"source":{"name":"Register"}},"claims":{"citizen_id":"C-7","birthdate":"1980-02-29"}}}',
    ),
    line,
  );
});

test('results of claims stand where they stood', () => {
  const { verificationId, verified, decision, ...rest } = answerOf({});
  const answer = { verificationId, verified, decision, claims: { citizenId: 'match' } as const, ...rest };
  assert.equal(JSON.stringify(decodeStoredResult(packAnswer(answer))), JSON.stringify(answer));
});

test('the form does not change: answers kept for a year are read by it', () => {
  assert.equal(
    packAnswer(answerOf({ purpose: 'tax', legalBasis: 'law' }, { given_name: 'Zoë' })).toString(),
    [
      '{"assurance":{"framework":"eidas","level":"low"},"checkedAt":"2026-11-24T09:13:44.461Z","expiresAt":"2026-11-24T09:18:44.461Z","legalBasis":"law","consentReference":null,"receipt":"/v1/receipts/evt_01M86DA8RKE008G2WFMZ99QEHT","why":"-m---------a-"}',
      '{"alg":"ES256","typ":"identity-verification+jwt","kid":"QC6am7OVNRMuBtGkeLR14QwLv9fJ8BTImu"}',
      '{"iss":"https://citizens.example","jti":"ver_01M86DA8RDE00843KKQQ8K764X","request_hash":"sha-256:dLGxcFC2JaBWXwelcURiMV15iCdwSFvhODTvFfQWrUA","decision":"match","policy":"standard-2026-2","purpose":"tax","verified_claims":{"claims":{"given_name":"Zoë"}}}',
      '8YFiXLwhkGeiaQmowF95GZAXqs-_BrLFaG3MJLoCFL4',
    ].join('\n'),
  );
});
