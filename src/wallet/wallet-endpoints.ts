import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { Read } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import { requestPath } from '../kernel/request-target.ts';
import { commitUnlessChanged } from './presentation-effects.ts';
import {
  ifOpen,
  type OpenPresentation,
  type PresentationEvent,
  presentationHead,
  sessionLimits,
  type WalletRequest,
} from './protocol/presentation.ts';
import { findByHandle, markFetched } from './protocol/presentation-store.ts';
import { signRequestObject, walletPaths } from './protocol/request-object.ts';
import { type ReceivePorts, receiveResponse, type WalletAnswer } from './receive-response.ts';

type WalletEndpointDeps = ReceivePorts & {
  readonly read: Read;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  onFault(fault: unknown): void;
};

/**
 * The endpoints that wallets call (OpenID4VP 1.0, sections 5.10 and 8.2). A wallet receives 200 or 400 and learns no detail: unknown, ended
 * and expired presentations are answered alike.
 */
export function walletEndpoints(deps: WalletEndpointDeps): readonly MountedHandler[] {
  const respond = createResponder(deps);
  return [
    mount(`${walletPaths.requests}/:handle`, ['GET', 'POST'], deps, (handle, request) =>
      answerRequest(deps, handle, request),
    ),
    mount(`${walletPaths.responses}/:handle`, ['POST'], deps, respond),
  ];
}

type Answering = (handle: string, request: IncomingMessage) => Promise<BufferedResponse>;

function mount(
  path: string,
  methods: readonly string[],
  { onFault }: Pick<WalletEndpointDeps, 'onFault'>,
  answer: Answering,
): MountedHandler {
  const handler: RequestListener = (request, response) => {
    const handle = requestPath(request.url).split('/').at(-1) ?? '';
    answer(handle, request)
      .catch((fault: unknown) => {
        onFault(fault);
        return jsonAnswer(503, {});
      })
      .then((given) => send(request, response, given))
      .catch(() => response.destroy());
  };
  return { paths: [path], methods, handler };
}

function send(request: IncomingMessage, response: ServerResponse, { headers, ...given }: BufferedResponse): void {
  // A body over the limit stays unread.
  if (!request.complete) response.shouldKeepAlive = false;
  sendBuffered(response, { ...given, headers: { ...headers, 'cache-control': 'no-store' } });
}

function jsonAnswer(status: number, body: object): BufferedResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

const refused = jsonAnswer(400, { error: 'invalid_request' });

/** An open presentation that waits for a response, with the request of the handle. */
type Awaiting = { readonly presentation: OpenPresentation; readonly request: WalletRequest };

async function findAwaiting(
  deps: WalletEndpointDeps,
  kind: 'request' | 'response',
  handle: string,
): Promise<Awaiting | undefined> {
  const presentation = ifOpen(await findByHandle(deps, kind, handle), deps.clock.now());
  const request = presentation?.terms.requests.find((one) => one[`${kind}Handle`] === handle);
  if (presentation === undefined || request === undefined || presentation.status === 'answered') return undefined;
  return { presentation, request };
}

/**
 * Answers with the request object. Until a wallet has answered, wallets can fetch it several times, for example after a preview of the
 * link, and get the same values. Afterwards it is refused (test/attacks/wallet-responses.test.ts).
 */
async function answerRequest(
  deps: WalletEndpointDeps,
  handle: string,
  incoming: IncomingMessage,
): Promise<BufferedResponse> {
  const form = incoming.method === 'POST' ? await readForm(incoming, sessionLimits.requestBytes) : noForm;
  // A wallet that sent a nonce expects it in the request object (OpenID4VP 1.0, section 5.10).
  if (form === undefined) return refused;
  const walletNonce = form.get('wallet_nonce') ?? undefined;
  const found = await findAwaiting(deps, 'request', handle);
  if (found === undefined || (walletNonce?.length ?? 0) > maxNonceLength) return refused;
  const { presentation, request } = found;
  if (presentation.status === 'requested') await recordFetch(deps, presentation);
  const { purpose } = presentation.terms;
  const registrationCertificate =
    purpose === undefined ? undefined : deps.registrationCertificateOf(presentation.clientId, purpose);
  const identity = { ...deps.wallets, publicUrl: deps.publicUrl };
  const body = await signRequestObject(identity, presentation, request, { walletNonce, registrationCertificate });
  return { status: 200, headers: { 'content-type': 'application/oauth-authz-req+jwt' }, body };
}

const maxNonceLength = 1_024;

/** Another fetch may have been recorded meanwhile. */
async function recordFetch(deps: WalletEndpointDeps, presentation: OpenPresentation): Promise<void> {
  const by = { event: deps.createId('event'), at: deps.clock.now(), actor: { citizen: true } } as const;
  const event: PresentationEvent = { type: 'identity.presentation-fetched', ...presentationHead(presentation, by) };
  const statements = [markFetched(presentation.id), deps.feedEvent(event, 'fetched')];
  await commitUnlessChanged(deps.commit, { events: [event], statements });
}

/** Receives responses. Attack: many responses at once, so that each is decrypted. A process works on one per presentation. */
function createResponder(deps: WalletEndpointDeps): Answering {
  const inProgress = new Set<string>();
  return async (handle, incoming) => {
    const form = (await readForm(incoming, sessionLimits.responseBytes)) ?? noForm;
    const found = await findAwaiting(deps, 'response', handle);
    if (found === undefined || inProgress.has(found.presentation.id)) return refused;
    inProgress.add(found.presentation.id);
    try {
      const by = { now: deps.clock.now(), createId: deps.createId };
      return toResponse(await receiveResponse(deps, { ...found, form }, by));
    } finally {
      inProgress.delete(found.presentation.id);
    }
  };
}

function toResponse({ accepted, redirectUri }: WalletAnswer): BufferedResponse {
  if (!accepted) return refused;
  return jsonAnswer(200, redirectUri === undefined ? {} : { redirect_uri: redirectUri });
}

const noForm: URLSearchParams = new URLSearchParams();

/** Empty for a body of another type, and undefined for one that is over the limit or broken off. */
async function readForm(request: IncomingMessage, maxBytes: number): Promise<URLSearchParams | undefined> {
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers;
  if (Number(length) > maxBytes) return undefined;
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return noForm;
  try {
    // The connection stays open after the limit is passed, so that the wallet can read the answer.
    const bytes = await readBytesUpTo(request.iterator({ destroyOnReturn: false }), maxBytes);
    return bytes && new URLSearchParams(bytes.toString('utf8'));
  } catch {
    // Reading fails only when the wallet closes the connection.
    return undefined;
  }
}
