import type { BufferedResponse } from '../../api/buffered-response.ts';
import { parseId } from '../../kernel/id.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestQuery } from '../../kernel/request-target.ts';
import { extractMessageHtml } from '../../notifications/rendering/message-html.ts';
import { readServiceNotification, type ServiceNotification } from '../../staff/read-service-notification.ts';
import { minuteElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { parseForm } from '../form-body.ts';
import { faultSummary, keptFormBanner } from '../form-parts.ts';
import { html, trustedHtml } from '../html.ts';
import { parseReason, reasonFields } from './look-up-form.ts';
import { staffPaths } from './staff-area.ts';
import { type FormView, textInput } from './staff-fields.ts';
import { renderStaffPage, type StaffPage, type StaffVisit, withScope } from './staff-page.ts';

/** The page on which a caseworker reads a message of their service, after they have stated the reason. */
export const readPages: readonly StaffPage[] = [
  { path: staffPaths.read, methods: ['GET', 'HEAD', 'POST'], show: withScope('staff:send', handleReading) },
];

async function handleReading(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  if (visit.request.method !== 'POST') {
    const message = new URLSearchParams(requestQuery(visit.request.url)).get('message') ?? '';
    const given = new URLSearchParams(parseId('notification', message) === undefined ? {} : { message });
    return formPage(visit, { values: visit.keptForm ?? given, faults: [] }, visit.keptForm !== undefined);
  }
  const values = (await parseForm(visit.request)) ?? new URLSearchParams();
  const reason = parseReason(visit, values);
  const id = parseId('notification', values.get('message')?.trim() ?? '');
  const unknown = { field: 'message', text: visit.texts.read.unknown };
  if (id === undefined || 'faults' in reason)
    return formPage(visit, {
      values,
      faults: [...('faults' in reason ? (reason.faults ?? []) : []), ...(id === undefined ? [unknown] : [])],
    });
  const answer = await readJson<ServiceNotification>(visit, readServiceNotification, { params: { id }, json: reason });
  if ('json' in answer) return messagePage(visit, answer.json);
  return answer.slug === 'notification-not-found' ? formPage(visit, { values, faults: [unknown] }) : answer;
}

function formPage(visit: StaffVisit, view: FormView, isKept = false): BufferedResponse {
  const { texts, layout } = visit;
  const { read, person, sections } = texts;
  const content = html`${isKept ? keptFormBanner(layout.words) : ''}${faultSummary(layout.words, view.faults)}<p>${read.intro}</p>
    <form method="post" action="${staffPaths.read}" novalidate>
      ${textInput(view, { name: 'message', label: person.id, hint: person.messageHint })}
      ${reasonFields(visit, view)}
      <p><button type="submit">${read.show}</button></p></form>`;
  return renderStaffPage(visit, { title: sections.read, content, section: 'read', hasFaults: view.faults.length > 0 });
}

/** The message itself, without a redirect: each request for it is recorded. */
function messagePage(visit: StaffVisit, message: ServiceNotification): BufferedResponse {
  const { texts, layout } = visit;
  const { read, person, send, sections } = texts;
  const subject = message.subject === null ? '' : html`<dt>${send.subject}</dt><dd><bdi>${message.subject}</bdi></dd>`;
  const content = html`<p>${read.recorded}</p>
    <dl class="summary"><dt>${person.id}</dt><dd><bdi>${message.id}</bdi></dd>
      <dt>${layout.words.uses.labels.time}</dt><dd>${minuteElement(layout.words, message.createdAt)}</dd>${subject}</dl>
    <article class="card"><h2>${send.text}</h2>
      <div dir="auto" lang="${message.language ?? ''}">${trustedHtml(extractMessageHtml(message.html))}</div></article>
    <p><a href="${staffPaths.read}">${read.another}</a></p>`;
  return renderStaffPage(visit, { title: sections.read, content, section: 'read' });
}
