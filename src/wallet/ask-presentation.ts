import { type Static, Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { openSealed, seal } from '../crypto/chunked-encryption.ts';
import { citizenIdPattern, citizenIdRequirement, maxCitizenIdLength } from '../kernel/id.ts';
import { languageTagPattern } from '../kernel/language-tag.ts';
import { type Issue, refuse, refuseIssues } from '../kernel/refusal.ts';
import { singleLinePattern, singleLineRequirement } from '../kernel/single-line-text.ts';
import { createResponseKey } from './formats/encrypted-response.ts';
import { mandatoryPidClaims, pidClaimNames } from './formats/pid-claims.ts';
import type { WalletConfiguration, WalletPorts } from './ports.ts';
import { oneOf, presentationView, requestedPresentationShape } from './presentation-shape.ts';
import {
  confirmations,
  type Device,
  type Presentation,
  type PresentationEvent,
  type PresentationTerms,
  presentationHead,
  sessionLimits,
  type WalletRequest,
  walletProfiles,
} from './protocol/presentation.ts';
import { insertPresentation } from './protocol/presentation-store.ts';
import { walletPaths, walletUrlOf } from './protocol/request-object.ts';
import { createHandle } from './protocol/wallet-handle.ts';
import { returnUrlFault } from './return-url.ts';

const text = (description: string, maxLength = 200) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern: '\\S', description }));

const request = {
  body: Type.Object(
    {
      credentials: Type.Optional(
        Type.Array(Type.String({ maxLength: 64 }), {
          minItems: 1,
          maxItems: 8,
          uniqueItems: true,
          description: 'The kinds of credentials that you accept, as the operator names them. Default: all kinds.',
        }),
      ),
      claims: Type.Optional(
        Type.Array(oneOf(pidClaimNames, 'The name of a claim.'), {
          minItems: 1,
          maxItems: pidClaimNames.length,
          uniqueItems: true,
          description:
            'The claims that the wallet must attest. Default: the fewest that the policy of your client needs, preferably those of every PID.',
        }),
      ),
      purpose: text('Why you ask. The citizen reads it on the page, in the wallet and in the access log.'),
      legalBasis: text('The legal basis of the request.'),
      nonce: text('A value of your session, which the signed result repeats.'),
      citizenId: text(
        'The citizen whom you expect. If the wallet belongs to another person, the decision is no_match.',
        maxCitizenIdLength,
      ),
      returnUrl: text(
        'The https address to which the wallet returns on the device of your page. It gets the code for POST …/complete in its fragment, as response_code.',
        2_000,
      ),
      confirmation: Type.Optional(
        oneOf(
          confirmations,
          'code: after an answer from another device, the citizen types a code of 6 digits on your page. none: no code. Without returnUrl, choose none only where you see the citizen: somebody could let another person answer for them. Default: none with returnUrl, otherwise code.',
        ),
      ),
      profile: Type.Optional(
        oneOf(
          walletProfiles,
          'haip: the High Assurance Interoperability Profile, for all EU wallets. openid4vp: identifies the server by its DNS name, for wallets without this profile. Default: haip.',
        ),
      ),
      language: Type.Optional(
        Type.String({
          maxLength: 35,
          pattern: languageTagPattern,
          description: 'The language of the page, as a language tag. Default: that of the browser.',
        }),
      ),
    },
    { $id: 'PresentationRequest', additionalProperties: false, description: 'A request to the wallet of a citizen.' },
  ),
};

type AskCall = OperationCall<typeof request, WalletPorts>;
type AskBody = Static<typeof request.body>;

const expiredText = 'The certificate of this server for wallets has expired.';
const storedAnswerContext = 'citizen-services/presentation-answer@v1';

/** `POST /v1/identity/presentations`: asks the wallet of a citizen. */
export const askPresentation = defineOperation({
  name: 'askPresentation',
  since: '1.0',
  method: 'POST',
  path: '/v1/identity/presentations',
  scope: 'identity:present',
  callers: ['clients'],
  summary: 'Ask the wallet of a citizen',
  description:
    'Starts a presentation. Send the citizen to pageUrl, or open walletUrl on the device of your page. The server checks the answer of the wallet, and compares the attested attributes with the register under the policy of your client. You receive the decision, and no attributes.',
  request,
  idempotent: true,
  responses: {
    201: {
      description: 'The presentation waits for a wallet.',
      schema: requestedPresentationShape,
      headers: {
        Location: 'The path of the presentation.',
        'Idempotent-Replayed': 'true if the server repeats an earlier response.',
      },
    },
  },
  refusals: [
    'bad-request',
    'wallets-not-configured',
    'insufficient-claims',
    'purpose-not-permitted',
    'legal-basis-not-permitted',
    'claim-not-permitted',
  ],
  citizenData: true,
  openStoredBody: (sealed, { sealKey }: WalletPorts) =>
    openSealed(sealKey, storedAnswerContext, Buffer.from(sealed, 'base64')).toString(),
  run: ask,
});

async function ask(call: AskCall): Promise<Decision | RefusedDecision> {
  const { ports, body, caller } = call;
  const { wallets } = ports;
  if (wallets === undefined) return { refusal: refuse('wallets-not-configured') };
  if (wallets.certificate.expiresAt <= call.now) return { refusal: refuse('wallets-not-configured', expiredText) };
  const issues = issuesOf(body, wallets, ports.publicUrl);
  if (issues.length > 0) return { refusal: refuseIssues(issues) };
  const { claims, purpose, legalBasis } = body;
  const plan = await ports.plan({
    clientId: caller.clientId,
    claims,
    purpose,
    legalBasis,
    available: pidClaimNames,
    mandatory: mandatoryPidClaims,
  });
  if ('refusal' in plan) return plan;
  const terms = await createTerms(call, { wallets, claims: plan.claims });
  return storeAndAnswer(call, wallets, terms);
}

