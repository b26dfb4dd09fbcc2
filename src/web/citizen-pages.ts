import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { OperationResponse } from '../api/operation.ts';
import { notFoundPadding } from '../api/pad-response-time.ts';
import type { MountedHandler } from '../api/page-route.ts';
import { pipeToResponse } from '../api/pipe-to-response.ts';
import { onResponseClosed } from '../api/routes.ts';
import { maxUsageNumber } from '../audit/read-own-access-log.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { requestPath, requestQuery } from '../kernel/request-target.ts';
import { type AccessLog, accessLogPage, usesPerPage } from './access-log-page.ts';
import type { PageLayout } from './citizen-layout.ts';
import type { CitizenOperations } from './citizen-operations.ts';
import { preferredCitizenTexts } from './citizen-texts.ts';
import { handleContactForm, showContact } from './contact-handlers.ts';
import { type DocumentList, documentsPage, documentUnavailablePage } from './documents-page.ts';
import { type InboxList, messagePage, messagesPage, type OpenedMessage } from './messages-page.ts';
import { handleLockForm, showRecord } from './record-handlers.ts';
import { citizenPaths, type SignInFlow, type SignInResult, type Visitor } from './sign-in-flow.ts';
import { notFoundPage, signedOutPage, signInFailedPage, signInPage, unavailableNowPage } from './sign-in-pages.ts';

/** Dependencies of the citizen pages. */
export type CitizenPagesDeps = {
  readonly signInFlow: SignInFlow;
  readonly operations: CitizenOperations;
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

type PageView = PageLayout & Pick<CitizenPagesDeps, 'nameOf' | 'corrections'> & { readonly signInUrl: string };
type PageRequest = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly view: PageView };
type PageOutcome = BufferedResponse | { readonly stream: Extract<OperationResponse, { stream: unknown }> };
type Citizen = Extract<Visitor, object>;
type ShowPage = (visit: PageRequest, citizen: Citizen) => Promise<PageOutcome | Refusal>;

const commonHeaders = { 'x-robots-tag': 'noindex', vary: 'accept-language, cookie' };
/** Attempts to open a message while another operation changes it. */
const maxTries = 4;
const readMethods = ['GET', 'HEAD'];

/**
 * The pages on which signed-in citizens read their messages, download their documents and see who used their data, and the pages
 * to sign in and out. Each page shows the response of an operation to the citizen's own token.
 */
export function mountCitizenPages(deps: CitizenPagesDeps): readonly MountedHandler[] {
  const page = (
    path: string,
    methods: readonly string[],
    answer: (pageRequest: PageRequest) => Promise<PageOutcome>,
  ): MountedHandler => ({
    paths: [path],
    methods,
    handler: handle(deps, answer),
  });
  const citizenPage = (path: string, methods: readonly string[], show: ShowPage) =>
    page(path, methods, (pageRequest) => showToCitizen(deps, pageRequest, show));
  return [
    citizenPage(citizenPaths.home, readMethods, (pageRequest, citizen) => showMessages(deps, pageRequest, citizen)),
    // Opening a message records it as received, so HEAD must not open it.
    citizenPage(`${citizenPaths.messages}/:id`, ['GET'], (pageRequest, citizen) =>
      showMessage(deps, pageRequest, citizen),
    ),
    citizenPage(citizenPaths.documents, readMethods, (pageRequest, citizen) =>
      showDocuments(deps, pageRequest, citizen),
    ),
    citizenPage(`${citizenPaths.documents}/:id`, ['GET'], (pageRequest, citizen) =>
      openDocument(deps, pageRequest, citizen),
    ),
    citizenPage(citizenPaths.uses, readMethods, (pageRequest, citizen) => showUses(deps, pageRequest, citizen)),
    citizenPage(citizenPaths.record, [...readMethods, 'POST'], ({ request, view }, { token }) => {
      const pageRequest = { request, view, token, operations: deps.operations };
      return request.method === 'POST' ? handleLockForm(pageRequest) : showRecord(pageRequest);
    }),
    citizenPage(citizenPaths.contact, [...readMethods, 'POST'], ({ request, view }, { token }) => {
      const pageRequest = { request, view, token, operations: deps.operations };
      return request.method === 'POST' ? handleContactForm(pageRequest) : showContact(pageRequest);
    }),
    page(citizenPaths.signIn, ['GET'], async ({ request, view }) =>
      signInResponse(view, await deps.signInFlow.begin(request)),
    ),
    page(citizenPaths.returned, ['GET'], async ({ request, view }) =>
      signInResponse(view, await deps.signInFlow.finish(request)),
    ),
    page(citizenPaths.signOut, ['POST'], async ({ request, view }) => {
      request.resume();
      const cookies = await deps.signInFlow.end(request);
      return withCookies(signedOutPage(view, await deps.signOutUrl()), cookies);
    }),
  ];
}

function handle(deps: CitizenPagesDeps, answer: (visit: PageRequest) => Promise<PageOutcome>): RequestListener {
  const { onFault, nameOf, site, corrections, publicUrl } = deps;
  const signInUrl = `${publicUrl}${citizenPaths.signIn}`;
  return (request, response) => {
    const words = preferredCitizenTexts(request.headers['accept-language']);
    const view: PageView = { words, site, nameOf, corrections, signInUrl };
    answer({ request, response, view })
      .catch(async (fault: unknown) => {
        onFault(fault);
        return unavailableNowPage(view, request.headers['accept-language']);
      })
      .then((given) => send(request, response, given))
      .catch(() => response.destroy());
  };
}

