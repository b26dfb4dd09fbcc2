import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { atWholeQuantum } from '../api/found-nothing.ts';
import type { Answer } from '../api/operation.ts';
import { pour } from '../api/pour.ts';
import { onceOver } from '../api/routes.ts';
import type { Mount } from '../api/server.ts';
import { endWith, type WholeAnswer } from '../api/whole-answer.ts';
import type { Refusal } from '../kernel/problem.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { pathOf, queryOf } from '../kernel/request-target.ts';
import { largestNumber } from '../oversight/read-access-log.ts';
import type { CitizenOperations } from './ask-operations.ts';
import type { Frame } from './citizen-frame.ts';
import { citizenPaths, type SignInDoor, type Step, type Visitor } from './citizen-session.ts';
import { notFoundPage, notNowPage, signedOutPage, signInPage, stepPage } from './citizen-threshold.ts';
import { wishedWords } from './citizen-words-by-language.ts';
import { showContact, takeContactForm } from './contact-visits.ts';
import { type DocumentList, documentsPage, unavailablePage } from './documents-page.ts';
import { type Inbox, type Message, messagePage, messagesPage } from './messages-page.ts';
import { showRecord, takeLockForm } from './record-visits.ts';
import { type Uses, usesAPage, usesPage } from './uses-page.ts';

/** What the pages of citizens are given. */
export type CitizenPagesParts = {
  readonly door: SignInDoor;
  readonly ask: CitizenOperations;
  /** The name of the organisation behind a client. */
  readonly nameOf: (clientId: string) => string;
  /** How the operator names the pages. */
  readonly site: string | undefined;
  /** Where the operator says how the register is put right. */
  readonly corrections: string | undefined;
  /** Where this server is for citizens, without a slash at the end. */
  readonly publicUrl: string;
  /** Where the citizen can sign out of the issuer; undefined where it has no such place, or cannot say. */
  readonly leaveUrl: () => Promise<string | undefined>;
  onFault(fault: unknown): void;
};

type View = Frame & Pick<CitizenPagesParts, 'nameOf' | 'corrections'> & { readonly signInUrl: string };
type Visit = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly view: View };
type Outcome = WholeAnswer | { readonly stream: Extract<Answer, { stream: unknown }> };
type Citizen = Extract<Visitor, object>;
type Show = (visit: Visit, citizen: Citizen) => Promise<Outcome | Refusal>;

const always = { 'x-robots-tag': 'noindex', vary: 'accept-language, cookie' };
/** How often a message is asked for that something else happens to at that moment. */
const tries = 4;
const lists = ['GET', 'HEAD'];

/**
 * The pages on which citizens read their messages, get their documents and see who used their data; and the way in and out. They
 * are for who is signed in, and each shows what the operation of the same name answers to the citizen's own token.
 */
export function citizenPages(parts: CitizenPagesParts): readonly Mount[] {
  const page = (path: string, methods: readonly string[], answer: (visit: Visit) => Promise<Outcome>): Mount => ({
    paths: [path],
    methods,
    handler: handle(parts, answer),
  });
  const own = (path: string, methods: readonly string[], show: Show) =>
    page(path, methods, (visit) => admitted(parts, visit, show));
  return [
    own(citizenPaths.home, lists, (visit, citizen) => showMessages(parts, visit, citizen)),
    // To open a message is to have it: HEAD shows none.
    own(`${citizenPaths.messages}/:id`, ['GET'], (visit, citizen) => showMessage(parts, visit, citizen)),
    own(citizenPaths.documents, lists, (visit, citizen) => showDocuments(parts, visit, citizen)),
    own(`${citizenPaths.documents}/:id`, ['GET'], (visit, citizen) => openDocument(parts, visit, citizen)),
    own(citizenPaths.uses, lists, (visit, citizen) => showUses(parts, visit, citizen)),
    own(citizenPaths.record, [...lists, 'POST'], ({ request, view }, { token }) => {
      const visit = { request, view, token, ask: parts.ask };
      return request.method === 'POST' ? takeLockForm(visit) : showRecord(visit);
    }),
    own(citizenPaths.contact, [...lists, 'POST'], ({ request, view }, { token }) => {
      const visit = { request, view, token, ask: parts.ask };
      return request.method === 'POST' ? takeContactForm(visit) : showContact(visit);
    }),
    page(citizenPaths.signIn, ['GET'], async ({ request, view }) => stepped(view, await parts.door.begin(request))),
    page(citizenPaths.returned, ['GET'], async ({ request, view }) => stepped(view, await parts.door.finish(request))),
    page(citizenPaths.signOut, ['POST'], async ({ request, view }) => {
      request.resume();
      const cookies = await parts.door.end(request);
      return await withCookies(signedOutPage(view, await parts.leaveUrl()), cookies);
    }),
  ];
}

