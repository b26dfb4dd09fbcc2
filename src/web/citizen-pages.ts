import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { OperationResponse } from '../api/operation.ts';
import { notFoundPadding } from '../api/pad-response-time.ts';
import type { MountedHandler } from '../api/page-route.ts';
import { pipeToResponse } from '../api/pipe-to-response.ts';
import { onResponseClosed } from '../api/routes.ts';
import { listDocumentRecords } from '../documents/list-documents.ts';
import { retrieveDocument } from '../documents/retrieve-document.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { requestPath, requestQuery } from '../kernel/request-target.ts';
import { handleUses, handleUsesProofs, handleUsesTable } from './access-log-handlers.ts';
import type { CitizenLayout } from './citizen-layout.ts';
import { type CallOperation, type CitizenRequest, readJson } from './citizen-operations.ts';
import { preferredCitizenTexts } from './citizen-texts.ts';
import { handleContact } from './contact-handlers.ts';
import { type DocumentList, documentsPage, documentUnavailablePage } from './documents-page.ts';
import { downloadMessage, downloadMessages, handleMessage, handleMessages } from './messages-handlers.ts';
import { handleRecord } from './record-page.ts';
import { citizenPaths, type SignInFlow, type SignInResult } from './sign-in-flow.ts';
import { notFoundPage, signedOutPage, signInFailedPage, signInPage, unavailableNowPage } from './sign-in-pages.ts';

/** Dependencies of the citizen pages. */
export type CitizenPagesDeps = {
  readonly signInFlow: SignInFlow;
  readonly call: CallOperation;
  /** The name of the organisation that owns a client. */
  readonly nameOf: (clientId: string) => string;
  /** The name of the site, set by the operator. */
  readonly site: string | undefined;
  /** The operator's page about corrections of the register. */
  readonly corrections: string | undefined;
  /** The public URL of this server, without a slash at the end. */
  readonly publicUrl: string;
  /** The sign-out page of the issuer; undefined if it has none, or cannot be reached. */
  readonly signOutUrl: () => Promise<string | undefined>;
  onFault(fault: unknown): void;
};

type PageRequest = Pick<CitizenRequest, 'request' | 'response' | 'view'>;
type PageOutcome = BufferedResponse | { readonly stream: Extract<OperationResponse, { stream: unknown }> };
type ShowPage = (visit: CitizenRequest) => Promise<PageOutcome | Refusal>;

const commonHeaders = { 'x-robots-tag': 'noindex', vary: 'accept-language, cookie' };
/** With `no-referrer`, browsers send `Origin: null` for the forms of a page. No other site gets a referrer. */
const formHeaders = { 'referrer-policy': 'same-origin' };
const readMethods = ['GET', 'HEAD'];

/**
 * The pages on which signed-in citizens read their messages, download their documents and see who used their data, and the pages
 * to sign in and out. Each page shows the response of an operation to the citizen's own token.
 */
export function mountCitizenPages(deps: CitizenPagesDeps): readonly MountedHandler[] {
  const { signInFlow } = deps;
  const page = (
    path: string,
    methods: readonly string[],
    answer: (visit: PageRequest) => Promise<PageOutcome>,
  ): MountedHandler => ({ paths: [path], methods, handler: handle(deps, answer) });
  const citizenPage = (path: string, methods: readonly string[], show: ShowPage) =>
    page(path, methods, (visit) => showToCitizen(deps, visit, show));
  return [
    citizenPage(citizenPaths.home, [...readMethods, 'POST'], handleMessages),
    // Opening a message records it as received, so HEAD must not open it.
    citizenPage(`${citizenPaths.messages}/:id`, ['GET', 'POST'], unlessPrefetch(handleMessage)),
    citizenPage(`${citizenPaths.messages}/:id/download`, ['GET'], unlessPrefetch(downloadMessage)),
    citizenPage(citizenPaths.download, ['GET'], unlessPrefetch(downloadMessages)),
    citizenPage(citizenPaths.documents, readMethods, showDocuments),
    citizenPage(`${citizenPaths.documents}/:id`, ['GET'], openDocument),
    citizenPage(citizenPaths.uses, readMethods, handleUses),
    citizenPage(citizenPaths.usesTable, ['GET'], handleUsesTable),
    citizenPage(citizenPaths.usesProofs, ['GET'], handleUsesProofs),
    citizenPage(citizenPaths.record, [...readMethods, 'POST'], handleRecord),
    citizenPage(citizenPaths.contact, [...readMethods, 'POST'], handleContact),
    page(citizenPaths.signIn, ['GET'], async ({ request, view }) =>
      signInResponse(view, await signInFlow.begin(request)),
    ),
    page(citizenPaths.returned, ['GET'], async ({ request, view }) =>
      signInResponse(view, await signInFlow.finish(request)),
    ),
    page(citizenPaths.signOut, ['POST'], async ({ request, view }) => {
      request.resume();
      if (isCrossOrigin(request, deps.publicUrl))
        return { ...signInPage(view, { to: citizenPaths.home, ended: false }), status: 403 };
      const cookies = await signInFlow.end(request);
      return withCookies(signedOutPage(view, await deps.signOutUrl()), cookies);
    }),
  ];
}

function handle(deps: CitizenPagesDeps, answer: (visit: PageRequest) => Promise<PageOutcome>): RequestListener {
  const { onFault, nameOf, site, corrections, publicUrl } = deps;
  const signInUrl = `${publicUrl}${citizenPaths.signIn}`;
  return (request, response) => {
    const words = preferredCitizenTexts(request.headers['accept-language']);
    const view = { words, site, nameOf, corrections, signInUrl };
    answer({ request, response, view })
      .catch(async (fault: unknown) => {
        onFault(fault);
        return unavailableNowPage(view);
      })
      .then((given) => send(request, response, given))
      .catch(() => response.destroy());
  };
}

