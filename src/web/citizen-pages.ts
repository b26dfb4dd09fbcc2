import type { IncomingMessage, RequestListener } from 'node:http';
import type { BufferedResponse } from '../api/buffered-response.ts';
import { notFoundPadding } from '../api/pad-response-time.ts';
import type { MountedHandler } from '../api/page-route.ts';
import { onResponseClosed } from '../api/routes.ts';
import { listDocumentRecords } from '../documents/list-documents.ts';
import { retrieveDocument } from '../documents/retrieve-document.ts';
import type { Clock } from '../kernel/clock.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { requestPath, requestQuery } from '../kernel/request-target.ts';
import { handleUses, handleUsesProofs, handleUsesTable, type PendingNoticeOf } from './access-log-handlers.ts';
import { type Cookies, withCookies } from './browser-cookies.ts';
import type { CitizenLayout } from './citizen-layout.ts';
import { type CallOperation, type CitizenRequest, readJson } from './citizen-operations.ts';
import { citizenTextsOf } from './citizen-texts.ts';
import { contactPages } from './contact-handlers.ts';
import { type DocumentList, documentsPage, documentUnavailablePage } from './documents-page.ts';
import { parseForm } from './form-body.ts';
import type { FormOwners } from './form-owner.ts';
import type { KeptForms } from './kept-form.ts';
import { handleLock } from './lock-pages.ts';
import {
  downloadMessage,
  downloadMessages,
  handleMessage,
  handleMessages,
  type OwnFileOf,
} from './messages-handlers.ts';
import { chooseLocale, switchLanguage } from './page-language.ts';
import type { PersonLookup } from './person-lookup.ts';
import { handleRecord } from './record-page.ts';
import { formHeaders, isCrossOrigin, isNavigation, isPrefetch } from './request-origin.ts';
import { type PageOutcome, sendPage } from './send-page.ts';
import {
  type ActiveVisitor,
  citizenPaths,
  type ExpiredVisitor,
  type SignInFlow,
  type SignInResult,
} from './sign-in-flow.ts';
import {
  notFoundPage,
  otherPersonPage,
  signedOutPage,
  signInFailedPage,
  signInPage,
  stayPage,
  unavailableNowPage,
} from './sign-in-pages.ts';
import type { SiteFrame } from './site-frame.ts';
import type { ZoneDefaults } from './time-zone-options.ts';
import { handleWalletLinks } from './wallet-link-page.ts';

/** Dependencies of the citizen pages. */
export type CitizenPagesDeps = {
  readonly signInFlow: SignInFlow;
  readonly keptForms: KeptForms;
  readonly formOwners: FormOwners;
  readonly clock: Clock;
  /** The country of the register and the time zone of the operator. */
  readonly zones: ZoneDefaults;
  readonly call: CallOperation;
  /** The name of the organisation that owns a client. */
  readonly nameOf: (clientId: string) => string;
  /** The choices of the operator for the frame of the pages. */
  readonly frame: SiteFrame;
  readonly cookies: Cookies;
  /** The name of a citizen, and the language that the citizen has stated for messages. */
  readonly personOf: PersonLookup;
  readonly ownFileOf: OwnFileOf;
  readonly pendingNoticeOf: PendingNoticeOf;
  /** The operator's page about corrections of the register. */
  readonly corrections: string | undefined;
  /** The public URL of this server, without a slash at the end. */
  readonly publicUrl: string;
  /** The sign-out page of the issuer; undefined if it has none, or cannot be reached. */
  readonly signOutUrl: () => Promise<string | undefined>;
  onFault(fault: unknown): void;
};

