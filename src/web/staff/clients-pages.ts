import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestQuery } from '../../kernel/request-target.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { disableClient } from '../../staff/disable-client.ts';
import { listClients } from '../../staff/list-clients.ts';
import { readRegisteredClient } from '../../staff/read-registered-client.ts';
import { dayElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { successBanner } from '../form-parts.ts';
import { type Html, html } from '../html.ts';
import { textNamed } from '../usage-words.ts';
import { handleClientProposal } from './client-proposal.ts';
import { handleReasonedAction, pathPart } from './reasoned-action.ts';
import type { RegisteredClient } from './registered-client.ts';
import { staffPaths } from './staff-area.ts';
import { renderStaffPage, type StaffPage, type StaffVisit, withScope } from './staff-page.ts';

/** An item of the response of `listClients`. */
type ListedClient = {
  readonly clientId: string;
  readonly name: string;
  readonly kind: 'demo' | 'test' | 'team' | 'live';
  readonly disabledAt: string | null;
  readonly requests: number;
  readonly lastUsedOn: string | null;
};

const formMethods = ['GET', 'HEAD', 'POST'] as const;

/** The pages on which operators see the clients, disable one, and propose a new client or other rights. */
export const clientsPages: readonly StaffPage[] = [
  { path: staffPaths.clients, methods: ['GET', 'HEAD'], show: showClients },
  {
    path: `${staffPaths.clients}/propose`,
    methods: formMethods,
    show: withScope('staff:operate', (visit) => handleClientProposal(visit, undefined)),
  },
  { path: `${staffPaths.clients}/:id`, methods: ['GET', 'HEAD'], show: showClient },
  { path: `${staffPaths.clients}/:id/disable`, methods: formMethods, show: handleDisabling },
  { path: `${staffPaths.clients}/:id/propose`, methods: formMethods, show: handleRights },
];

async function showClients(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const answer = await readJson<{ readonly items: readonly ListedClient[] }>(visit, listClients);
  if (!('json' in answer)) return answer;
  const { clients, sections } = visit.texts;
  const { items } = answer.json;
  const content = html`<p><a class="action" href="${staffPaths.clients}/propose">${clients.create}</a></p>
    ${items.length === 0 ? html`<p>${clients.none}</p>` : html`<ul class="list">${items.map((item) => clientItem(visit, item))}</ul>`}`;
  return renderStaffPage(visit, { title: sections.clients, content, section: 'clients' });
}

function clientItem({ texts, layout }: StaffVisit, client: ListedClient): Html {
  const { clients } = texts;
  const { words } = layout;
  const used = formatMessage(words.language, clients.requests, { count: client.requests });
  const last =
    client.lastUsedOn === null
      ? ''
      : html`. ${clients.lastUsed} ${dayElement(words, `${client.lastUsedOn}T12:00:00Z`)}`;
  return html`<li><p><a href="${staffPaths.clients}/${client.clientId}"><bdi>${client.name}</bdi></a></p>
      <p><bdi>${client.clientId}</bdi></p><p>${clients.kinds[client.kind]}</p><p>${used}${last}</p>
      ${client.disabledAt === null ? '' : html`<p class="fresh">${clients.disabled}: ${dayElement(words, client.disabledAt)}</p>`}</li>`;
}

async function readShown(visit: StaffVisit): Promise<{ readonly json: RegisteredClient } | Refusal> {
  return await readJson<RegisteredClient>(visit, readRegisteredClient, { params: { id: pathPart(visit, 1) } });
}

async function showClient(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const answer = await readShown(visit);
  if (!('json' in answer)) return answer;
  const client = answer.json;
  const { texts } = visit;
  const { clients } = texts;
  const done = new URLSearchParams(requestQuery(visit.request.url)).get('done');
  const path = `${staffPaths.clients}/${client.clientId}`;
  const isDisabled = client.disabledAt !== null;
  const content = html`${done === 'disabled' && isDisabled ? successBanner(clients.isDisabled) : ''}
    <dl class="summary">${summaryRows(visit, client).map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>
    ${isDisabled ? '' : html`<p class="actions"><a class="action" href="${path}/propose">${clients.change}</a> <a href="${path}/disable">${clients.disable}</a></p>`}
    <h2>${clients.keys}</h2>
    <ul class="list">${client.credentials.map((one) => keyItem(visit, one))}</ul>
    <h2>${clients.usage}</h2>${usageTable(visit, client)}
    <p><a href="${staffPaths.clients}">${texts.sections.clients}</a></p>`;
  return renderStaffPage(visit, { title: client.name, titleLanguage: '', content, section: 'clients' });
}

function summaryRows({ texts, layout }: StaffVisit, client: RegisteredClient): readonly (readonly [string, Html])[] {
  const { clients, proposals } = texts;
  const { members } = proposals;
  const { words } = layout;
  const list = (found: readonly string[] | null) =>
    html`${found === null ? proposals.any : html`<bdi>${found.join(', ')}</bdi>`}`;
  const [quota] = client.quotas;
  return [
    [clients.id, html`<bdi>${client.clientId}</bdi>`],
    [
      clients.state,
      client.disabledAt === null
        ? html`${clients.active}`
        : html`${clients.disabled}: ${dayElement(words, client.disabledAt)}`,
    ],
    [members.kind, html`${textNamed(clients.kinds, client.kind)}`],
    [clients.createdAt, dayElement(words, client.createdAt)],
    [members.scopes, list(client.scopes)],
    [members.purposes, list(client.purposes)],
    [members.legalBases, list(client.legalBases)],
    [members.policy, client.policy === null ? html`${clients.serverPolicy}` : html`<bdi>${client.policy}</bdi>`],
    ...(quota === undefined
      ? []
      : ([[clients.quota, html`${formatMessage(words.language, clients.quotaText, quota)}`]] as const)),
    [clients.binding, html`${client.binding === 'none' ? proposals.no : html`<bdi>${client.binding}</bdi>`}`],
    [clients.webhooks, html`${client.webhooks}`],
  ];
}

const dayMs = 86_400_000;

function keyItem({ texts, layout, now }: StaffVisit, key: RegisteredClient['credentials'][number]): Html {
  const { clients } = texts;
  const { words } = layout;
  const age =
    key.createdAt === null
      ? clients.keyPublished
      : formatMessage(words.language, clients.keyAge, {
          days: Math.max(0, Math.floor((now - Date.parse(key.createdAt)) / dayMs)),
        });
  const used =
    key.lastUsedAt === null
      ? html`${clients.keyUnused}`
      : html`${clients.keyUsed} ${dayElement(words, key.lastUsedAt)}`;
  return html`<li><p><bdi>${key.id}</bdi>${key.id === key.kind ? '' : html` (<bdi>${key.kind}</bdi>)`}</p><p>${age}</p><p>${used}</p>
      ${key.expiresAt === null ? '' : html`<p>${clients.keyExpires} ${dayElement(words, key.expiresAt)}</p>`}</li>`;
}

function usageTable({ texts, layout }: StaffVisit, { usage }: RegisteredClient): Html {
  const { clients } = texts;
  if (usage.counts.length === 0) return html`<p>${clients.noUsage}</p>`;
  const format = new Intl.NumberFormat(layout.words.language);
  return html`<div role="region" aria-label="${clients.usage}" tabindex="0"><table>
      <thead><tr><th scope="col">${clients.operation}</th><th scope="col">${clients.outcome}</th><th scope="col">${clients.count}</th></tr></thead>
      <tbody>${usage.counts.map(
        ({ operation, outcome, requests }) =>
          html`<tr><td><bdi>${operation}</bdi></td><td><bdi>${outcome}</bdi></td><td>${format.format(requests)}</td></tr>`,
      )}</tbody></table></div>`;
}

async function handleDisabling(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const answer = await readShown(visit);
  if (!('json' in answer)) return answer;
  const { clients } = visit.texts;
  const { clientId, name } = answer.json;
  const path = `${staffPaths.clients}/${clientId}`;
  return await handleReasonedAction(visit, {
    section: 'clients',
    title: `${name}: ${clients.disableTitle}`,
    text: clients.disableText,
    button: clients.disable,
    isSerious: true,
    needsReason: true,
    backTo: path,
    operation: disableClient,
    params: { id: clientId },
    doneAt: `${path}?done=disabled`,
    alreadyDoneAs: 'conflict',
  });
}

async function handleRights(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const answer = await readShown(visit);
  return 'json' in answer ? await handleClientProposal(visit, answer.json) : answer;
}