async function send(request: IncomingMessage, response: ServerResponse, given: PageOutcome): Promise<void> {
  if ('body' in given) {
    sendBuffered(response, { ...given, headers: { ...given.headers, ...commonHeaders, ...formHeaders } });
    return;
  }
  const { status, headers, stream } = given.stream;
  // The link to receipts and records is for clients of the API.
  const { link: _link, ...shown } = headers;
  response.writeHead(status, { ...shown, ...commonHeaders });
  if (stream === null || request.method === 'HEAD') {
    response.end();
    return;
  }
  const length = headers['content-length'];
  await pipeToResponse(stream, response, length === undefined ? undefined : Number(length));
}

/** Shows a page to a signed-in citizen. Everybody else sees the sign-in page, which leads back to this page. */
async function showToCitizen(
  { signInFlow, call, onFault, publicUrl }: CitizenPagesDeps,
  visit: PageRequest,
  show: ShowPage,
): Promise<PageOutcome> {
  const { request, view } = visit;
  const padNotFound = notFoundPadding.start();
  const to = requestPath(request.url);
  const visitor = isCrossOrigin(request, publicUrl) ? 'nobody' : await signInFlow.visitorOf(request);
  if (visitor === 'too-many') return unavailableNowPage(view, { 'retry-after': '10' });
  if (visitor === 'over' && isNavigation(request)) {
    // If the issuer does not respond, the citizen sees the sign-in page.
    const step = await signInFlow.renew(request, to).catch(onFault);
    if (step !== undefined) return signInResponse(view, step);
  }
  if (typeof visitor === 'string') return signInPage(view, { to, ended: visitor !== 'nobody' });
  const outcome = await show({ ...visit, ...visitor, call });
  if (!('slug' in outcome)) return outcome;
  const { status } = problems[outcome.slug];
  if (status === 401) return withCookies(signInPage(view, { to, ended: true }), await signInFlow.end(request));
  if (status === 404) await padNotFound();
  if (status === 404 || status === 400) return notFoundPage(view);
  if (status !== 503 && outcome.slug.startsWith('document-')) return documentUnavailablePage(view, outcome.slug);
  return unavailableNowPage(view, outcome.headers);
}

/** Whether a person follows a link, in contrast to a form, or a page that the browser prefetches or embeds. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && [undefined, 'navigate'].includes(headers['sec-fetch-mode']) && !isPrefetch(headers);
}

/** Nobody reads a page that a browser prefetches. */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return /prefetch|prerender/i.test(String(headers['sec-purpose'] ?? headers['purpose'] ?? ''));
}

/**
 * A request that another page makes, also one of another host of the same domain, for which browsers send the cookie (cross-site
 * request forgery). It counts as a request without a cookie (test/attacks/citizen-pages.test.ts). Origin of a form must be this site in
 * any case. `null` can be a page of any site, so it is accepted only from a browser that also says `same-origin`. Another page may
 * link here, but not embed: an image of the address of a message would prove that the citizen has read it.
 */
function isCrossOrigin({ method, headers }: IncomingMessage, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']?.toString();
  const isOther = !['same-origin', 'none', undefined].includes(site);
  if (method !== 'POST') return isOther && !isTopLevelNavigation(headers);
  const isOwnOrigin = [new URL(publicUrl).origin, undefined].includes(headers.origin);
  return isOther || !(isOwnOrigin || (headers.origin === 'null' && site === 'same-origin'));
}

function isTopLevelNavigation(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

/** A page that a browser prefetches must not open a message, because nobody reads it. */
function unlessPrefetch(show: ShowPage): ShowPage {
  return async (visit) => (isPrefetch(visit.request.headers) ? { status: 503, headers: {}, body: '' } : show(visit));
}

async function showDocuments(visit: CitizenRequest) {
  const after = parameter(visit.request, 'after');
  const query = { citizenId: visit.citizenId, ...(after === undefined ? {} : { cursor: after }) };
  const answer = await readJson<DocumentList>(visit, listDocumentRecords, { query });
  return 'json' in answer ? documentsPage(visit.view, answer.json, after === undefined) : answer;
}

async function openDocument({ request, response, token, call }: CitizenRequest) {
  const abort = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) abort.abort();
  });
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  const forwardedHeaders = { accept: '*/*', range, 'if-range': ifRange, 'if-none-match': ifNoneMatch };
  const answer = await call(retrieveDocument, token, {
    params: { id: lastSegment(request) },
    headers: Object.fromEntries(Object.entries(forwardedHeaders).filter(([, value]) => value !== undefined)),
    signal: abort.signal,
    onFinished: (ended) => onResponseClosed(response, ended),
  });
  if ('json' in answer) throw new TypeError('the response of retrieveDocument is JSON');
  return 'stream' in answer ? { stream: answer } : answer;
}

function parameter(request: IncomingMessage, name: string): string | undefined {
  return new URLSearchParams(requestQuery(request.url)).get(name) ?? undefined;
}

/** The last segment of the path. It need not be a valid id. */
function lastSegment(request: IncomingMessage): string {
  return requestPath(request.url).split('/').at(-1) ?? '';
}

function signInResponse(view: CitizenLayout, step: SignInResult): BufferedResponse {
  if ('failed' in step) return withCookies(signInFailedPage(view, step), step.cookies);
  return { status: 303, headers: { location: step.to, 'set-cookie': [...step.cookies] }, body: '' };
}

function withCookies(page: BufferedResponse, cookies: readonly string[]): BufferedResponse {
  const { headers, ...rest } = page;
  return { ...rest, headers: cookies.length === 0 ? headers : { ...headers, 'set-cookie': [...cookies] } };
}
