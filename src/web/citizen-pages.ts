import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { MountedHandler } from '../api/api-server.ts';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import { padNotFoundResponse } from '../api/not-found-padding.ts';
import type { OperationResponse } from '../api/operation.ts';
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

/** What the pages of citizens are given. */
export type CitizenPagesDeps = {
  readonly signInFlow: SignInFlow;
  readonly operations: CitizenOperations;
  /** The name of the organisation behind a client. */
  readonly nameOf: (clientId: string) => string;
  /** How the operator names the pages. */
  readonly site: string | undefined;
  /** Where the operator says how the register is put right. */
  readonly corrections: string | undefined;
  /** Where this server is for citizens, without a slash at the end. */
  readonly publicUrl: string;
  /** Where the citizen can sign out of the issuer; undefined where it has no such place, or cannot say. */
  readonly signOutUrl: () => Promise<string | undefined>;
  onFault(fault: unknown): void;
};

type PageView = PageLayout & Pick<CitizenPagesDeps, 'nameOf' | 'corrections'> & { readonly signInUrl: string };
type PageRequest = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly view: PageView };
type PageOutcome = BufferedResponse | { readonly stream: Extract<OperationResponse, { stream: unknown }> };
type Citizen = Extract<Visitor, object>;
type ShowPage = (visit: PageRequest, citizen: Citizen) => Promise<PageOutcome | Refusal>;

const commonHeaders = { 'x-robots-tag': 'noindex', vary: 'accept-language, cookie' };
/** How often a message is asked for that something else happens to at that moment. */
const maxTries = 4;
const readMethods = ['GET', 'HEAD'];

/**
 * The pages on which citizens read their messages, get their documents and see who used their data; and the way in and out. They
 * are for who is signed in, and each shows what the operation of the same name answers to the citizen's own token.
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
    // To open a message is to have it: HEAD shows none.
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
      return await withCookies(signedOutPage(view, await deps.signOutUrl()), cookies);
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
        return await unavailableNowPage(view, request.headers['accept-language']);
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
  // Whose receipts and records these are, programs ask of the interface.
  const { link: _link, ...shown } = headers;
  response.writeHead(status, { ...shown, ...commonHeaders });
  if (stream === null || request.method === 'HEAD') {
    response.end();
    return;
  }
  const length = headers['content-length'];
  await pipeToResponse(stream, response, length === undefined ? undefined : Number(length));
}

/** Shows a page to who is signed in; to everybody else the way in, and back to this page. */
async function showToCitizen(
  { signInFlow, onFault }: CitizenPagesDeps,
  visit: PageRequest,
  show: ShowPage,
): Promise<PageOutcome> {
  const { request, view } = visit;
  const startedAt = performance.now();
  const to = requestPath(request.url);
  const visitor = isCrossOrigin(request) ? 'nobody' : await signInFlow.visitorOf(request);
  if (visitor === 'too-many')
    return await unavailableNowPage(view, request.headers['accept-language'], { 'retry-after': '10' });
  if (visitor === 'over' && isNavigation(request)) {
    // Where the issuer does not answer, the citizen finds the way to it.
    const step = await signInFlow.renew(request, to).catch(onFault);
    if (step !== undefined) return await signInResponse(view, step);
  }
  if (typeof visitor === 'string') return await signInPage(view, { to, ended: visitor !== 'nobody' });
  const outcome = await show(visit, visitor);
  if (!('slug' in outcome)) return outcome;
  const { status } = problems[outcome.slug];
  if (status === 401) return await withCookies(signInPage(view, { to, ended: true }), await signInFlow.end(request));
  if (status === 404) await padNotFoundResponse(startedAt);
  if (status === 404 || status === 400) return await notFoundPage(view);
  if (status !== 503 && outcome.slug.startsWith('document-')) return await documentUnavailablePage(view, outcome.slug);
  return await unavailableNowPage(view, request.headers['accept-language'], outcome.headers);
}

/** Whether a person follows a link: no form is sent, and no page loaded ahead or for another one. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && [undefined, 'navigate'].includes(headers['sec-fetch-mode']) && !isPrefetch(headers);
}

/** A browser that loads pages ahead has nobody who reads them. */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return /prefetch|prerender/i.test(String(headers['sec-purpose'] ?? headers['purpose'] ?? ''));
}

/**
 * A form of another page, also of another host of the same domain, for which browsers bring the cookie along: it counts as one
 * without. Browsers too old to say so (Fetch Metadata) do not bring it from another site.
 */
function isCrossOrigin({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && !['same-origin', 'none', undefined].includes(headers['sec-fetch-site']?.toString());
}

async function showMessages({ operations }: CitizenPagesDeps, { request, view }: PageRequest, { token }: Citizen) {
  const before = parameter(request, 'before');
  const answer = await operations.inbox(token, { query: before === undefined ? {} : { before } });
  return 'json' in answer
    ? await messagesPage(view, answer.json as InboxList, before === undefined)
    : requireRefusal(answer);
}

async function showMessage({ operations }: CitizenPagesDeps, { request, view }: PageRequest, { token }: Citizen) {
  if (isPrefetch(request.headers)) return { status: 503, headers: {}, body: '' };
  const params = { id: lastSegment(request) };
  let answer = await operations.message(token, { params });
  for (let left = maxTries; left > 0 && 'slug' in answer && answer.slug === 'changed-meanwhile'; left -= 1) {
    answer = await operations.message(token, { params });
  }
  return 'json' in answer ? await messagePage(view, answer.json as OpenedMessage) : requireRefusal(answer);
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
    ? await documentsPage(view, answer.json as DocumentList, after === undefined)
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
  // The newest come first: those before a number that no entry has.
  const before = parameter(request, 'before') ?? String(maxUsageNumber);
  const answer = await operations.uses(token, { query: { before, limit: String(usesPerPage) } });
  return 'json' in answer ? await accessLogPage(view, answer.json as AccessLog) : requireRefusal(answer);
}

/** What an operation answered that is no page. */
function requireRefusal(answer: OperationResponse | Refusal): Refusal {
  if ('slug' in answer) return answer;
  throw new TypeError('the operation answers in another form');
}

function parameter(request: IncomingMessage, name: string): string | undefined {
  return new URLSearchParams(requestQuery(request.url)).get(name) ?? undefined;
}

/** The last part of the path: an id, or no id of anything. */
function lastSegment(request: IncomingMessage): string {
  return requestPath(request.url).split('/').at(-1) ?? '';
}

async function signInResponse(view: PageView, step: SignInResult): Promise<BufferedResponse> {
  if ('failed' in step && step.failed === 'over')
    return await withCookies(signInPage(view, { to: step.to, ended: true }), step.cookies);
  if ('failed' in step) return await withCookies(signInFailedPage(view, step.failed), step.cookies);
  return { status: 303, headers: { location: step.to, 'set-cookie': [...step.cookies] }, body: '' };
}

async function withCookies(page: Promise<BufferedResponse>, cookies: readonly string[]): Promise<BufferedResponse> {
  const { headers, ...rest } = await page;
  return { ...rest, headers: cookies.length === 0 ? headers : { ...headers, 'set-cookie': [...cookies] } };
}
