import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestPath, requestQuery } from '../../kernel/request-target.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { type CallOutcome, callOutcomes, type ListedCall } from '../../notifications/webhooks/webhook-call.ts';
import { redeliverServiceWebhook, testServiceWebhook } from '../../staff/call-service-webhook.ts';
import { listServiceWebhookCalls, listServiceWebhooks } from '../../staff/read-service-client.ts';
import { minuteElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { formActions, postForm, successBanner } from '../form-parts.ts';
import { type Html, html } from '../html.ts';
import { staffPaths } from './staff-area.ts';
import { renderStaffPage, type StaffVisit } from './staff-page.ts';

/** A webhook in a list. */
export type WebhookView = {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly waiting: number;
  readonly dead: number;
};
type WebhookCallView = Pick<ListedCall, 'eventId' | 'type' | 'state' | 'attempts'> & {
  readonly calledAt: string | null;
  readonly outcome: CallOutcome | null;
  readonly httpStatus: number | null;
  readonly nextAttemptAt: string | null;
};
type CallList = { readonly items: readonly WebhookCallView[]; readonly next: string | null };

const idOf = ({ request }: StaffVisit) => requestPath(request.url).split('/')[4] ?? '';
const pathOf = (id: string) => `${staffPaths.service}/webhooks/${id}`;
const redirectTo = (location: string): BufferedResponse => ({ status: 303, headers: { location }, body: '' });

/** The webhook of the request with its counts; a refusal if the service has none with this id. */
async function readWebhook(visit: StaffVisit): Promise<WebhookView | Refusal> {
  const list = await readJson<{ readonly items: readonly WebhookView[] }>(visit, listServiceWebhooks);
  if (!('json' in list)) return list;
  const webhook = list.json.items.find(({ id }) => id === idOf(visit));
  return webhook ?? { slug: 'webhook-not-found', detail: 'The service has no webhook with this id.' };
}

/** The calls of a webhook, with a test event and the redelivery of failed calls. */
export async function showWebhookCalls(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const webhook = await readWebhook(visit);
  if ('slug' in webhook) return webhook;
  const { layout, texts, request } = visit;
  const { calls } = texts.ownService;
  const { id, dead } = webhook;
  const query = new URLSearchParams(requestQuery(request.url));
  const cursor = query.get('after');
  const list = await readJson<CallList>(visit, listServiceWebhookCalls, {
    params: { id },
    query: cursor === null ? {} : { cursor },
  });
  if (!('json' in list)) return list;
  const { items, next } = list.json;
  const shown = html`<ul class="list">${items.map((call) => callItem(visit, call))}</ul>`;
  const test = postForm(layout, {
    action: `${pathOf(id)}/test`,
    content: html`<p class="actions"><button type="submit">${calls.test}</button></p>`,
  });
  const redeliver = dead === 0 ? '' : html`<p><a href="${pathOf(id)}/redeliver">${calls.redeliver}</a></p>`;
  const content = html`${resultBanner(visit, query)}<p><bdi>${webhook.url}</bdi></p>${test}${redeliver}
    <h2>${calls.list}</h2>${items.length === 0 ? html`<p>${calls.none}</p>` : shown}
    ${next === null ? '' : html`<p><a href="${pathOf(id)}?after=${next}">${calls.older}</a></p>`}
    <p><a href="${staffPaths.service}">${texts.ownService.title}</a></p>`;
  return renderStaffPage(visit, { title: calls.title, content, section: 'service' });
}

function callItem({ layout, texts }: StaffVisit, call: WebhookCallView): Html {
  const { calls } = texts.ownService;
  const { type, eventId, state, attempts, calledAt, outcome, httpStatus, nextAttemptAt } = call;
  const result = outcome === null ? '–' : `${calls.outcomes[outcome]}${httpStatus === null ? '' : ` (${httpStatus})`}`;
  const time = (label: string, at: string | null) =>
    at === null ? '' : html`<dt>${label}</dt><dd>${minuteElement(layout.words, at)}</dd>`;
  return html`<li><p><code>${type}</code> <span class="badge">${calls.states[state]}</span></p>
      <dl class="summary"><dt>${calls.outcome}</dt><dd>${result}</dd>
        ${time(calls.last, calledAt)}${time(calls.next, nextAttemptAt)}
        <dt>${calls.attempts}</dt><dd>${attempts}</dd><dt>${calls.event}</dt><dd><code>${eventId}</code></dd></dl></li>`;
}

/** The result of a test or of a redelivery, which the redirect after the form names. */
function resultBanner({ layout, texts }: StaffVisit, query: URLSearchParams): Html | '' {
  const { calls } = texts.ownService;
  if (query.get('done') === 'redelivered') return successBanner(calls.redelivered);
  const outcome = callOutcomes.find((one) => one === query.get('tested'));
  if (outcome === undefined) return '';
  const text = formatMessage(layout.words.language, calls.tested, { outcome: calls.outcomes[outcome] });
  return outcome === 'accepted'
    ? successBanner(text)
    : html`<div class="banner" role="status" tabindex="-1" autofocus><p>${text}</p></div>`;
}

/** Calls a webhook with a test event, and shows the outcome on its page. */
export async function testServiceWebhookOnce(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const id = idOf(visit);
  visit.request.resume();
  const test = await readJson<{ readonly outcome: CallOutcome }>(visit, testServiceWebhook, {
    params: { id },
    json: {},
  });
  return 'json' in test ? redirectTo(`${pathOf(id)}?tested=${test.json.outcome}`) : test;
}

/** Asks whether to queue the failed calls again; a POST does it. */
export async function redeliverToWebhook(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const { request, call, token, layout, texts } = visit;
  const { calls } = texts.ownService;
  const id = idOf(visit);
  if (request.method === 'POST') {
    const answer = await call(redeliverServiceWebhook, token, { params: { id } });
    return 'slug' in answer ? answer : redirectTo(`${pathOf(id)}?done=redelivered`);
  }
  const webhook = await readWebhook(visit);
  if ('slug' in webhook) return webhook;
  const button = html`<button type="submit">${calls.redeliver}</button>`;
  const text = formatMessage(layout.words.language, calls.redeliverText, { count: webhook.dead });
  const content = html`<p>${text}</p><p><bdi>${webhook.url}</bdi></p>
    ${postForm(layout, { action: `${pathOf(id)}/redeliver`, content: formActions(button, layout.words, pathOf(id)) })}`;
  return renderStaffPage(visit, { title: calls.redeliver, content, section: 'service' });
}