function handle(parts: CitizenPagesParts, answer: (visit: Visit) => Promise<Outcome>): RequestListener {
  const { onFault, nameOf, site, corrections, publicUrl } = parts;
  const signInUrl = `${publicUrl}${citizenPaths.signIn}`;
  return (request, response) => {
    const words = wishedWords(request.headers['accept-language']);
    const view: View = { words, site, nameOf, corrections, signInUrl };
    answer({ request, response, view })
      .catch(async (fault: unknown) => {
        onFault(fault);
        return await notNowPage(view, request.headers['accept-language']);
      })
      .then((given) => send(request, response, given))
      .catch(() => response.destroy());
  };
}

async function send(request: IncomingMessage, response: ServerResponse, given: Outcome): Promise<void> {
  if ('body' in given) {
    endWith(response, { ...given, headers: { ...given.headers, ...always } });
    return;
  }
  const { status, headers, stream } = given.stream;
  // Whose receipts and records these are, programs ask of the interface.
  const { link: _link, ...shown } = headers;
  response.writeHead(status, { ...shown, ...always });
  if (stream === null || request.method === 'HEAD') {
    response.end();
    return;
  }
  const length = headers['content-length'];
  await pour(stream, response, length === undefined ? undefined : Number(length));
}

/** Shows a page to who is signed in; to everybody else the way in, and back to this page. */
async function admitted({ door, onFault }: CitizenPagesParts, visit: Visit, show: Show): Promise<Outcome> {
  const { request, view } = visit;
  const startedAt = performance.now();
  const to = pathOf(request.url);
  const visitor = isFromElsewhere(request) ? 'nobody' : await door.visitorOf(request);
  if (visitor === 'too-many')
    return await notNowPage(view, request.headers['accept-language'], { 'retry-after': '10' });
  if (visitor === 'over' && isFollowed(request)) {
    // Where the issuer does not answer, the citizen finds the way to it.
    const step = await door.renew(request, to).catch(onFault);
    if (step !== undefined) return await stepped(view, step);
  }
  if (typeof visitor === 'string') return await signInPage(view, { to, ended: visitor !== 'nobody' });
  const shown = await show(visit, visitor);
  if (!('slug' in shown)) return shown;
  const { status } = problems[shown.slug];
  if (status === 401) return await withCookies(signInPage(view, { to, ended: true }), await door.end(request));
  if (status === 404) await atWholeQuantum(startedAt);
  if (status === 404 || status === 400) return await notFoundPage(view);
  if (status !== 503 && shown.slug.startsWith('document-')) return await unavailablePage(view, shown.slug);
  return await notNowPage(view, request.headers['accept-language'], shown.headers);
}

