import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestQuery } from '../../kernel/request-target.ts';
import { approveProposal, refuseProposal } from '../../staff/decide-proposal.ts';
import { listProposals } from '../../staff/list-proposals.ts';
import { needsOtherApprover } from '../../staff/proposable/proposable-operations.ts';
import { readProposal } from '../../staff/read-proposal.ts';
import { minuteElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { successBanner } from '../form-parts.ts';
import { type Html, html } from '../html.ts';
import { batchProposal } from './batch-proposal.ts';
import { erasurePath, handleErasureProposal } from './erasure-proposal.ts';
import { changeEntries, concealmentNote, operationText } from './proposal-words.ts';
import type { ProposalPage, ShownProposal } from './read-proposals.ts';
import { handleReasonedAction, pathPart, redirectTo } from './reasoned-action.ts';
import { staffPaths } from './staff-area.ts';
import { renderStaffPage, type StaffPage, type StaffVisit, withScope } from './staff-page.ts';

/** The pages with the proposals that a person may see, and on which another person decides them. */
export const proposalsPages: readonly StaffPage[] = [
  { path: staffPaths.proposals, methods: ['GET', 'HEAD'], show: showProposals },
  {
    path: erasurePath,
    methods: ['GET', 'HEAD', 'POST'],
    show: withScope('staff:operate', handleErasureProposal),
  },
  { path: `${staffPaths.proposals}/:id`, methods: ['GET', 'HEAD'], show: showProposal },
  {
    path: `${staffPaths.proposals}/:id/approve`,
    methods: ['GET', 'HEAD', 'POST'],
    show: (visit) => handleDecision(visit, 'approve'),
  },
  {
    path: `${staffPaths.proposals}/:id/refuse`,
    methods: ['GET', 'HEAD', 'POST'],
    show: (visit) => handleDecision(visit, 'refuse'),
  },
];

/** The lists of the page. Each begins with its newest proposals; the query has the cursor of an older page of one list. */
const lists = [
  { name: 'waiting', status: 'proposed' },
  { name: 'ended', status: 'ended' },
] as const;

async function showProposals(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const { proposals, sections } = visit.texts;
  const cursors = new URLSearchParams(requestQuery(visit.request.url));
  const continued = lists.find(({ name }) => cursors.has(name));
  const parts: Html[] = [];
  for (const { name, status } of continued === undefined ? lists : [continued]) {
    const cursor = cursors.get(name);
    const query = { status, ...(cursor === null ? {} : { cursor }) };
    const answer = await readJson<ProposalPage>(visit, listProposals, { query });
    if (!('json' in answer)) return answer;
    parts.push(html`<h2>${proposals[name]}</h2>${proposalList(visit, answer.json.items)}
      ${pageLinks(visit, { name, cursor, next: answer.json.next })}`);
  }
  const erasure = visit.member.scopes.includes('staff:operate')
    ? html`<p><a href="${erasurePath}">${proposals.erasure.title}</a></p>`
    : '';
  const content = html`<p>${proposals.intro}</p>${erasure}
    ${parts}`;
  return renderStaffPage(visit, { title: sections.proposals, content, section: 'proposals' });
}

function pageLinks(
  { layout }: StaffVisit,
  { name, cursor, next }: { readonly name: string; readonly cursor: string | null; readonly next: string | null },
): Html {
  const { older, newer } = layout.words.uses;
  const { proposals } = staffPaths;
  return html`${cursor === null ? '' : html`<p><a href="${proposals}">${newer}</a></p>`}
    ${next === null ? '' : html`<p><a href="${proposals}?${name}=${next}">${older}</a></p>`}`;
}

function proposalList(visit: StaffVisit, items: readonly ShownProposal[]): Html {
  const { proposals } = visit.texts;
  if (items.length === 0) return html`<p>${proposals.none}</p>`;
  return html`<ul class="list">${items.map(
    ({ id, operation, proposedBy, proposedAt, status, reason }) =>
      html`<li><p><a href="${staffPaths.proposals}/${id}">${operationText(visit, operation)}</a></p>
        <p><bdi>${proposedBy.name}</bdi>, ${minuteElement(visit.layout.words, proposedAt)}</p>
        <p><bdi>${reason}</bdi></p><p>${proposals.statuses[status]}</p></li>`,
  )}</ul>`;
}

async function showProposal(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const answer = await readJson<ShownProposal>(visit, readProposal, { params: { id: pathPart(visit, 1) } });
  if (!('json' in answer)) return answer;
  const { texts } = visit;
  const { proposals } = texts;
  const { operation } = answer.json;
  const done = new URLSearchParams(requestQuery(visit.request.url)).get('done');
  const banner = doneText(visit, answer.json, done);
  const content = html`${banner === undefined ? '' : successBanner(banner)}${proposalSummary(visit, answer.json)}
    <h2>${proposals.change}</h2>${proposedChange(visit, answer.json)}
    ${decisionLinks(visit, answer.json)}
    <p><a href="${staffPaths.proposals}">${texts.sections.proposals}</a></p>`;
  return renderStaffPage(visit, { title: operationText(visit, operation), content, section: 'proposals' });
}

/** The change that people decide about. */
function proposedChange(visit: StaffVisit, proposal: ShownProposal): Html {
  if (proposal.operation === 'startBatch') return batchProposal(visit, proposal);
  const states = { before: proposal.before, after: proposal.input };
  return html`<dl class="summary">${changeEntries(visit, states)}</dl>${concealmentNote(visit, states)}`;
}

/** With STAFF_FOUR_EYES=off a proposal takes effect at once. */
function doneText({ texts }: StaffVisit, { status }: ShownProposal, done: string | null): string | undefined {
  const { proposed, approved, refused } = texts.proposals;
  if (done === null || status === 'expired') return undefined;
  return { proposed, approved, refused }[status];
}

function proposalSummary({ texts, layout, nameOf }: StaffVisit, proposal: ShownProposal): Html {
  const { proposals } = texts;
  const { words } = layout;
  const { decision, proposedBy, service } = proposal;
  const person = ({ name, subject }: { readonly name: string; readonly subject: string }) =>
    html`<bdi>${name}</bdi> (<bdi>${subject}</bdi>)`;
  const rows: readonly (readonly [string, Html])[] = [
    [proposals.reason, html`<bdi>${proposal.reason}</bdi>`],
    [texts.clients.state, html`${proposals.statuses[proposal.status]}`],
    [proposals.proposedBy, person(proposedBy)],
    ...(service === null ? [] : ([[proposals.service, html`<bdi>${nameOf(service)}</bdi>`]] as const)),
    [proposals.proposedAt, minuteElement(words, proposal.proposedAt)],
    ...(decision === undefined
      ? ([[proposals.expiresAt, minuteElement(words, proposal.expiresAt)]] as const)
      : ([
          [proposals.decidedBy, person(decision)],
          [proposals.decidedAt, minuteElement(words, decision.at)],
        ] as const)),
    ...(decision?.reason === undefined
      ? []
      : ([[proposals.decisionReason, html`<bdi>${decision.reason}</bdi>`]] as const)),
  ];
  return html`<dl class="summary">${rows.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`;
}

/** The operation refuses a decision that the person may not make; the page says so before. */
export function decisionLinks(
  { texts, member }: Pick<StaffVisit, 'texts' | 'member'>,
  { id, operation, status, proposedBy }: Pick<ShownProposal, 'id' | 'operation' | 'status' | 'proposedBy'>,
): Html | '' {
  const { proposals } = texts;
  if (status !== 'proposed') return '';
  if (proposedBy.subject === member.subject) return html`<p class="note">${proposals.own}</p>`;
  if (!member.scopes.includes('staff:approve')) return html`<p class="note">${proposals.notYours}</p>`;
  const path = `${staffPaths.proposals}/${id}`;
  const refusal = html`<a href="${path}/refuse">${proposals.refuse}</a>`;
  if (needsOtherApprover(operation, member))
    return html`<p class="note">${texts.action.allServices}</p><p class="actions">${refusal}</p>`;
  return html`<p class="actions"><a class="action" href="${path}/approve">${proposals.approve}</a>
      ${refusal}</p>`;
}

async function handleDecision(visit: StaffVisit, decision: 'approve' | 'refuse'): Promise<BufferedResponse | Refusal> {
  const { proposals } = visit.texts;
  const id = pathPart(visit, 1);
  const answer = await readJson<ShownProposal>(visit, readProposal, { params: { id } });
  if (!('json' in answer)) return answer;
  const { proposedBy, operation, status } = answer.json;
  const path = `${staffPaths.proposals}/${id}`;
  const isOwn = proposedBy.subject === visit.member.subject;
  if (visit.request.method !== 'POST' && (isOwn || status !== 'proposed')) return redirectTo(path);
  const [title, text] =
    decision === 'approve'
      ? [proposals.approveTitle, proposals.approveText]
      : [proposals.refuseTitle, proposals.refuseText];
  return await handleReasonedAction(visit, {
    section: 'proposals',
    title: `${operationText(visit, operation)}: ${title}`,
    subject: html`${proposalSummary(visit, answer.json)}
      <h2>${proposals.change}</h2>${proposedChange(visit, answer.json)}`,
    text,
    button: proposals[decision],
    isSerious: decision === 'approve',
    needsReason: false,
    backTo: path,
    operation: decision === 'approve' ? approveProposal : refuseProposal,
    params: { id },
    doneAt: `${path}?done=${decision}`,
    alreadyDoneAs: 'proposal-ended',
  });
}
