import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { MountedHandler } from '../../api/page-route.ts';
import { type StaffScope, staffScopes } from '../../auth/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestPath } from '../../kernel/request-target.ts';
import type { Locale } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { readServiceClient } from '../../staff/read-service-client.ts';
import { readStaffMember, type StaffMemberAnswer } from '../../staff/read-staff-member.ts';
import { type Cookies, withCookies } from '../browser-cookies.ts';
import { type PageLayout, renderLayout } from '../citizen-layout.ts';
import { type CallOperation, readJson } from '../citizen-operations.ts';
import { citizenTextsOf } from '../citizen-texts.ts';
import { html } from '../html.ts';
import type { KeptForms } from '../kept-form.ts';
import { chooseLocale, switchLanguage } from '../page-language.ts';
import { formHeaders, isCrossOrigin, isNavigation } from '../request-origin.ts';
import { type PageOutcome, sendPage } from '../send-page.ts';
import type { ActiveVisitor, SignInFlow, SignInResult } from '../sign-in-flow.ts';
import type { SiteFrame } from '../site-frame.ts';
import { attentionSection, decisionsSection } from './attention-section.ts';
import { auditPages } from './audit-pages.ts';
import { batchPages } from './batch-pages.ts';
import { clientsPages } from './clients-pages.ts';
import { type LateForm, lateFormNote, readLateForm } from './late-form.ts';
import { lookUpPages } from './look-up-pages.ts';
import { proposalsPages } from './proposals-pages.ts';
import { queuesPages } from './queues-pages.ts';
import { readPages } from './read-pages.ts';
import { sendPages } from './send-pages.ts';
import { servicePages } from './service-pages.ts';
import { staffPaths } from './staff-area.ts';
import { refusedStaffPage, renderStaffPage, type StaffPage, type StaffVisit } from './staff-page.ts';
import { templatePages } from './template-pages.ts';

/** Dependencies of the staff pages. */
type StaffPagesDeps = {
  readonly signInFlow: SignInFlow;
  readonly keptForms: KeptForms;
  readonly clock: Clock;
  readonly hiddenDays: StaffVisit['hiddenDays'];
  readonly createKey: StaffVisit['createKey'];
  readonly call: CallOperation;
  readonly frame: SiteFrame;
  readonly cookies: Cookies;
  readonly publicUrl: string;
  /** The name of the organisation that owns a client. */
  readonly nameOf: (clientId: string) => string;
  /** The sign-out page of the issuer; undefined if it has none, or cannot be reached. */
  readonly signOutUrl: () => Promise<string | undefined>;
  onFault(fault: unknown): void;
};

type StaffView = { readonly layout: PageLayout; readonly words: Locale['staffPages'] };

type PageRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly view: StaffView;
};

const readMethods = ['GET', 'HEAD'] as const;

/** The pages of signed-in staff. */
const staffPages: readonly StaffPage[] = [
  { path: staffPaths.home, methods: readMethods, show: showHome },
  ...lookUpPages,
  ...sendPages,
  ...readPages,
  ...templatePages,
  ...proposalsPages,
  ...clientsPages,
  ...queuesPages,
  ...auditPages,
  ...batchPages,
  ...servicePages,
];

/** The pages of staff. Each page shows the response of an operation to the person's own token. */
export function mountStaffPages(deps: StaffPagesDeps): readonly MountedHandler[] {
  const { signInFlow } = deps;
  const page = (
    path: string,
    methods: readonly string[],
    answer: (visit: PageRequest) => Promise<PageOutcome>,
  ): MountedHandler => ({ paths: [path], methods, handler: handle(deps, answer) });
  return [
    ...staffPages.map(({ path, methods, show }) =>
      page(path, methods, async (visit) => await showToStaff(deps, visit, show)),
    ),
    page(staffPaths.signIn, ['GET'], async ({ request, view }) =>
      signInResponse(deps, view, await signInFlow.begin(request)),
    ),
    page(staffPaths.returned, ['GET'], async ({ request, view }) =>
      signInResponse(deps, view, await signInFlow.finish(request)),
    ),
    page(staffPaths.signOut, ['POST'], async ({ request, view }) => {
      request.resume();
      if (isCrossOrigin(request, deps.publicUrl)) return { ...signInPage(deps, view), status: 403 };
      const cookies = [...(await signInFlow.end(request)), ...deps.keptForms.clear(request)];
      return withCookies(signedOutPage(deps, view, await deps.signOutUrl()), cookies);
    }),
  ];
}

