import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { cancelServiceBatch } from '../../staff/cancel-service-batch.ts';
import { readServiceBatch } from '../../staff/read-service-batches.ts';
import { startServiceBatch } from '../../staff/start-service-batch.ts';
import { readJson } from '../citizen-operations.ts';
import { parseForm } from '../form-body.ts';
import {
  type FieldFault,
  faultSummary,
  faultText,
  fieldAttributes,
  formActions,
  keptFormBanner,
  postForm,
} from '../form-parts.ts';
import { html } from '../html.ts';
import type { BatchProgress } from './batch-page.ts';
import { staffPaths } from './staff-area.ts';
import { renderStaffPage, type StaffVisit } from './staff-page.ts';

const pathOf = (id: string) => `${staffPaths.batches}/${id}`;
const redirectTo = (location: string): BufferedResponse => ({ status: 303, headers: { location }, body: '' });

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

type StartForm = { readonly reason: string; readonly faults: readonly FieldFault[]; readonly isKept?: boolean };

function startPage(
  visit: StaffVisit,
  batch: BatchProgress,
  { reason, faults, isKept = false }: StartForm,
): BufferedResponse {
  const { layout, texts } = visit;
  const { words } = layout;
  const { start } = texts.batches;
  const { title } = start;
  const button = html`<button type="submit">${start.submit}</button>`;
  const field = html`<p><label for="reason">${start.reason}</label> <span id="reason-hint">${start.reasonHint}</span>${faultText(faults, 'reason')}
      <input id="reason" name="reason" maxlength="500" autocomplete="off" value="${reason}"${fieldAttributes(faults, 'reason', 'reason-hint')} /></p>`;
  const text = formatMessage(words.language, start.text, { count: (batch.rows ?? 0) - batch.refused });
  const content = html`${isKept ? keptFormBanner(words) : ''}${faultSummary(words, faults)}<p>${text}</p>
    ${postForm(layout, { action: `${pathOf(batch.id)}/start`, content: html`${field}${formActions(button, words, pathOf(batch.id))}` })}`;
  const hasFaults = faults.length > 0;
  return renderStaffPage(visit, { title, content, section: 'batches', status: hasFaults ? 400 : 200, hasFaults });
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
