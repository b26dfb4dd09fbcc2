import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { cancelServiceBatch } from '../../staff/cancel-service-batch.ts';
import { readServiceBatch } from '../../staff/read-service-batches.ts';
import { startServiceBatch } from '../../staff/start-service-batch.ts';
import { readJson } from '../citizen-operations.ts';
import { parseForm } from '../form-body.ts';
import { formActions, postForm } from '../form-parts.ts';
import { html } from '../html.ts';
import type { BatchProgress } from './batch-page.ts';
import { actionPage, type ReasonForm, redirectTo } from './reasoned-action.ts';
import { staffPaths } from './staff-area.ts';
import { textInput } from './staff-fields.ts';
import { renderStaffPage, type StaffVisit } from './staff-page.ts';

const pathOf = (id: string) => `${staffPaths.batches}/${id}`;

/** Asks for a reason, and starts a batch. Over the limit of one person the start is a proposal, which the page of the batch shows. */
export async function showBatchStart(visit: StaffVisit, id: string): Promise<BufferedResponse | Refusal> {
  const batch = await readJson<BatchProgress>(visit, readServiceBatch, { params: { id } });
  if (!('json' in batch)) return batch;
  if (batch.json.state !== 'ready') return redirectTo(pathOf(id));
  if (visit.request.method !== 'POST') {
    const kept = visit.keptForm?.get('reason');
    return startPage(visit, batch.json, { reason: kept ?? '', faults: [], isKept: kept !== undefined });
  }
  const reason = (await parseForm(visit.request))?.get('reason')?.trim() ?? '';
  const answer = await visit.call(startServiceBatch, visit.token, { params: { id }, json: { reason } });
  // The batch has started or been proposed meanwhile; its page shows it.
  if (!('slug' in answer) || answer.slug === 'conflict') return redirectTo(pathOf(id));
  if (answer.slug !== 'bad-request') return answer;
  const fault = { field: 'reason', text: visit.texts.batches.start.faults.reason };
  return startPage(visit, batch.json, { reason, faults: [fault] });
}

function startPage(visit: StaffVisit, batch: BatchProgress, { reason, ...form }: ReasonForm): BufferedResponse {
  const { layout, texts } = visit;
  const { start } = texts.batches;
  const view = { values: new URLSearchParams({ reason }), faults: form.faults };
  const field = textInput(view, { name: 'reason', label: start.reason, hint: start.reasonHint, maxLength: 500 });
  const action = {
    section: 'batches',
    title: start.title,
    text: formatMessage(layout.words.language, start.text, { count: (batch.rows ?? 0) - batch.refused }),
    button: start.submit,
    isSerious: false,
    backTo: pathOf(batch.id),
  } as const;
  return actionPage(visit, action, { ...form, field });
}

/** Asks whether to cancel a batch; a POST does it. */
export async function showBatchCancel(visit: StaffVisit, id: string): Promise<BufferedResponse | Refusal> {
  const { request, call, token, layout, texts } = visit;
  if (request.method === 'POST') {
    const answer = await call(cancelServiceBatch, token, { params: { id } });
    // The batch has ended meanwhile; its page shows how.
    return 'slug' in answer && answer.slug !== 'conflict' ? answer : redirectTo(pathOf(id));
  }
  const batch = await readJson<BatchProgress>(visit, readServiceBatch, { params: { id } });
  if (!('json' in batch)) return batch;
  if (batch.json.endedAt !== null) return redirectTo(pathOf(id));
  const { cancel } = texts.batches;
  const button = html`<button type="submit" class="warning">${cancel.submit}</button>`;
  const content = html`<p>${cancel.text}</p>
    ${postForm(layout, { action: `${pathOf(id)}/cancel`, content: formActions(button, layout.words, pathOf(id)) })}`;
  return renderStaffPage(visit, { title: cancel.title, content, section: 'batches' });
}