function handle(deps: StaffPagesDeps, answer: (visit: PageRequest) => Promise<PageOutcome>): RequestListener {
  return (request, response) => {
    const view = viewOf(deps, request);
    const switched = switchLanguage(deps.cookies, request);
    (switched === undefined ? answer({ request, response, view }) : Promise.resolve(switched))
      .catch(async (fault: unknown) => {
        deps.onFault(fault);
        return unavailablePage(view);
      })
      .then((given) => sendPage(request, response, given, formHeaders))
      .catch(() => response.destroy());
  };
}

function viewOf({ frame, cookies }: StaffPagesDeps, request: IncomingMessage): StaffView {
  const locale = chooseLocale(cookies, request);
  const words = citizenTextsOf(locale, frame.timeZone);
  const isStep = [staffPaths.signIn, staffPaths.returned, staffPaths.signOut].some(
    (path) => path === requestPath(request.url),
  );
  return {
    layout: {
      words,
      site: locale.staffPages.site,
      frame,
      area: { home: staffPaths.home, navigation: '' },
      url: isStep ? staffPaths.home : request.url,
    },
    words: locale.staffPages,
  };
}

/** Shows a page to a signed-in person. Everybody else sees the sign-in page. */
async function showToStaff(deps: StaffPagesDeps, visit: PageRequest, show: StaffPage['show']): Promise<PageOutcome> {
  const { request, view } = visit;
  const visitor = isCrossOrigin(request, deps.publicUrl) ? 'nobody' : await deps.signInFlow.visitorOf(request);
  if (visitor === 'too-many') return unavailablePage(view);
  if (typeof visitor === 'string') return signInPage(deps, view, { ended: visitor === 'ended' });
  const isPost = request.method === 'POST';
  const lost = 'expired' in visitor && isPost ? await readLateForm(request) : undefined;
  const kept =
    'expired' in visitor && lost !== undefined
      ? deps.keptForms.keep({ personId: visitor.personId, path: requestPath(request.url), fields: lost.fields })
      : [];
  // The sign-in page shows a form that cannot be kept, so that the person can copy it.
  const isKept = lost === undefined || kept.length > 0;
  const isRenewable = 'expired' in visitor ? visitor.expired === 'token' : visitor.renewal === 'due';
  if (isRenewable && isKept && (isNavigation(request) || ('expired' in visitor && isPost))) {
    const wanted = isPost ? requestPath(request.url) : (request.url ?? staffPaths.home);
    // If the issuer does not respond, a session goes on until its token expires.
    const step = await deps.signInFlow.renew(request, wanted).catch(deps.onFault);
    if (step !== undefined) return withCookies(signInResponse(deps, view, step), kept);
  }
  if ('expired' in visitor) {
    const to = requestPath(request.url);
    return withCookies(signInPage(deps, view, { ended: true, to, form: lost && { ...lost, isKept } }), kept);
  }
  return await showToMember(deps, visit, { visitor, show });
}

async function showToMember(
  { call, clock, nameOf, hiddenDays, keptForms, createKey }: StaffPagesDeps,
  { request, response, view }: PageRequest,
  { visitor: { token, endsAt, personId }, show }: { readonly visitor: ActiveVisitor; readonly show: StaffPage['show'] },
): Promise<PageOutcome> {
  const answer = await readJson<StaffMemberAnswer>({ call, token }, readStaffMember);
  if (!('json' in answer)) return unavailablePage(view);
  const member = answer.json;
  const now = clock.now();
  const minutesLeft = (endsAt - now) / 60_000;
  const layout = { ...view.layout, person: { name: member.name }, minutesLeft };
  const keptForm = keptForms.find(request, { personId, path: requestPath(request.url) });
  const visit: StaffVisit = {
    request,
    response,
    layout,
    texts: view.words,
    member,
    token,
    call,
    now,
    nameOf,
    hiddenDays,
    createKey,
    keptForm,
  };
  const shown = await show(visit);
  const outcome = 'slug' in shown ? refusedStaffPage(visit, shown) : shown;
  // The form was sent again, or another person has signed in.
  const isDone = keptForm === undefined ? !keptForms.isOf(request, personId) : request.method === 'POST';
  return isDone && 'body' in outcome ? withCookies(outcome, keptForms.clear(request)) : outcome;
}

