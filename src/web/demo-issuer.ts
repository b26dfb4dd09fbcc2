import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { IsFirstUse } from '../auth/used-proof-store.ts';
import { openSealed, SealBroken, seal } from '../crypto/chunked-encryption.ts';
import { type SigningKey, signJws } from '../crypto/signing-key.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { isObject } from '../kernel/is-object.ts';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import { requestQuery } from '../kernel/request-target.ts';
import { createCookies } from './browser-cookies.ts';
import { type Html, html } from './html.ts';
import { apiPage, type DemoMark } from './page.ts';

/** A person to choose. `about` says what their pages show, or what they may do. */
export type DemoPerson = {
  readonly subject: string;
  readonly name: string;
  readonly about?: string | undefined;
  /** The claims of the access token that say who the person is here. */
  readonly claims: () => Promise<Readonly<Record<string, string>>>;
};

/** People under one heading; `isFolded` groups are shown after a click. */
export type DemoGroup = { readonly title: string; readonly people: readonly DemoPerson[]; readonly isFolded?: boolean };

/** Dependencies of the demo issuer. */
type DemoIssuerDeps = {
  readonly issuer: string;
  /** The path of the issuer, below the URL of the demo. */
  readonly path: string;
  /** The only client of the issuer: the citizen pages or the staff pages of the demo. */
  readonly client: { readonly id: string; readonly secret: string; readonly returnUrl: string };
  /** The first sentence of the page of the choice, and the people on it. */
  readonly intro: string;
  readonly groups: readonly DemoGroup[];
  /** The line that marks the pages of the demo. */
  readonly demo: DemoMark;
  readonly signingKey: SigningKey;
  /** Seals the codes, so that the issuer stores nothing until a code is used. */
  readonly codeKey: Uint8Array;
  /** Remembers the used codes for all threads. */
  readonly isFirstUse: IsFirstUse;
  readonly clock: Clock;
  readonly random: RandomBytes;
};

type Code = {
  readonly id: string;
  readonly subject: string;
  readonly nonce: string;
  readonly challenge: string;
  readonly scope: string;
  readonly resource: string;
  readonly endsAt: number;
};

/** The content of a refresh token of the demo. It is not replaced when it is used. */
type RefreshGrant = Pick<Code, 'subject' | 'scope' | 'resource' | 'endsAt'>;

const codeContext = 'citizen-services/demo-code@v1';
const refreshContext = 'citizen-services/demo-refresh@v1';
const codeLifeMs = 60_000;
const refreshLifeMs = 12 * 3_600_000;
const tokenSeconds = 600;
const maxFormBytes = 16_384;
/** Remembers the chosen person, as the session of a real issuer would. */
const personCookie = (path: string) => `demo-person${path.replaceAll('/', '-')}`;
const personSeconds = 3_600;

/**
 * The part of an OpenID Connect provider that the demo needs: the visitor chooses a person. It exists only in the demo, whose
 * people are invented. An installation configures an issuer that authenticates its citizens, and one for its staff.
 */
export function createDemoIssuer(deps: DemoIssuerDeps): readonly MountedHandler[] {
  const mount = (
    path: string,
    method: 'GET' | 'POST',
    answer: (request: IncomingMessage) => Promise<BufferedResponse>,
  ): MountedHandler => ({
    paths: [`${deps.path}${path}`],
    methods: [method],
    handler: (request, response) => {
      answer(request)
        .then((given) => sendBuffered(response, given))
        .catch(() => response.destroy());
    },
  });
  return [
    mount('/.well-known/openid-configuration', 'GET', async () => json(200, metadataOf(deps.issuer))),
    mount('/keys', 'GET', async () => json(200, { keys: [deps.signingKey.publicJwk] })),
    mount('/authorize', 'GET', async (request) => await authorize(deps, request)),
    mount('/token', 'POST', async (request) => await token(deps, request)),
  ];
}

const json = (status: number, body: unknown): BufferedResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    authorization_response_iss_parameter_supported: true,
  };
}

/**
 * Shows the choice, and redirects with a code for the chosen person. With `prompt=none` it uses the last choice of this browser.
 */
async function authorize(deps: DemoIssuerDeps, request: IncomingMessage): Promise<BufferedResponse> {
  const { client, issuer, path } = deps;
  const query = new URLSearchParams(requestQuery(request.url));
  const cookies = createCookies(issuer);
  const silently = query.get('prompt') === 'none';
  const chosen = silently ? cookies.read(request.headers.cookie, personCookie(path)) : query.get('as');
  const text = (name: string) => query.get(name) ?? '';
  if (text('client_id') !== client.id || text('redirect_uri') !== client.returnUrl || text('code_challenge') === '')
    return json(400, { error: 'invalid_request' });
  const back = new URL(client.returnUrl);
  back.searchParams.set('state', text('state'));
  back.searchParams.set('iss', issuer);
  const person = personOf(deps, chosen);
  if (person === undefined && (silently || chosen === 'nobody')) {
    back.searchParams.set('error', silently ? 'login_required' : 'access_denied');
    return { status: 303, headers: { location: back.href }, body: '' };
  }
  if (person === undefined) return choicePage(deps, query);
  const code: Code = {
    id: Buffer.from(deps.random(16)).toString('base64url'),
    subject: person.subject,
    nonce: text('nonce'),
    challenge: text('code_challenge'),
    scope: text('scope'),
    resource: text('resource'),
    endsAt: deps.clock.now() + codeLifeMs,
  };
  const sealed = seal(deps.codeKey, codeContext, Buffer.from(JSON.stringify(code)), deps.random);
  back.searchParams.set('code', sealed.toString('base64url'));
  const cookie = cookies.write(personCookie(path), person.subject, personSeconds);
  return { status: 303, headers: { location: back.href, 'set-cookie': [cookie] }, body: '' };
}

