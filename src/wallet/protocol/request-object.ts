import { buildDcqlQuery, type CredentialQueryParts } from '../formats/credential-query.ts';
import { publicResponseKey } from '../formats/encrypted-response.ts';
import type { AccessCertificate } from '../trust/access-certificate.ts';
import type { CredentialKind, WalletTrust } from '../trust/wallet-trust.ts';
import type { OpenPresentation, PresentationTerms, WalletRequest } from './presentation.ts';

/** The identity of this server towards wallets. */
export type VerifierIdentity = { readonly certificate: AccessCertificate; readonly publicUrl: string };

/** The paths that wallets request; each is followed by a handle. */
export const walletPaths = {
  requests: '/wallet/requests',
  responses: '/wallet/responses',
  pages: '/wallet/pages',
} as const;

/** The client id of the verifier, with its prefix (OpenID4VP 1.0, section 5.9.3). */
export function clientIdOf(
  { certificate, publicUrl }: VerifierIdentity,
  { profile }: Pick<PresentationTerms, 'profile'>,
) {
  return profile === 'haip' ? `x509_hash:${certificate.hash}` : `x509_san_dns:${new URL(publicUrl).hostname}`;
}

/** The address to which the wallet sends its response. */
export function responseUriOf(publicUrl: string, { responseHandle }: Pick<WalletRequest, 'responseHandle'>): string {
  return `${publicUrl}${walletPaths.responses}/${responseHandle}`;
}

/** The link that opens a wallet with a request (OpenID4VP 1.0, section 5.10; HAIP 1.0, section 5.1). */
export function walletUrlOf(identity: VerifierIdentity, terms: PresentationTerms, request: WalletRequest): string {
  const scheme = terms.profile === 'haip' ? 'haip-vp' : 'openid4vp';
  const query = new URLSearchParams({
    client_id: clientIdOf(identity, terms),
    request_uri: `${identity.publicUrl}${walletPaths.requests}/${request.requestHandle}`,
    request_uri_method: 'post',
  });
  return `${scheme}://?${query.toString()}`;
}

/** The attributes to ask for. The administrative number is one of them only if it can be the citizen id, or if the citizen agreed to be recognised by it. */
export type Asked = Pick<PresentationTerms, 'kinds' | 'claims'> & { readonly keepsLink: boolean | null };

type QueriedTrust = Pick<WalletTrust, 'kinds' | 'keyIdsOf' | 'countriesOf'>;

/** The queries for these kinds, one for each format of a kind. A presentation satisfies one of them. */
export function queryPartsOf(
  trust: QueriedTrust,
  { kinds, claims, keepsLink }: Asked,
): readonly (CredentialQueryParts & { readonly kind: CredentialKind })[] {
  return kinds.flatMap((name) => {
    const kind = trust.kinds.get(name);
    if (kind === undefined) return [];
    const keyIds = trust.keyIdsOf(kind);
    const administrativeNumber = keepsLink === true || canBeCitizenId(trust, kind);
    return (['dc+sd-jwt', 'mso_mdoc'] as const).flatMap((format) => {
      const types = kind.types[format];
      const id = `${name}_${format === 'dc+sd-jwt' ? 'sd_jwt' : 'mdoc'}`;
      return types === undefined ? [] : [{ id, format, types, keyIds, claims, administrativeNumber, kind }];
    });
  });
}

/** Whether a number can be the citizen id. Without an anchor of that country, no number is used as one. */
function canBeCitizenId(trust: Pick<WalletTrust, 'countriesOf'>, kind: CredentialKind): boolean {
  if (kind.citizenIdFrom === undefined) return false;
  const countries = trust.countriesOf(kind);
  return countries.size === 0 || countries.has(kind.citizenIdFrom);
}

type RequestObjectDeps = VerifierIdentity & { readonly trust: QueriedTrust };

type RequestObjectExtras = {
  /** The value that a wallet sends with POST (OpenID4VP 1.0, section 5.10). */
  readonly walletNonce: string | undefined;
  /** The certificate of the purpose, which the wallet shows (ETSI TS 119 475). */
  readonly registrationCertificate: string | undefined;
};

/** The algorithms whose signatures are accepted; for mdoc as COSE numbers of ES256. */
const formatsSupported = {
  'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
  mso_mdoc: { issuerauth_alg_values: [-7, -9], deviceauth_alg_values: [-7, -9] },
} as const;

/** The signed request object of one device (OpenID4VP 1.0, section 5; HAIP 1.0, section 5). */
export async function signRequestObject(
  deps: RequestObjectDeps,
  { terms, keepsLink }: Pick<OpenPresentation, 'terms' | 'keepsLink'>,
  request: WalletRequest,
  { walletNonce, registrationCertificate }: RequestObjectExtras,
): Promise<string> {
  const payload = {
    response_type: 'vp_token',
    response_mode: 'direct_post.jwt',
    client_id: clientIdOf(deps, terms),
    response_uri: responseUriOf(deps.publicUrl, request),
    aud: 'https://self-issued.me/v2',
    nonce: request.nonce,
    state: request.state,
    dcql_query: buildDcqlQuery(queryPartsOf(deps.trust, { ...terms, keepsLink })),
    client_metadata: {
      jwks: { keys: [publicResponseKey(request.responseKey)] },
      encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
      vp_formats_supported: formatsSupported,
    },
    ...(registrationCertificate === undefined
      ? {}
      : { verifier_info: [{ format: 'registration_cert', data: registrationCertificate }] }),
    ...(walletNonce === undefined ? {} : { wallet_nonce: walletNonce }),
  };
  return await deps.certificate.sign(payload, { typ: 'oauth-authz-req+jwt' });
}
