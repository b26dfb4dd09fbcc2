import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandboxIssuer } from '../../../client/src/sandbox-issuer.ts';
import {
  encryptContent,
  presentCredential,
  type RequestObject,
  walletMary,
} from '../../../test/support/test-wallet.ts';
import { createResponseKey, publicResponseKey } from '../formats/encrypted-response.ts';
import type { AccessCertificate } from '../trust/access-certificate.ts';
import type { CredentialIssuer, CredentialKind, CredentialStatus, WalletTrust } from '../trust/wallet-trust.ts';
import { openResponse } from './open-response.ts';
import type { OpenPresentation, WalletRequest } from './presentation.ts';
import { clientIdOf } from './request-object.ts';

const pid: CredentialKind = {
  name: 'pid',
  types: { 'dc+sd-jwt': ['urn:eudi:pid:1'] },
  assurance: { framework: 'eidas', level: 'high' },
  statusUnknown: 'refuse',
  citizenIdFrom: walletMary.issuing_country,
};
const unused = () => assert.fail('the check of a response signs nothing');
const certificate: AccessCertificate = { chain: [], hash: 'hash', dnsNames: [], expiresAt: 0, sign: unused };
const publicUrl = 'https://server.example.gov';
const terms = { kinds: ['pid'], claims: ['givenName', 'familyName'], confirmation: 'none', profile: 'haip' } as const;

type Differences = {
  readonly countries?: Pick<CredentialIssuer, 'certificateCountry' | 'anchorCountry'>;
  readonly kind?: CredentialKind;
  readonly keepsLink?: boolean;
  /** The presentations by the id of the query. */
  readonly tokens?: (presentation: string) => object;
  readonly isSentTwice?: boolean;
  /** The status that the trust finds; without it, the trust must not look for one. */
  readonly status?: CredentialStatus;
  /** The claim `status` of the credential. */
  readonly statusClaim?: object;
};

const listEntry = { status_list: { uri: 'https://status.example.eu/1', idx: 4 } };
const ownCountries = { certificateCountry: 'UT', anchorCountry: 'UT' };

/** The checked presentation of Mary, whose wallet shows all attributes, and whose issuer the trust finds with these countries. */
async function checkedWith(differences: Differences = {}) {
  const { countries = ownCountries, kind = pid, keepsLink = null, tokens, isSentTwice, status } = differences;
  const statusClaim = differences.statusClaim ?? (status && listEntry);
  const responseKey = await createResponseKey();
  const handles = { requestHandle: 'request', responseHandle: 'response', nonce: 'nonce', state: 'state' };
  const request: WalletRequest = { device: 'other', ...handles, responseKey };
  const fetched = {
    client_id: clientIdOf({ certificate, publicUrl }, terms),
    nonce: request.nonce,
    state: request.state,
    client_metadata: { jwks: { keys: [publicResponseKey(responseKey)] } },
  } as unknown as RequestObject;
  const presentation = presentCredential(fetched, { payload: { status: statusClaim } });
  const token = tokens?.(presentation) ?? { pid_sd_jwt: [presentation] };
  const response = await encryptContent(fetched, { vp_token: token, state: request.state });
  const form = new URLSearchParams({ response });
  if (isSentTwice) form.append('response', response);
  const trust: WalletTrust = {
    kinds: new Map([['pid', kind]]),
    keyIdsOf: () => [],
    countriesOf: () => new Set(),
    findIssuer: async (_, [leaf]) => {
      assert.equal(Buffer.from(leaf ?? assert.fail()).toString('base64'), sandboxIssuer.chain[0]);
      return { name: 'Issuer', anchor: 'anchor', ...countries };
    },
    statusOf: async () => status ?? assert.fail('this credential has no status'),
  };
  const open = { terms: { ...terms, pageHandle: 'page', requests: [request] }, keepsLink };
  const opened = await openResponse({ trust, certificate, publicUrl, now: Date.now() }, form, {
    presentation: open as unknown as OpenPresentation,
    request,
  });
  return 'checked' in opened ? opened.checked : assert.fail();
}

function failsWith(reason: string, differences: Differences): Promise<void> {
  return assert.rejects(checkedWith(differences), { name: 'PresentationFailure', reason });
}

test('the number of a person counts only if the certificate of the issuer and its anchor have the issuing country', async () => {
  const number = async (certificateCountry: string | undefined, anchorCountry: string | undefined) =>
    (await checkedWith({ countries: { certificateCountry, anchorCountry } })).administrativeNumber;
  assert.equal(await number('UT', 'UT'), walletMary.personal_administrative_number);
  assert.equal(await number('UT', 'DE'), undefined);
  assert.equal(await number('UT', undefined), undefined);
  assert.equal(await number(undefined, 'UT'), undefined);
  await assert.rejects(number('DE', 'DE'), { name: 'PresentationFailure', reason: 'issuer-not-trusted' });
});

test('the number of a country whose numbers are no citizen ids counts only with consent', async () => {
  const number = async (keepsLink: boolean | undefined, citizenIdFrom: string) => {
    const differences = { kind: { ...pid, citizenIdFrom }, ...(keepsLink === undefined ? {} : { keepsLink }) };
    return (await checkedWith(differences)).administrativeNumber;
  };
  assert.equal(await number(undefined, 'UT'), walletMary.personal_administrative_number);
  assert.equal(await number(undefined, 'NL'), undefined);
  assert.equal(await number(false, 'NL'), undefined);
  assert.equal(await number(true, 'NL'), walletMary.personal_administrative_number);
});

test('attributes that a wallet shows without being asked are dropped', async () => {
  const { citizenIdFrom: _, ...withoutNumber } = pid;
  const { claims, administrativeNumber } = await checkedWith({ kind: withoutNumber });
  assert.deepEqual(claims, { givenName: 'Mary', familyName: 'Smith' });
  assert.equal(administrativeNumber, undefined);
});

test('a credential with an unknown status is accepted only if the operator says so, and a revoked one never', async () => {
  const lenient = { ...pid, statusUnknown: 'accept' } as const;
  await failsWith('status-unavailable', { status: 'unknown' });
  await failsWith('credential-revoked', { status: 'revoked', kind: lenient });
  await failsWith('credential-suspended', { status: 'suspended', kind: lenient });
  assert.equal((await checkedWith({ status: 'unknown', kind: lenient })).kind, 'pid');
  assert.equal((await checkedWith({ status: 'valid' })).kind, 'pid');
  const ofAnotherKind = { statusClaim: { identifier_list: {} } };
  await failsWith('status-unavailable', ofAnotherKind);
  assert.equal((await checkedWith({ ...ofAnotherKind, kind: lenient })).kind, 'pid');
});

test('a credential of each type of its kind is accepted, and of no other', async () => {
  const kindWith = (types: readonly string[]): CredentialKind => ({ ...pid, types: { 'dc+sd-jwt': types } });
  const { evidence } = await checkedWith({ kind: kindWith(['urn:eudi:pid:de:1', 'urn:eudi:pid:1']) });
  assert.equal(evidence.credentialType, 'urn:eudi:pid:1');
  await failsWith('type-not-asked', { kind: kindWith(['urn:eudi:pid:de:1']) });
});

test('a response has one presentation, for one query', async () => {
  await failsWith('response-malformed', { isSentTwice: true });
  await failsWith('response-malformed', { tokens: (one) => ({ pid_sd_jwt: [one, one] }) });
  await failsWith('type-not-asked', { tokens: (one) => ({ pid_sd_jwt: [one], pid_mdoc: [one] }) });
  await failsWith('query-not-satisfied', { tokens: () => ({}) });
});