/** Whether a person follows a link: no form is sent, and no page loaded ahead or for another one. */
function isFollowed({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && [undefined, 'navigate'].includes(headers['sec-fetch-mode']) && !isLoadedAhead(headers);
}

/** A browser that loads pages ahead has nobody who reads them. */
function isLoadedAhead(headers: IncomingHttpHeaders): boolean {
  return /prefetch|prerender/i.test(String(headers['sec-purpose'] ?? headers['purpose'] ?? ''));
}

/**
 * A form of another page, also of another host of the same domain, for which browsers bring the cookie along: it counts as one
 * without. Browsers too old to say so (Fetch Metadata) do not bring it from another site.
 */
function isFromElsewhere({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && !['same-origin', 'none', undefined].includes(headers['sec-fetch-site']?.toString());
}

async function showMessages({ ask }: CitizenPagesParts, { request, view }: Visit, { token }: Citizen) {
  const before = parameter(request, 'before');
  const answer = await ask.inbox(token, { query: before === undefined ? {} : { before } });
  return 'json' in answer ? await messagesPage(view, answer.json as Inbox, before === undefined) : refusalOf(answer);
}

async function showMessage({ ask }: CitizenPagesParts, { request, view }: Visit, { token }: Citizen) {
  if (isLoadedAhead(request.headers)) return { status: 503, headers: {}, body: '' };
  const params = { id: lastOf(request) };
  let answer = await ask.message(token, { params });
  for (let left = tries; left > 0 && 'slug' in answer && answer.slug === 'changed-meanwhile'; left -= 1) {
    answer = await ask.message(token, { params });
  }
  return 'json' in answer ? await messagePage(view, answer.json as Message) : refusalOf(answer);
}

async function showDocuments({ ask }: CitizenPagesParts, { request, view }: Visit, { token, citizenId }: Citizen) {
  const after = parameter(request, 'after');
  const query = { citizenId, ...(after === undefined ? {} : { after }) };
  const answer = await ask.documents(token, { query });
  return 'json' in answer
    ? await documentsPage(view, answer.json as DocumentList, after === undefined)
    : refusalOf(answer);
}

async function openDocument({ ask }: CitizenPagesParts, { request, response }: Visit, { token }: Citizen) {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  const asked = { accept: '*/*', range, 'if-range': ifRange, 'if-none-match': ifNoneMatch };
  const answer = await ask.document(token, {
    params: { id: lastOf(request) },
    headers: Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)),
    signal: gone.signal,
    whenOver: (call) => onceOver(response, call),
  });
  return 'stream' in answer ? { stream: answer } : refusalOf(answer);
}

async function showUses({ ask }: CitizenPagesParts, { request, view }: Visit, { token }: Citizen) {
  // The newest come first: those before a number that no entry has.
  const before = parameter(request, 'before') ?? String(largestNumber);
  const answer = await ask.uses(token, { query: { before, limit: String(usesAPage) } });
  return 'json' in answer ? await usesPage(view, answer.json as Uses) : refusalOf(answer);
}

/** What an operation answered that is no page. */
function refusalOf(answer: Answer | Refusal): Refusal {
  if ('slug' in answer) return answer;
  throw new TypeError('the operation answers in another form');
}

function parameter(request: IncomingMessage, name: string): string | undefined {
  return new URLSearchParams(queryOf(request.url)).get(name) ?? undefined;
}

/** The last part of the path: an id, or no id of anything. */
function lastOf(request: IncomingMessage): string {
  return pathOf(request.url).split('/').at(-1) ?? '';
}

async function stepped(view: View, step: Step): Promise<WholeAnswer> {
  if ('failed' in step && step.failed === 'over')
    return await withCookies(signInPage(view, { to: step.to, ended: true }), step.cookies);
  if ('failed' in step) return await withCookies(stepPage(view, step.failed), step.cookies);
  return { status: 303, headers: { location: step.to, 'set-cookie': [...step.cookies] }, body: '' };
}

async function withCookies(page: Promise<WholeAnswer>, cookies: readonly string[]): Promise<WholeAnswer> {
  const { headers, ...rest } = await page;
  return { ...rest, headers: cookies.length === 0 ? headers : { ...headers, 'set-cookie': [...cookies] } };
}