function personOf({ groups }: DemoIssuerDeps, subject: string | null | undefined): DemoPerson | undefined {
  return groups.flatMap(({ people }) => people).find((one) => one.subject === subject);
}

function choicePage({ groups, intro, path, demo }: DemoIssuerDeps, query: URLSearchParams): BufferedResponse {
  const as = (name: string) => `${path}/authorize?${new URLSearchParams([...query, ['as', name]]).toString()}`;
  const list = (people: readonly DemoPerson[]): Html =>
    html`<ul class="list">${people.map(
      ({ subject, name, about }) =>
        html`<li><a href="${as(subject)}"><bdi>${name}</bdi></a> <code>${subject}</code>${about === undefined ? '' : html`<p>${about}</p>`}</li>`,
    )}</ul>`;
  const group = ({ title, people, isFolded = false }: DemoGroup): Html =>
    isFolded
      ? html`<details><summary>${title} (${people.length})</summary>${list(people)}</details>`
      : html`<h2>${title}</h2>${list(people)}`;
  return apiPage(
    'Sign in to the demo',
    html`<p>${intro} The people of this demo are invented. Choose one of them.</p>
      ${groups.map(group)}
      <p><a href="${as('nobody')}">None of them</a></p>`,
    { demo },
  );
}

async function token(deps: DemoIssuerDeps, request: IncomingMessage): Promise<BufferedResponse> {
  const bytes = await readBytesUpTo(request, maxFormBytes);
  const form = new URLSearchParams(bytes?.toString('utf8') ?? '');
  if (!isValidClient(request.headers.authorization, deps.client)) return json(401, { error: 'invalid_client' });
  return form.get('grant_type') === 'refresh_token'
    ? await refreshedToken(deps, form.get('refresh_token') ?? '')
    : await tokenForCode(deps, form);
}

async function tokenForCode(deps: DemoIssuerDeps, form: URLSearchParams): Promise<BufferedResponse> {
  const { client, clock, issuer, signingKey } = deps;
  const code = open<Code>(deps, codeContext, form.get('code') ?? '');
  const verified = hash('sha256', form.get('code_verifier') ?? '', 'base64url');
  if (code === undefined || code.endsAt < clock.now() || code.challenge !== verified)
    return json(400, { error: 'invalid_grant' });
  // RFC 6749, section 4.1.2. The id and not the text of the code: several texts are the same bytes in base64url.
  if (!(await deps.isFirstUse(issuer, code.id, code.endsAt))) return json(400, { error: 'invalid_grant' });
  const { scope, resource, subject, nonce } = code;
  const grant: RefreshGrant = { subject, scope, resource, endsAt: clock.now() + refreshLifeMs };
  const refreshToken = seal(deps.codeKey, refreshContext, Buffer.from(JSON.stringify(grant)), deps.random);
  return json(200, {
    ...(await accessToken(deps, code)),
    id_token: signJws(signingKey, 'JWT', { ...lifeOf(deps, subject), aud: client.id, nonce }),
    refresh_token: refreshToken.toString('base64url'),
  });
}

async function refreshedToken(deps: DemoIssuerDeps, sealed: string): Promise<BufferedResponse> {
  const grant = open<RefreshGrant>(deps, refreshContext, sealed);
  if (grant === undefined || grant.endsAt < deps.clock.now()) return json(400, { error: 'invalid_grant' });
  return json(200, await accessToken(deps, grant));
}

function lifeOf({ issuer, clock }: DemoIssuerDeps, subject: string) {
  const now = Math.floor(clock.now() / 1_000);
  return { iss: issuer, sub: subject, iat: now, exp: now + tokenSeconds };
}

async function accessToken(deps: DemoIssuerDeps, { subject, scope, resource }: RefreshGrant) {
  const { client, random, signingKey } = deps;
  const jti = Buffer.from(random(16)).toString('base64url');
  const claims = await personOf(deps, subject)?.claims();
  const own = { aud: resource, client_id: client.id, scope, jti };
  return {
    access_token: signJws(signingKey, 'at+jwt', { ...claims, ...lifeOf(deps, subject), ...own }),
    token_type: 'Bearer',
    expires_in: tokenSeconds,
    scope,
  };
}

/** RFC 6749, section 2.3.1: id and secret are form-encoded. */
function isValidClient(authorization: string | undefined, { id, secret }: DemoIssuerDeps['client']): boolean {
  const [, encoded = ''] = /^Basic ([\w+/=]+)$/i.exec(authorization ?? '') ?? [];
  const [given = '', proof = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 2);
  const form = new URLSearchParams(`id=${given}&secret=${proof}`);
  const [shown, wanted] = [form.get('secret') ?? '', secret].map((text) => Buffer.from(text));
  if (shown === undefined || wanted === undefined || form.get('id') !== id) return false;
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}

function open<Sealed>({ codeKey }: DemoIssuerDeps, context: string, sealed: string): Sealed | undefined {
  try {
    const value: unknown = JSON.parse(openSealed(codeKey, context, Buffer.from(sealed, 'base64url')).toString('utf8'));
    // This issuer wrote it for that context, and it was authenticated.
    return isObject(value) ? (value as Sealed) : undefined;
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}