type PageRequest = Pick<CitizenRequest, 'request' | 'response' | 'view'>;
type ShowPage = (visit: CitizenRequest) => Promise<PageOutcome | Refusal>;

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
    citizenPage(
      `${citizenPaths.messages}/:id`,
      ['GET', 'POST'],
      unlessPrefetch((visit) => handleMessage(visit, deps.ownFileOf)),
    ),
    citizenPage(`${citizenPaths.messages}/:id/download`, ['GET'], unlessPrefetch(downloadMessage)),
    citizenPage(citizenPaths.download, ['GET'], unlessPrefetch(downloadMessages)),
    citizenPage(citizenPaths.documents, readMethods, showDocuments),
    citizenPage(`${citizenPaths.documents}/:id`, ['GET'], openDocument),
    citizenPage(citizenPaths.uses, readMethods, (visit) => handleUses(visit, deps.pendingNoticeOf)),
    citizenPage(citizenPaths.usesTable, ['GET'], handleUsesTable),
    citizenPage(citizenPaths.usesProofs, ['GET'], handleUsesProofs),
    citizenPage(citizenPaths.record, readMethods, handleRecord),
    citizenPage(citizenPaths.lock, [...readMethods, 'POST'], (visit) => handleLock(visit, true)),
    citizenPage(citizenPaths.unlock, [...readMethods, 'POST'], (visit) => handleLock(visit, false)),
    citizenPage(citizenPaths.walletLinks, [...readMethods, 'POST'], handleWalletLinks),
    ...contactPages(deps.zones).map(({ path, methods, show }) => citizenPage(path, methods, show)),
    citizenPage(citizenPaths.stay, ['GET'], async ({ view }) => stayPage(view)),
    page(citizenPaths.signIn, ['GET'], async ({ request, view }) =>
      signInResponse(view, await signInFlow.begin(request), false),
    ),
    page(citizenPaths.returned, ['GET'], async ({ request, view }) =>
      signInResponse(view, await signInFlow.finish(request), deps.keptForms.clear(request).length > 0),
    ),
    page(citizenPaths.signOut, ['POST'], async ({ request, view }) => {
      request.resume();
      if (isCrossOrigin(request, deps.publicUrl))
        return { ...signInPage(view, { to: citizenPaths.home, ended: false }), status: 403 };
      const cookies = [...(await signInFlow.end(request)), ...deps.keptForms.clear(request)];
      return withCookies(signedOutPage(view, await deps.signOutUrl()), cookies);
    }),
  ];
}

function handle(deps: CitizenPagesDeps, answer: (visit: PageRequest) => Promise<PageOutcome>): RequestListener {
  const { onFault, cookies } = deps;
  return (request, response) => {
    const view = visitorLayout(deps, request);
    const switched = switchLanguage(cookies, request);
    (switched === undefined ? answer({ request, response, view }) : Promise.resolve(switched))
      .catch(async (fault: unknown) => {
        onFault(fault);
        return unavailableNowPage(view);
      })
      .then((given) => sendPage(request, response, given, formHeaders))
      .catch(() => response.destroy());
  };
}

/** The layout for a visitor who is not, or not yet, signed in. */
function visitorLayout({ frame, cookies, nameOf, corrections, publicUrl }: CitizenPagesDeps, request: IncomingMessage) {
  const locale = chooseLocale(cookies, request);
  return {
    words: citizenTextsOf(locale, frame.timeZone),
    site: frame.name,
    frame,
    url: returnAddress(request),
    nameOf,
    corrections,
    signInUrl: `${publicUrl}${citizenPaths.signIn}`,
  };
}

/** The layout for a signed-in citizen, in the stated language unless the citizen has chosen another one on a page. */
async function citizenLayout(
  { frame, cookies, personOf, formOwners }: CitizenPagesDeps,
  { request, view }: PageRequest,
  citizenId: string,
): Promise<CitizenLayout> {
  const { name, statedLanguage, unreadCount } = await personOf(citizenId);
  const locale = chooseLocale(cookies, request, statedLanguage);
  const person = { name, unreadCount, formOwner: formOwners.valueFor(citizenId) };
  return { ...view, words: citizenTextsOf(locale, frame.timeZone), person };
}

/** The address at which the language switch shows the same page again. The sign-in and sign-out cannot be repeated. */
function returnAddress({ url }: IncomingMessage): string {
  const isStep = [citizenPaths.signIn, citizenPaths.returned, citizenPaths.signOut].some(
    (path) => path === requestPath(url),
  );
  return isStep ? citizenPaths.home : (url ?? citizenPaths.home);
}

/** Shows a page to a signed-in citizen. Everybody else sees the sign-in page, which leads back to this page. */
async function showToCitizen(deps: CitizenPagesDeps, visit: PageRequest, show: ShowPage): Promise<PageOutcome> {
  const { signInFlow, keptForms, formOwners, publicUrl } = deps;
  const { request } = visit;
  const path = requestPath(request.url);
  const padNotFound = notFoundPadding.start();
  const visitor = isCrossOrigin(request, publicUrl) ? 'nobody' : await signInFlow.visitorOf(request);
  if (visitor === 'too-many') return unavailableNowPage(visit.view, { 'retry-after': '10' });
  if (typeof visitor === 'string') return signInPage(visit.view, { to: path, ended: visitor !== 'nobody' });
  const { personId: citizenId } = visitor;
  const isOfOther = request.method === 'POST' && !formOwners.isOf(await parseForm(request), citizenId);
  if ('expired' in visitor) return isOfOther ? otherPersonPage(visit.view, path) : await keepForm(deps, visit, visitor);
  const renewed = await renewSession(deps, visit, visitor);
  if (renewed !== undefined) return renewed;
  const minutesLeft = (visitor.endsAt - deps.clock.now()) / 60_000;
  const view = { ...(await citizenLayout(deps, visit, citizenId)), minutesLeft };
  if (isOfOther) return otherPersonPage(view, path);
  const keptForm = keptForms.find(request, { personId: citizenId, path });
  const call: CallOperation = (operation, token, input) =>
    deps.call(operation, token, { ...input, session: visitor.signInId });
  const outcome = await show({ ...visit, citizenId, token: visitor.token, view, call, keptForm });
  if (!('slug' in outcome)) {
    // The form was sent again, its search ran, or another person has signed in.
    const isUsed = request.method === 'POST' || path === citizenPaths.home;
    const isDone = keptForm === undefined ? !keptForms.isOf(request, citizenId) : isUsed;
    return isDone && 'body' in outcome ? withCookies(outcome, keptForms.clear(request)) : outcome;
  }
  if (problems[outcome.slug].status === 404) await padNotFound();
  return await refusedPage(deps, { ...visit, view }, { outcome, citizenId });
}