/** The first page of each right. */
const pathOfRight: Readonly<Record<StaffScope, string>> = {
  'staff:support': staffPaths.person,
  'staff:send': staffPaths.send,
  'staff:approve': staffPaths.proposals,
  'staff:operate': staffPaths.clients,
  'staff:audit': staffPaths.audit,
};

async function showHome(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const { layout, texts, member, nameOf } = visit;
  const { service, scopes } = member;
  const { language } = layout.words;
  const attention = scopes.includes('staff:operate') ? await attentionSection(visit) : '';
  if (typeof attention === 'object' && 'slug' in attention) return attention;
  const decisions = attention === '' && scopes.includes('staff:approve') ? await decisionsSection(visit) : '';
  if (typeof decisions === 'object' && 'slug' in decisions) return decisions;
  const rights = staffScopes.filter((one) => scopes.includes(one));
  const ownService =
    service === null ? texts.allServices : formatMessage(language, texts.service, { service: nameOf(service) });
  const worksFor = (await isServiceUnknown(visit)) ? texts.noService : ownService;
  const content =
    rights.length === 0
      ? html`<p>${texts.noRights}</p>`
      : html`<p>${worksFor}</p>
    ${attention}${decisions}
    <h2>${texts.rightsTitle}</h2><ul>${rights.map((one) => html`<li><a href="${pathOfRight[one]}">${texts.rights[one]}</a></li>`)}</ul>`;
  return renderStaffPage({ layout, texts, member }, { title: texts.site, content, section: 'home' });
}

/** Whether the client of the person's service is unknown or disabled. Without `staff:support` and `staff:send` it makes no difference. */
async function isServiceUnknown(visit: StaffVisit): Promise<boolean> {
  const answer = await readJson(visit, readServiceClient);
  return 'slug' in answer && answer.slug === 'service-needed';
}

type SignInOptions = {
  readonly ended?: boolean;
  /** The page that is shown after the sign-in. */
  readonly to?: string;
  /** The form that arrived after the session had ended. */
  readonly form?: (LateForm & { readonly isKept: boolean }) | undefined;
};

function signInPage(
  { publicUrl }: StaffPagesDeps,
  { layout, words }: StaffView,
  { ended = false, to, form }: SignInOptions = {},
): BufferedResponse {
  const { signIn } = layout.words;
  const note = html`<p class="note">${signIn.ended}</p>${form === undefined ? '' : lateFormNote({ words: layout.words, texts: words }, form, form.isKept)}`;
  const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
  const content = html`${ended ? note : ''}<p>${words.signInText}</p>
    <p><a class="action" href="${publicUrl}${staffPaths.signIn}${query}">${signIn.link}</a></p>`;
  return renderLayout(layout, { title: words.signInTitle, content });
}

function signInResponse(deps: StaffPagesDeps, view: StaffView, step: SignInResult): BufferedResponse {
  if ('to' in step && !('failed' in step))
    return { status: 303, headers: { location: step.to, 'set-cookie': [...step.cookies] }, body: '' };
  if (step.failed === 'over') return withCookies(signInPage(deps, view, { ended: true }), step.cookies);
  const { title, text, link } = view.layout.words.notSignedIn;
  const content = html`<p>${text}</p><p><a class="action" href="${deps.publicUrl}${staffPaths.signIn}">${link}</a></p>`;
  return withCookies(renderLayout(view.layout, { title, content, status: 403 }), step.cookies);
}

/** Shown after the sign-out. The issuer has a session of its own, which another link ends. */
function signedOutPage({ publicUrl }: StaffPagesDeps, { layout, words }: StaffView, issuerUrl: string | undefined) {
  const { title, leave, again } = layout.words.signedOut;
  const content = html`<p>${words.signedOut}</p>
    ${issuerUrl === undefined ? '' : html`<p><a href="${issuerUrl}">${leave}</a></p>`}
    <p><a href="${publicUrl}${staffPaths.signIn}">${again}</a></p>`;
  const page = renderLayout(layout, { title, content });
  // The next person at this browser must not see pages from its cache.
  return { ...page, headers: { ...page.headers, 'clear-site-data': '"cache"' } };
}

function unavailablePage({ layout }: Pick<StaffView, 'layout'>): BufferedResponse {
  const { title, text } = layout.words.unavailable;
  return renderLayout(layout, { title, content: html`<p>${text}</p>`, status: 503 });
}
