import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { ClientKind } from '../../auth/client.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { listServiceWebhooks, readServiceClient } from '../../staff/read-service-client.ts';
import { dayElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { type Html, html } from '../html.ts';
import { staffPaths } from './staff-area.ts';
import { renderStaffPage, type StaffPage, type StaffVisit } from './staff-page.ts';
import { staffTable } from './staff-table.ts';
import { redeliverToWebhook, showWebhookCalls, testServiceWebhookOnce, type WebhookView } from './webhook-page.ts';

const { service: base } = staffPaths;
const readMethods = ['GET', 'HEAD'] as const;

/** The pages of a team about its own client: rights, quota, use, keys, and the calls of its webhooks. */
export const servicePages: readonly StaffPage[] = [
  { path: base, methods: readMethods, show: showService },
  { path: `${base}/webhooks/:id`, methods: readMethods, show: showWebhookCalls },
  { path: `${base}/webhooks/:id/test`, methods: ['POST'], show: testServiceWebhookOnce },
  { path: `${base}/webhooks/:id/redeliver`, methods: ['GET', 'HEAD', 'POST'], show: redeliverToWebhook },
];

/** The part of the answer of `readServiceClient` that the page shows. */
type ServiceClient = {
  readonly clientId: string;
  readonly name: string;
  readonly kind: ClientKind;
  readonly purposes: readonly string[] | null;
  readonly legalBases: readonly string[] | null;
  readonly createdAt: string;
  readonly quotas: readonly { scope: string; perSecond: number; burst: number; remaining: number }[];
  readonly usage: { readonly counts: readonly { operation: string; outcome: string; requests: number }[] };
  readonly credentials: readonly Credential[];
};
type Credential = {
  readonly id: string;
  readonly kind: string;
  readonly createdAt: string | null;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
};

async function showService(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const { texts, member } = visit;
  const { title } = texts.ownService;
  if (member.service === null)
    return renderStaffPage(visit, { title, content: html`<p>${texts.noService}</p>`, section: 'service' });
  const client = await readJson<ServiceClient>(visit, readServiceClient);
  if (!('json' in client)) return client;
  const webhooks = await readJson<{ readonly items: readonly WebhookView[] }>(visit, listServiceWebhooks);
  // Its client may have no right to webhooks.
  if (!('json' in webhooks) && webhooks.slug !== 'missing-scope') return webhooks;
  const content = html`${aboutClient(visit, client.json)}${quotaTable(visit, client.json)}${usageTable(visit, client.json)}
    ${credentialTable(visit, client.json)}${webhookList(visit, 'json' in webhooks ? webhooks.json.items : [])}`;
  return renderStaffPage(visit, { title, content, section: 'service' });
}

function aboutClient({ layout, texts }: StaffVisit, client: ServiceClient): Html {
  const { about, kinds, any } = texts.ownService;
  const listed = (values: readonly string[] | null) => (values === null ? any : values.join(', '));
  return html`<dl class="summary"><dt>${about.name}</dt><dd><bdi>${client.name}</bdi></dd><dt>${about.id}</dt><dd><code>${client.clientId}</code></dd>
    <dt>${about.kind}</dt><dd>${kinds[client.kind]}</dd><dt>${about.purposes}</dt><dd><bdi>${listed(client.purposes)}</bdi></dd>
    <dt>${about.legalBases}</dt><dd><bdi>${listed(client.legalBases)}</bdi></dd>
    <dt>${about.created}</dt><dd>${dayElement(layout.words, client.createdAt)}</dd></dl>`;
}

const numberIn = ({ layout }: StaffVisit) => {
  const format = new Intl.NumberFormat(layout.words.language);
  return (count: number) => format.format(count);
};

/** A line can break after each colon of a scope. */
const breakable = (scope: string) =>
  scope.split(/(?<=:)/).map((part, index) => html`${index === 0 ? '' : html`<wbr />`}${part}`);

function quotaTable(visit: StaffVisit, { quotas }: ServiceClient): Html {
  const { quota } = visit.texts.ownService;
  const number = numberIn(visit);
  const rows = quotas.map(({ scope, perSecond, burst, remaining }) => [
    html`<code>${breakable(scope)}</code>`,
    number(perSecond),
    number(burst),
    number(remaining),
  ]);
  return html`<h2 id="quota">${quota.title}</h2>${staffTable('quota', [quota.scope, quota.perSecond, quota.burst, quota.remaining], rows)}`;
}

function usageTable(visit: StaffVisit, { usage }: ServiceClient): Html {
  const { use } = visit.texts.ownService;
  const number = numberIn(visit);
  const rows = usage.counts.map(({ operation, outcome, requests }) => [
    html`<code>${operation}</code>`,
    html`<code>${outcome}</code>`,
    number(requests),
  ]);
  const table =
    rows.length === 0 ? html`<p>${use.none}</p>` : staffTable('use', [use.operation, use.outcome, use.requests], rows);
  return html`<h2 id="use">${use.title}</h2>${table}`;
}

function credentialTable({ layout, texts }: StaffVisit, { credentials }: ServiceClient): Html {
  const { keys } = texts.ownService;
  const day = (at: string | null, otherwise: string) => (at === null ? otherwise : dayElement(layout.words, at));
  const rows = credentials.map(({ id, kind, createdAt, lastUsedAt, expiresAt }) => [
    html`<code>${id}</code>`,
    html`<code>${kind}</code>`,
    day(createdAt, '–'),
    day(lastUsedAt, keys.never),
    day(expiresAt, keys.unbounded),
  ]);
  return html`<h2 id="keys">${keys.title}</h2>${staffTable('keys', [keys.id, keys.kind, keys.added, keys.lastUsed, keys.ends], rows)}`;
}

function webhookList({ texts }: StaffVisit, webhooks: readonly WebhookView[]): Html {
  const { webhook } = texts.ownService;
  const items = webhooks.map(
    ({ id, url, status, waiting, dead }) => html`<li><a href="${base}/webhooks/${id}"><bdi>${url}</bdi></a>
      <p><span class="badge">${status === 'active' ? webhook.active : webhook.disabled}</span></p><p>${webhook.waiting}: ${waiting}. ${webhook.failed}: ${dead}.</p></li>`,
  );
  return html`<h2>${webhook.title}</h2>${items.length === 0 ? html`<p>${webhook.none}</p>` : html`<ul class="list">${items}</ul>`}`;
}