/** The issues that the schema cannot find. */
function issuesOf(body: AskBody, { trust, certificate }: WalletConfiguration, publicUrl: string): readonly Issue[] {
  const issues: Issue[] = [];
  const report = (pointer: string, code: Issue['code'], detail: string) =>
    issues.push({ in: 'body', pointer, code, detail });
  body.credentials?.forEach((name, index) => {
    const known = [...trust.kinds.keys()].join(', ');
    if (!trust.kinds.has(name)) report(`/credentials/${index}`, 'not-found', `must be one of: ${known}`);
  });
  for (const name of ['purpose', 'legalBasis'] as const) {
    if (body[name] !== undefined && !singleLinePattern.test(body[name]))
      report(`/${name}`, 'malformed', `must be ${singleLineRequirement}`);
  }
  if (body.citizenId !== undefined && !citizenIdPattern.test(body.citizenId))
    report('/citizenId', 'malformed', citizenIdRequirement);
  const returnFault = body.returnUrl === undefined ? undefined : returnUrlFault(body.returnUrl);
  if (returnFault !== undefined) report('/returnUrl', 'malformed', returnFault);
  const host = new URL(publicUrl).hostname;
  if (body.profile === 'openid4vp' && !certificate.dnsNames.includes(host))
    report('/profile', 'not-allowed', `the access certificate of this server must name ${host}`);
  return issues;
}

async function createTerms(
  { body, ports }: AskCall,
  { wallets, claims }: { readonly wallets: WalletConfiguration; readonly claims: readonly string[] },
): Promise<PresentationTerms> {
  const { purpose, legalBasis, nonce, citizenId, returnUrl, language } = body;
  // Attack: without a proof of the session, somebody lets another person scan the QR code. A service must choose that it needs none.
  const { confirmation = returnUrl === undefined ? 'code' : 'none', profile = 'haip' } = body;
  const { credentials: kinds = [...wallets.trust.kinds.keys()] } = body;
  const devices = devicesOf({ returnUrl, confirmation });
  return {
    kinds,
    claims,
    purpose,
    legalBasis,
    nonce,
    citizenId,
    returnUrl,
    confirmation,
    profile,
    language,
    pageHandle: createHandle(ports.random),
    requests: await Promise.all(devices.map((device) => createWalletRequest(device, ports))),
  };
}

/**
 * The devices whose wallet may answer. With a return address, the answer of another device needs the code of the citizen: otherwise a
 * scanned QR code would lead past the check of the session.
 */
function devicesOf({ returnUrl, confirmation }: Pick<PresentationTerms, 'returnUrl' | 'confirmation'>): Device[] {
  if (returnUrl === undefined) return ['other'];
  return confirmation === 'code' ? ['same', 'other'] : ['same'];
}

async function createWalletRequest(device: Device, { random }: Pick<WalletPorts, 'random'>): Promise<WalletRequest> {
  const [requestHandle, responseHandle] = [createHandle(random), createHandle(random)];
  return {
    device,
    requestHandle,
    responseHandle,
    nonce: createHandle(random),
    state: createHandle(random),
    responseKey: await createResponseKey(),
  };
}

function storeAndAnswer(call: AskCall, wallets: WalletConfiguration, terms: PresentationTerms): Decision {
  const { ports, caller, createId, now } = call;
  const { clientId } = caller;
  const presentation = newPresentation(createId('presentation'), { clientId, now, terms });
  const { purpose, legalBasis, claims } = terms;
  const event: PresentationEvent = {
    type: 'identity.presentation-asked',
    ...presentationHead(presentation, { event: createId('event'), at: now, actor: { client: clientId } }),
    purpose,
    legalBasis,
    claimsAsked: claims,
  };
  const [request] = terms.requests;
  if (request === undefined) throw new TypeError('expected at least one device');
  const json = {
    ...presentationView(presentation, now, ports.publicUrl),
    walletUrl: walletUrlOf({ ...wallets, publicUrl: ports.publicUrl }, terms, request),
    pageUrl: `${ports.publicUrl}${walletPaths.pages}/${terms.pageHandle}`,
    receipt: `/v1/receipts/${event.id}`,
  };
  const headers = { location: `/v1/identity/presentations/${presentation.id}`, 'cache-control': 'no-store' };
  return {
    effect: { events: [event], statements: insertPresentation(ports, { ...presentation, terms }) },
    answer: { status: 201, headers, json },
    // The addresses are secrets.
    sealBody: (body) => seal(ports.sealKey, storedAnswerContext, Buffer.from(body), ports.random).toString('base64'),
  };
}

function newPresentation(
  id: Presentation['id'],
  { clientId, now, terms }: { readonly clientId: string; readonly now: number; readonly terms: PresentationTerms },
): Presentation {
  return {
    id,
    clientId,
    status: 'requested',
    createdAt: now,
    expiresAt: now + sessionLimits.openMs,
    endedAt: null,
    keepsLink: null,
    reason: null,
    walletError: null,
    verificationId: null,
    purpose: terms.purpose ?? null,
    terms,
    pending: undefined,
  };
}
