import type { BufferedResponse } from '../../api/buffered-response.ts';
import { parseId } from '../../kernel/id.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestQuery } from '../../kernel/request-target.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { PreviewAnswer } from '../../notifications/notification-preview.ts';
import { extractMessageHtml } from '../../notifications/rendering/message-html.ts';
import { listServiceTemplates } from '../../staff/list-service-templates.ts';
import { previewServiceNotification } from '../../staff/preview-service-notification.ts';
import { readServiceTemplate } from '../../staff/read-service-template.ts';
import { sendServiceNotification } from '../../staff/send-service-notification.ts';
import { minuteText } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { maxTextFormBytes, parseForm } from '../form-body.ts';
import { keptFormBanner, successBanner } from '../form-parts.ts';
import { type Html, html, trustedHtml } from '../html.ts';
import { ownText, parseSendForm, type ServiceTemplate, sendFaults, sendForm, sendSummary } from './send-form.ts';
import { staffPaths } from './staff-area.ts';
import { choiceInput, type FormView, hiddenInput } from './staff-fields.ts';
import { renderStaffPage, type StaffPage, type StaffVisit } from './staff-page.ts';
import { type ListedTemplate, templateOptions } from './template-options.ts';
import { channelText } from './timeline-words.ts';

/** The pages to send one message. */
export const sendPages: readonly StaffPage[] = [
  { path: staffPaths.send, methods: ['GET', 'HEAD', 'POST'], show: handleSend },
];

type Outcome = Promise<BufferedResponse | Refusal>;

async function handleSend(visit: StaffVisit): Outcome {
  if (visit.request.method === 'POST')
    return await handleForm(visit, (await parseForm(visit.request, maxTextFormBytes)) ?? new URLSearchParams());
  const query = new URLSearchParams(requestQuery(visit.request.url));
  const values = visit.keptForm ?? query;
  const chosen = values.get('template');
  if (chosen === null) return await choicePage(visit, query.get('done'));
  const isKept = visit.keptForm !== undefined;
  return await formPage(visit, {
    values: isKept ? values : new URLSearchParams({ template: chosen }),
    faults: [],
    isKept,
  });
}

/** Step 1: the template. `done`: the message that was just sent. */
async function choicePage(visit: StaffVisit, done: string | null): Outcome {
  const answer = await readJson<{ readonly items: readonly ListedTemplate[] }>(visit, listServiceTemplates);
  if (!('json' in answer)) return answer;
  const { sections, send } = visit.texts;
  const id = done === null ? undefined : parseId('notification', done);
  const banner =
    id === undefined
      ? ''
      : successBanner(formatMessage(visit.layout.words.language, send.done, { id: `\u2068${id}\u2069` }));
  const options = [[ownText, send.own] as const, ...templateOptions(visit, answer.json.items)];
  const view = { values: new URLSearchParams(), faults: [] };
  const content = html`${banner}<form method="get" action="${staffPaths.send}">
      ${choiceInput(view, { name: 'template', label: send.template, options })}
      <p><button type="submit">${send.choose}</button></p></form>`;
  return renderStaffPage(visit, { title: sections.send, content, section: 'send' });
}

/** Step 2: the message. */
async function formPage(visit: StaffVisit, view: FormView & { readonly isKept?: boolean }): Outcome {
  const template = await templateOf(visit, view.values);
  if (template !== undefined && 'slug' in template) return template;
  const { words } = visit.layout;
  const content = html`${view.isKept === true ? keptFormBanner(words) : ''}${sendForm(visit, template, view)}`;
  const title = visit.texts.sections.send;
  return renderStaffPage(visit, { title, content, section: 'send', hasFaults: view.faults.length > 0 });
}

async function templateOf(visit: StaffVisit, values: URLSearchParams): Promise<ServiceTemplate | Refusal | undefined> {
  const id = values.get('template') ?? ownText;
  if (id === ownText) return undefined;
  const answer = await readJson<ServiceTemplate>(visit, readServiceTemplate, { params: { id } });
  return 'json' in answer ? answer.json : answer;
}

/** Step 3 shows the preview. Step 4 sends, once for each preview: the preview has the idempotency key. */
async function handleForm(visit: StaffVisit, values: URLSearchParams): Outcome {
  const step = values.get('step');
  if (step === 'change') return await formPage(visit, { values, faults: [] });
  const json = parseSendForm(visit, values);
  if ('faults' in json) return await formPage(visit, { values, faults: json.faults });
  if (step !== 'send') {
    const answer = await readJson<PreviewAnswer>(visit, previewServiceNotification, { json });
    return 'json' in answer ? previewPage(visit, values, answer.json) : await refused(visit, values, answer);
  }
  const headers = { 'idempotency-key': values.get('key') ?? '' };
  const answer = await readJson<{ readonly id: string }>(visit, sendServiceNotification, { json, headers });
  if (!('json' in answer)) return await refused(visit, values, answer);
  return { status: 303, headers: { location: `${staffPaths.send}?done=${answer.json.id}` }, body: '' };
}

async function refused(visit: StaffVisit, values: URLSearchParams, refusal: Refusal): Outcome {
  if (refusal.slug === 'citizen-not-found')
    return await formPage(visit, {
      values,
      faults: [{ field: 'citizenId', text: visit.texts.send.faults.unknownPerson }],
    });
  if (refusal.slug !== 'bad-request' && refusal.slug !== 'payload-too-large') return refusal;
  return await formPage(visit, { values, faults: sendFaults(visit, values, refusal) });
}

function previewPage(visit: StaffVisit, values: URLSearchParams, preview: PreviewAnswer): BufferedResponse {
  const { send } = visit.texts;
  const typed = [...values].filter(([name]) => name !== 'step' && name !== 'key');
  const unknown = preview.citizenKnown ? '' : html`<p class="notice">${send.faults.unknownPerson}</p>`;
  const content = html`${unknown}<p>${send.previewText}</p>${sendSummary(visit, values)}
    ${preview.channels.map((channel) => channelPreview(visit, channel, preview.language ?? ''))}
    <form method="post" action="${staffPaths.send}">${typed.map(([name, value]) => hiddenInput(name, value))}
      ${hiddenInput('key', visit.createKey())}
      <p class="actions"><button type="submit" name="step" value="send">${send.send}</button>
        <button type="submit" class="secondary" name="step" value="change">${send.change}</button></p></form>`;
  return renderStaffPage(visit, { title: send.previewTitle, content, section: 'send' });
}

function channelPreview(visit: StaffVisit, channel: PreviewAnswer['channels'][number], language: string): Html {
  const { layout, texts } = visit;
  const { words } = layout;
  const { send } = texts;
  const { reason } = channel;
  const begins = formatMessage(words.language, send.begins, { time: minuteText(words, channel.notBefore) });
  const text =
    channel.html === undefined
      ? html`<pre dir="auto" lang="${language}">${channel.text}</pre>`
      : html`<div dir="auto" lang="${language}">${trustedHtml(extractMessageHtml(channel.html))}</div>`;
  const name = channelText(words, channel.channel);
  return html`<article class="card"><h2>${name}${channel.reminder === true ? ` (${send.reminder})` : ''}</h2><p>${begins}</p>
      ${reason === undefined ? '' : html`<p class="notice">${send.unreachable}. ${texts.deliveryReasons[reason.code]}</p>`}
      ${channel.noticeOnly === true ? html`<p>${send.noticeOnly}</p>` : ''}
      ${channel.subject === undefined ? '' : html`<p>${send.subject}: <bdi>${channel.subject}</bdi></p>`}
      ${text}</article>`;
}