/** The page for a refusal of an operation. The form is kept when it can succeed later. */
async function refusedPage(
  deps: CitizenPagesDeps,
  { request, view }: PageRequest,
  { outcome, citizenId }: { readonly outcome: Refusal; readonly citizenId: string },
): Promise<BufferedResponse> {
  const { status } = problems[outcome.slug];
  if (status === 401) {
    const kept = await keptFormCookies(deps, request, citizenId);
    const signedOut = { ...view, person: undefined, minutesLeft: undefined };
    const page = signInPage(signedOut, { to: requestPath(request.url), ended: true, isFormKept: kept.length > 0 });
    return withCookies(page, [...(await deps.signInFlow.end(request)), ...kept]);
  }
  if (status === 404 || status === 400) return notFoundPage(view);
  if (status !== 503 && outcome.slug.startsWith('document-')) return documentUnavailablePage(view, outcome.slug);
  return withCookies(unavailableNowPage(view, outcome.headers), await keptFormCookies(deps, request, citizenId));
}

/** Renews the session when half of the life of a token is over that only the issuer can replace, or when the citizen wants it. */
async function renewSession(
  { signInFlow, onFault }: CitizenPagesDeps,
  { request, view }: PageRequest,
  { renewal }: ActiveVisitor,
): Promise<BufferedResponse | undefined> {
  const path = requestPath(request.url);
  const isWanted = renewal === 'due' || (renewal === 'possible' && path === citizenPaths.stay);
  if (!isWanted || !isNavigation(request)) return undefined;
  // If the issuer does not respond, the session goes on until its token expires.
  const step = await signInFlow.renew(request, request.url ?? path).catch(onFault);
  return step === undefined ? undefined : signInResponse(view, step, false);
}

/** Keeps the form of an expired session, and asks the issuer to renew the session, or the citizen to sign in again. */
async function keepForm(
  deps: CitizenPagesDeps,
  { request, view }: PageRequest,
  { expired, personId: citizenId }: ExpiredVisitor,
): Promise<BufferedResponse> {
  const to = requestPath(request.url);
  const kept = await keptFormCookies(deps, request, citizenId);
  if (expired === 'token' && (isNavigation(request) || request.method === 'POST')) {
    // If the issuer does not respond, the citizen sees the sign-in page.
    const wanted = request.method === 'POST' ? to : (request.url ?? to);
    const step = await deps.signInFlow.renew(request, wanted).catch(deps.onFault);
    if (step !== undefined) return withCookies(signInResponse(view, step, kept.length > 0), kept);
  }
  return withCookies(signInPage(view, { to, ended: true, isFormKept: kept.length > 0 }), kept);
}

/** The cookies that keep the form of this request: only forms in which a citizen types or chooses something. */
async function keptFormCookies(
  { keptForms }: CitizenPagesDeps,
  request: IncomingMessage,
  citizenId: string,
): Promise<readonly string[]> {
  const path = requestPath(request.url);
  const isKept = path === citizenPaths.home || path.startsWith(`${citizenPaths.contact}/`);
  if (request.method !== 'POST' || !isKept) return [];
  const fields = await parseForm(request);
  return fields === undefined ? [] : keptForms.keep({ personId: citizenId, path, fields });
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

function signInResponse(view: CitizenLayout, step: SignInResult, isFormKept: boolean): BufferedResponse {
  if ('failed' in step) return withCookies(signInFailedPage(view, { ...step, isFormKept }), step.cookies);
  return { status: 303, headers: { location: step.to, 'set-cookie': [...step.cookies] }, body: '' };
}
