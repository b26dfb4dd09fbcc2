import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BufferedResponse } from '../../api/buffered-response.ts';
import { type StaffScope, staffScopes } from '../../auth/caller.ts';
import { problems } from '../../kernel/problem-catalogue.ts';
import { type Refusal, refuse } from '../../kernel/refusal.ts';
import type { Locale } from '../../locales/locale.ts';
import type { StaffMemberAnswer } from '../../staff/read-staff-member.ts';
import { type LayoutPage, type PageLayout, renderLayout } from '../citizen-layout.ts';
import type { CallOperation } from '../citizen-operations.ts';
import { type Html, html } from '../html.ts';
import { currentAttribute } from '../page.ts';
import type { PageOutcome } from '../send-page.ts';
import { staffPaths } from './staff-area.ts';

/** A request of a signed-in person for a staff page. */
export type StaffVisit = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly layout: PageLayout;
  readonly texts: Locale['staffPages'];
  readonly member: StaffMemberAnswer;
  readonly token: string;
  /** Calls an operation with the person's own token (citizen-operations.ts, `readJson`). */
  readonly call: CallOperation;
  /** The time of the request, in epoch milliseconds. */
  readonly now: number;
  /** The name of the organisation that owns a client. */
  readonly nameOf: (clientId: string) => string;
  /** The longest time that a client may conceal an access from the citizen, in days. */
  readonly hiddenDays: number;
  /** A new random key, so that a form has its effect only once. */
  readonly createKey: () => string;
  /** The form that this person sent to this page after the session had ended. */
  readonly keptForm?: URLSearchParams | undefined;
};

/** A page at a path. The operations that it calls check the rights of the person. */
export type StaffPage = {
  readonly path: string;
  readonly methods: readonly ('GET' | 'HEAD' | 'POST')[];
  readonly show: (visit: StaffVisit) => Promise<PageOutcome | Refusal>;
};

/** The sections of the navigation: each is shown to a person with one of its scopes. */
const sections = [
  { name: 'home', path: staffPaths.home, scopes: [] },
  { name: 'person', path: staffPaths.person, scopes: ['staff:support'] },
  { name: 'send', path: staffPaths.send, scopes: ['staff:send'] },
  { name: 'read', path: staffPaths.read, scopes: ['staff:send'] },
  { name: 'batches', path: staffPaths.batches, scopes: ['staff:send'] },
  { name: 'templates', path: staffPaths.templates, scopes: ['staff:send'] },
  { name: 'clients', path: staffPaths.clients, scopes: ['staff:operate'] },
  { name: 'service', path: staffPaths.service, scopes: ['staff:send', 'staff:support'] },
  { name: 'queues', path: staffPaths.queues, scopes: ['staff:operate'] },
  { name: 'proposals', path: staffPaths.proposals, scopes: staffScopes },
  { name: 'audit', path: staffPaths.audit, scopes: ['staff:audit'] },
] as const satisfies readonly {
  readonly name: string;
  readonly path: string;
  readonly scopes: readonly StaffScope[];
}[];
export type StaffSection = (typeof sections)[number]['name'];

/** Shows a page only to people with this right, for forms that call no operation before they are sent. */
export function withScope(scope: StaffScope, show: StaffPage['show']): StaffPage['show'] {
  return async (visit) => (visit.member.scopes.includes(scope) ? await show(visit) : refuse('missing-scope'));
}

/** A staff page with the navigation. */
export function renderStaffPage(
  { layout, texts, member }: Pick<StaffVisit, 'layout' | 'texts' | 'member'>,
  { section, ...page }: Omit<LayoutPage, 'current' | 'unreadCount'> & { readonly section?: StaffSection },
): BufferedResponse {
  const navigation = sectionLinks(layout, { texts, member, section });
  return renderLayout({ ...layout, area: { home: staffPaths.home, navigation } }, page);
}

function sectionLinks(
  { words }: PageLayout,
  { texts, member, section }: Pick<StaffVisit, 'texts' | 'member'> & { readonly section: StaffSection | undefined },
): Html {
  const shown = sections.filter(
    ({ scopes }: { scopes: readonly string[] }) =>
      scopes.length === 0 || scopes.some((scope) => member.scopes.includes(scope)),
  );
  return html`<nav aria-label="${words.nav.label}"><details><summary>${words.frame.menu}</summary><ul>
      ${shown.map(({ name, path }) => html`<li><a href="${path}"${currentAttribute(name === section)}>${texts.sections[name]}</a></li>`)}
      <li><form method="post" action="${staffPaths.signOut}"><button type="submit">${words.nav.signOut}</button></form></li>
    </ul></details></nav>`;
}

/** The page for a refusal that the page itself does not explain. */
export function refusedStaffPage(visit: Pick<StaffVisit, 'layout' | 'texts' | 'member'>, refusal: Refusal) {
  const { status } = problems[refusal.slug];
  const { unavailable } = visit.layout.words;
  const { noService, refused } = visit.texts;
  const { title, text } = { ...refused, unavailable }[kindOf(status)];
  const shown = refusal.slug === 'service-needed' ? noService : text;
  return renderStaffPage(visit, { title, content: html`<p>${shown}</p>`, status });
}

function kindOf(status: number): 'forbidden' | 'missing' | 'tooMany' | 'changed' | 'unavailable' {
  if (status === 403) return 'forbidden';
  if (status === 404 || status === 400) return 'missing';
  if (status === 429) return 'tooMany';
  return status < 500 ? 'changed' : 'unavailable';
}
