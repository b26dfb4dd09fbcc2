import { sha256 } from '../../kernel/hashing.ts';
import { PresentationFailure } from '../failure-reason.ts';
import { type CredentialQueryParts, requireSatisfied } from '../formats/credential-query.ts';
import { decryptResponse, thumbprintOf, type WalletResponse } from '../formats/encrypted-response.ts';
import { checkMdocPresentation } from '../formats/mdoc-presentation.ts';
import { claimsOf, pidEvidenceOf } from '../formats/pid-claims.ts';
import type { ExpectedPresentation, PresentedCredential } from '../formats/presented-credential.ts';
import { checkSdJwtPresentation } from '../formats/sd-jwt-presentation.ts';
import type { CredentialIssuer, CredentialKind, WalletTrust } from '../trust/wallet-trust.ts';
import {
  type CheckedPresentation,
  type OpenPresentation,
  type WalletError,
  type WalletRequest,
  walletErrorOf,
} from './presentation.ts';
import { clientIdOf, queryPartsOf, responseUriOf, type VerifierIdentity } from './request-object.ts';

type OpenResponseDeps = VerifierIdentity & { readonly trust: WalletTrust; readonly now: number };

/** A presentation whose checks succeeded, or the error of the wallet. */
export type OpenedResponse = { readonly checked: CheckedPresentation } | { readonly error: WalletError };

/**
 * Decrypts and checks the form that a wallet sent to its response URI (OpenID4VP 1.0, section 8). Throws `PresentationFailure`. The
 * work is bounded: a response has one presentation of one credential.
 */
export async function openResponse(
  deps: OpenResponseDeps,
  form: URLSearchParams,
  { presentation, request }: { readonly presentation: OpenPresentation; readonly request: WalletRequest },
): Promise<OpenedResponse> {
  const { terms, keepsLink } = presentation;
  const response = await decryptedForm(form, request);
  // Attack: the response to another request is sent here (test/attacks/wallet-responses.test.ts).
  if (response.state !== request.state) throw new PresentationFailure('state-unknown');
  if ('error' in response) return { error: walletErrorOf(response.error) };
  const queries = queryPartsOf(deps.trust, { ...terms, keepsLink });
  const { parts, text } = onlyPresentation(response.presentations, queries);
  const credential = await checkFormat(parts, text, {
    clientId: clientIdOf(deps, terms),
    nonce: request.nonce,
    responseUri: responseUriOf(deps.publicUrl, request),
    encryptionKeyThumbprint: await thumbprintOf(request.responseKey),
    now: deps.now,
  });
  requireSatisfied(credential, parts);
  return { checked: await checkTrust({ ...deps, keepsLink }, parts, credential) };
}

/** An error of the wallet may arrive unencrypted, a presentation may not. */
async function decryptedForm(form: URLSearchParams, { responseKey }: WalletRequest): Promise<WalletResponse> {
  const [response, ...others] = form.getAll('response');
  const [error, state] = [form.get('error'), form.get('state')];
  if (response === undefined && error !== null) return { error, ...(state === null ? {} : { state }) };
  if (response === undefined || others.length > 0) throw new PresentationFailure('response-malformed');
  return await decryptResponse(response, responseKey);
}

type QueryParts = ReturnType<typeof queryPartsOf>[number];

/** The query asks for one credential. */
function onlyPresentation(presentations: ReadonlyMap<string, readonly string[]>, queries: readonly QueryParts[]) {
  const [entry, ...others] = presentations;
  if (entry === undefined) throw new PresentationFailure('query-not-satisfied');
  const [id, [text, ...furtherTexts]] = entry;
  const parts = queries.find((one) => one.id === id);
  if (others.length > 0 || parts === undefined) throw new PresentationFailure('type-not-asked');
  if (text === undefined || furtherTexts.length > 0) throw new PresentationFailure('response-malformed');
  return { parts, text };
}

function checkFormat(
  { format }: Pick<CredentialQueryParts, 'format'>,
  text: string,
  expected: ExpectedPresentation,
): Promise<PresentedCredential> {
  return format === 'dc+sd-jwt' ? checkSdJwtPresentation(text, expected) : checkMdocPresentation(text, expected);
}

type TrustDeps = Pick<OpenResponseDeps, 'trust' | 'now'> & Pick<OpenPresentation, 'keepsLink'>;

/**
 * Checks issuer and status, and reads the attributes that were asked for. Others are dropped: a number that is no citizen id too, unless
 * the citizen agreed to be recognised by it.
 */
async function checkTrust(
  { trust, now, keepsLink }: TrustDeps,
  { kind, claims }: QueryParts,
  credential: PresentedCredential,
): Promise<CheckedPresentation> {
  const { certificates, format, type } = credential;
  const [leaf] = certificates;
  const issuer = await trust.findIssuer(kind, certificates, now);
  if (leaf === undefined || issuer === undefined) throw new PresentationFailure('issuer-not-trusted');
  await checkStatus({ trust, now }, { kind, issuer, credential });
  const { issuingCountry, administrativeNumber } = pidEvidenceOf(credential);
  const isCountryCertified = checkCountry(issuer, issuingCountry);
  const usesNumber = keepsLink === true || kind.citizenIdFrom === issuingCountry;
  return {
    kind: kind.name,
    claims: Object.fromEntries(Object.entries(claimsOf(credential)).filter(([name]) => claims.includes(name))),
    evidence: {
      credentialType: type,
      format,
      issuer: issuer.name,
      ...(issuingCountry === undefined ? {} : { issuingCountry }),
      certificateDigest: sha256(leaf).toString('base64url'),
    },
    ...(usesNumber && isCountryCertified && administrativeNumber !== undefined ? { administrativeNumber } : {}),
  };
}

/**
 * Returns whether the certificate of the issuer and its anchor have this country. Attack: a trusted issuer of one country attests numbers of
 * another one, which would identify citizens of that country. A certificate with another country is refused. An issuer with a CA of its own
 * can write any country into its certificate, so the number is used only if the anchor has the same country
 * (test/attacks/wallet-responses.test.ts, open-response.test.ts).
 */
function checkCountry(
  { certificateCountry, anchorCountry }: CredentialIssuer,
  issuingCountry: string | undefined,
): boolean {
  if (issuingCountry === undefined || certificateCountry === undefined) return false;
  if (certificateCountry !== issuingCountry) throw new PresentationFailure('issuer-not-trusted');
  return anchorCountry === issuingCountry;
}

type TrustedCredential = {
  readonly kind: CredentialKind;
  readonly issuer: CredentialIssuer;
  readonly credential: PresentedCredential;
};

async function checkStatus(
  { trust, now }: Pick<OpenResponseDeps, 'trust' | 'now'>,
  { kind, issuer, credential: { status } }: TrustedCredential,
): Promise<void> {
  if (status === undefined) return;
  const found = status === 'unsupported' ? 'unknown' : await trust.statusOf(kind, status, now, issuer);
  if (found === 'revoked') throw new PresentationFailure('credential-revoked');
  if (found === 'suspended') throw new PresentationFailure('credential-suspended');
  if (found === 'unknown' && kind.statusUnknown === 'refuse') throw new PresentationFailure('status-unavailable');
}
