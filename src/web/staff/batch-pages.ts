import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestPath, requestQuery } from '../../kernel/request-target.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { batchSummaryOf } from '../../notifications/batches/batch-shape.ts';
import { createServiceBatch } from '../../staff/create-service-batch.ts';
import { listServiceBatches, readServiceBatchResults } from '../../staff/read-service-batches.ts';
import { minuteElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { type FieldFault, faultSummary, faultText, fieldAttributes } from '../form-parts.ts';
import { type Html, html, trustedHtml } from '../html.ts';
import type { PageOutcome } from '../send-page.ts';
import { showBatchCancel, showBatchStart } from './batch-acts.ts';
import { showBatch } from './batch-page.ts';
import { fileField, readUploadForm, skipUpload, type UploadForm } from './batch-upload-form.ts';
import { staffPaths } from './staff-area.ts';
import { textInput } from './staff-fields.ts';
import { renderStaffPage, type StaffPage, type StaffVisit } from './staff-page.ts';

const { batches: base } = staffPaths;
const readMethods = ['GET', 'HEAD'] as const;
const formMethods = ['GET', 'HEAD', 'POST'] as const;

/** The pages on which caseworkers upload files of messages, check, start and follow them. */
export const batchPages: readonly StaffPage[] = [
  { path: base, methods: readMethods, show: showBatches },
  { path: `${base}/new`, methods: formMethods, show: showUpload },
  { path: `${base}/:id`, methods: readMethods, show: (visit) => showBatch(visit, idOf(visit)) },
  { path: `${base}/:id/start`, methods: formMethods, show: (visit) => showBatchStart(visit, idOf(visit)) },
  { path: `${base}/:id/cancel`, methods: formMethods, show: (visit) => showBatchCancel(visit, idOf(visit)) },
  { path: `${base}/:id/results`, methods: ['GET'], show: downloadResults },
];

const idOf = ({ request }: StaffVisit) => requestPath(request.url).split('/')[3] ?? '';

type BatchList = { readonly items: readonly ReturnType<typeof batchSummaryOf>[]; readonly next: string | null };

async function showBatches(visit: StaffVisit): Promise<PageOutcome | Refusal> {
  const { layout, texts, member, request } = visit;
  const { words } = layout;
  const { batches } = texts;
  const title = batches.title;
  if (member.service === null)
    return renderStaffPage(visit, { title, content: html`<p>${texts.noService}</p>`, section: 'batches' });
  const cursor = new URLSearchParams(requestQuery(request.url)).get('after');
  const query: Record<string, string> = cursor === null ? {} : { cursor };
  const list = await readJson<BatchList>(visit, listServiceBatches, { query });
  if (!('json' in list)) return list;
  const { items, next } = list.json;
  const entries = items.map(
    ({ id, name, state, rows, createdAt }) => html`<li><a href="${base}/${id}"><bdi>${name ?? batches.unnamed}</bdi></a>
      <p><span class="badge">${batches.states[state]}</span> ${rows === null ? '' : formatMessage(words.language, batches.rows, { count: rows })}</p>
      <p>${minuteElement(words, createdAt)}</p></li>`,
  );
  const content = html`<p>${batches.intro}</p><p><a class="action" href="${base}/new">${batches.upload.title}</a></p>
    ${entries.length === 0 ? html`<p>${batches.none}</p>` : html`<ul class="list">${entries}</ul>`}
    ${next === null ? '' : html`<p><a href="${base}?after=${next}">${batches.older}</a></p>`}`;
  return renderStaffPage(visit, { title, content, section: 'batches' });
}

type UploadState = { readonly fields: ReadonlyMap<string, string>; readonly faults: readonly FieldFault[] };

async function showUpload(visit: StaffVisit): Promise<PageOutcome | Refusal> {
  const { request, texts, member } = visit;
  if (member.service === null) return await showBatches(visit);
  if (request.method !== 'POST') return uploadPage(visit, { fields: new Map(), faults: [] });
  const { faults } = texts.batches.upload;
  const form = await readUploadForm(request);
  if (form?.file === undefined) {
    skipUpload(request);
    const fault = { field: fileField, text: form === undefined ? faults.broken : faults.file };
    return uploadPage(visit, { fields: form?.fields ?? new Map(), faults: [fault] });
  }
  const answer = await sendUpload(visit, form.fields, form.file);
  if (!('slug' in answer)) {
    // The operation answers with the batch.
    const { id } = ('json' in answer ? answer.json : {}) as { readonly id: string };
    return { status: 303, headers: { location: `${base}/${id}` }, body: '' };
  }
  skipUpload(request);
  if (answer.slug === 'missing-scope') return answer;
  return uploadPage(visit, { fields: form.fields, faults: faultsOf(visit, answer) });
}

async function sendUpload(
  { call, token, response }: StaffVisit,
  fields: UploadForm['fields'],
  { name, bytes }: NonNullable<UploadForm['file']>,
) {
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const chosen = ['name', 'templateId', 'rows'].map((field) => [field, fields.get(field)?.trim() ?? ''] as const);
  const type = /\.(?:jsonl|ndjson)$/i.test(name) ? 'application/jsonl' : 'text/csv';
  // A browser cannot continue an upload, so it has no Idempotency-Key: an interrupted one is cancelled at once.
  return await call(createServiceBatch, token, {
    query: Object.fromEntries(chosen.filter(([, value]) => value !== '')),
    headers: { 'content-type': type },
    bytes,
    signal: disconnected.signal,
  });
}

function faultsOf({ texts }: StaffVisit, { slug, issues = [] }: Refusal): readonly FieldFault[] {
  const { faults } = texts.batches.upload;
  if (slug === 'payload-too-large') return [{ field: fileField, text: faults.tooLarge }];
  if (slug === 'conflict') return [{ field: fileField, text: faults.tooMany }];
  if (slug === 'content-mismatch') return [{ field: fileField, text: faults.broken }];
  const known = issues.flatMap(({ name }): FieldFault[] => {
    if (name === 'name') return [{ field: 'name', text: faults.name }];
    return name === 'templateId' ? [{ field: 'templateId', text: faults.template }] : [];
  });
  return known.length > 0 ? known : [{ field: fileField, text: faults.other }];
}

function uploadPage(visit: StaffVisit, { fields, faults }: UploadState): BufferedResponse {
  const { layout, texts } = visit;
  const { upload } = texts.batches;
  const view = { values: new URLSearchParams([...fields]), faults };
  const choice = (value: string, label: string, isChosen: boolean): Html =>
    html`<p class="choice"><input type="radio" id="rows-${value}" name="rows" value="${value}"${isChosen ? trustedHtml(' checked') : ''} /><label for="rows-${value}">${label}</label></p>`;
  const allOrNone = fields.get('rows') === 'all-or-none';
  const content = html`${faultSummary(layout.words, faults)}<p>${upload.next}</p>
    <form method="post" action="${base}/new" enctype="multipart/form-data" novalidate>
      ${textInput(view, { name: 'name', label: upload.name, hint: upload.nameHint, maxLength: 100 })}
      ${textInput(view, { name: 'templateId', label: upload.template, hint: upload.templateHint, maxLength: 100 })}
      <fieldset><legend>${upload.rows}</legend>${choice('good', upload.good, !allOrNone)}${choice('all-or-none', upload.allOrNone, allOrNone)}</fieldset>
      <p><label for="${fileField}">${upload.file}</label><span class="hint" id="file-hint">${upload.fileHint}</span>${faultText(faults, fileField)}
      <input type="file" id="${fileField}" name="${fileField}" accept=".csv,.jsonl,.ndjson,text/csv"${fieldAttributes(faults, fileField, 'file-hint')} /></p>
      <p class="actions"><button type="submit">${upload.submit}</button> <a href="${base}">${layout.words.forms.cancel}</a></p>
    </form>`;
  const status = faults.length > 0 ? 400 : 200;
  const { title } = upload;
  return renderStaffPage(visit, { title, content, section: 'batches', status, hasFaults: faults.length > 0 });
}

/** The rows with their outcomes as a file: all, or those with a fault. */
async function downloadResults(visit: StaffVisit): Promise<PageOutcome | Refusal> {
  const { request, response, call, token } = visit;
  const isRefused = new URLSearchParams(requestQuery(request.url)).get('state') === 'refused';
  const answer = await call(readServiceBatchResults, token, {
    params: { id: idOf(visit) },
    query: isRefused ? { state: 'refused' } : {},
    onFinished: (end) => response.once('close', end),
  });
  if ('slug' in answer) return answer;
  if (!('stream' in answer)) throw new TypeError('expected the results of a batch as a stream');
  return { stream: answer };
}