async function send(request: IncomingMessage, response: ServerResponse, given: PageOutcome): Promise<void> {
  if ('body' in given) {
    sendBuffered(response, { ...given, headers: { ...given.headers, ...commonHeaders } });
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
  { signInFlow, onFault }: CitizenPagesDeps,
  visit: PageRequest,
  show: ShowPage,
): Promise<PageOutcome> {
  const { request, view } = visit;
  const padNotFound = notFoundPadding.start();
  const to = requestPath(request.url);
  const visitor = isCrossOrigin(request) ? 'nobody' : await signInFlow.visitorOf(request);
  if (visitor === 'too-many')
    return unavailableNowPage(view, request.headers['accept-language'], { 'retry-after': '10' });
  if (visitor === 'over' && isNavigation(request)) {
    // If the issuer does not respond, the citizen sees the sign-in page.
    const step = await signInFlow.renew(request, to).catch(onFault);
    if (step !== undefined) return signInResponse(view, step);
  }
  if (typeof visitor === 'string') return signInPage(view, { to, ended: visitor !== 'nobody' });
  const outcome = await show(visit, visitor);
  if (!('slug' in outcome)) return outcome;
  const { status } = problems[outcome.slug];
  if (status === 401) return withCookies(signInPage(view, { to, ended: true }), await signInFlow.end(request));
  if (status === 404) await padNotFound();
  if (status === 404 || status === 400) return notFoundPage(view);
  if (status !== 503 && outcome.slug.startsWith('document-')) return documentUnavailablePage(view, outcome.slug);
  return unavailableNowPage(view, request.headers['accept-language'], outcome.headers);
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
 * A form that another page sends, also one of another host of the same domain, for which browsers send the cookie (cross-site
 * request forgery). It counts as a request without a cookie. Browsers without Fetch Metadata do not send the cookie from another
 * site.
 */
function isCrossOrigin({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && !['same-origin', 'none', undefined].includes(headers['sec-fetch-site']?.toString());
}

async function showMessages({ operations }: CitizenPagesDeps, { request, view }: PageRequest, { token }: Citizen) {
  const before = parameter(request, 'before');
  const answer = await operations.inbox(token, { query: before === undefined ? {} : { before } });
  return 'json' in answer ? messagesPage(view, answer.json as InboxList, before === undefined) : requireRefusal(answer);
}

async function showMessage({ operations }: CitizenPagesDeps, { request, view }: PageRequest, { token }: Citizen) {
  if (isPrefetch(request.headers)) return { status: 503, headers: {}, body: '' };
  const params = { id: lastSegment(request) };
  let answer = await operations.message(token, { params });
  for (let left = maxTries; left > 0 && 'slug' in answer && answer.slug === 'changed-meanwhile'; left -= 1) {
    answer = await operations.message(token, { params });
  }
  return 'json' in answer ? messagePage(view, answer.json as OpenedMessage) : requireRefusal(answer);
}

async function showDocuments(
  { operations }: CitizenPagesDeps,
  { request, view }: PageRequest,
  { token, citizenId }: Citizen,
) {
  const after = parameter(request, 'after');
  const query = { citizenId, ...(after === undefined ? {} : { after }) };
  const answer = await operations.documents(token, { query });
  return 'json' in answer
    ? documentsPage(view, answer.json as DocumentList, after === undefined)
    : requireRefusal(answer);
}

async function openDocument({ operations }: CitizenPagesDeps, { request, response }: PageRequest, { token }: Citizen) {
  const abort = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) abort.abort();
  });
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  const forwardedHeaders = { accept: '*/*', range, 'if-range': ifRange, 'if-none-match': ifNoneMatch };
  const answer = await operations.document(token, {
    params: { id: lastSegment(request) },
    headers: Object.fromEntries(Object.entries(forwardedHeaders).filter(([, value]) => value !== undefined)),
    signal: abort.signal,
    onFinished: (call) => onResponseClosed(response, call),
  });
  return 'stream' in answer ? { stream: answer } : requireRefusal(answer);
}

async function showUses({ operations }: CitizenPagesDeps, { request, view }: PageRequest, { token }: Citizen) {
  // Entries are read in descending order, before a number that no entry reaches.
  const before = parameter(request, 'before') ?? String(maxUsageNumber);
  const answer = await operations.uses(token, { query: { before, limit: String(usesPerPage) } });
  return 'json' in answer ? accessLogPage(view, answer.json as AccessLog) : requireRefusal(answer);
}

/** The refusal of an operation whose response is not JSON. */
function requireRefusal(answer: OperationResponse | Refusal): Refusal {
  if ('slug' in answer) return answer;
  throw new TypeError('the operation answers in another form');
}

function parameter(request: IncomingMessage, name: string): string | undefined {
  return new URLSearchParams(requestQuery(request.url)).get(name) ?? undefined;
}

/** The last segment of the path. It need not be a valid id. */
function lastSegment(request: IncomingMessage): string {
  return requestPath(request.url).split('/').at(-1) ?? '';
}

function signInResponse(view: PageView, step: SignInResult): BufferedResponse {
  if ('failed' in step && step.failed === 'over')
    return withCookies(signInPage(view, { to: step.to, ended: true }), step.cookies);
  if ('failed' in step) return withCookies(signInFailedPage(view, step.failed), step.cookies);
  return { status: 303, headers: { location: step.to, 'set-cookie': [...step.cookies] }, body: '' };
}

function withCookies(page: BufferedResponse, cookies: readonly string[]): BufferedResponse {
  const { headers, ...rest } = page;
  return { ...rest, headers: cookies.length === 0 ? headers : { ...headers, 'set-cookie': [...cookies] } };
}
