import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestQuery } from '../../kernel/request-target.ts';
import { batchLimits } from '../../notifications/batches/batch.ts';
import { createServiceBatch } from '../../staff/create-service-batch.ts';
import { listServiceTemplates } from '../../staff/list-service-templates.ts';
import { listServiceBatches } from '../../staff/read-service-batches.ts';
import { readJson } from '../citizen-operations.ts';
import { type FieldFault, faultSummary, faultText, fieldAttributes, keptFormBanner } from '../form-parts.ts';
import { type Html, html, trustedHtml } from '../html.ts';
import type { PageOutcome } from '../send-page.ts';
import { batchFileColumns } from './batch-file-columns.ts';
import { type BatchList, batchList } from './batch-list.ts';
import { fileField, readUploadForm, skipUpload, type UploadForm } from './batch-upload-form.ts';
import { ownText } from './send-form.ts';
import { spreadsheetFile } from './spreadsheet-file.ts';
import { staffPaths } from './staff-area.ts';
import { choiceInput, hiddenInput, textInput } from './staff-fields.ts';
import { renderStaffPage, type StaffVisit } from './staff-page.ts';
import { type ListedTemplate, templateOptions } from './template-options.ts';

const { batches: base } = staffPaths;
const uploadPath = `${base}/new`;

type UploadState = {
  readonly fields: ReadonlyMap<string, string>;
  readonly faults: readonly FieldFault[];
  readonly isKept?: boolean;
  /** The open batches, if there are too many of them. */
  readonly open?: Html | '';
};

/** The form of a file. The template comes first, because the columns of the file depend on it. */
export async function showUpload(visit: StaffVisit): Promise<PageOutcome | Refusal> {
  const { request, keptForm, member } = visit;
  if (member.service === null) return noServicePage(visit);
  if (request.method === 'POST') return await handleUpload(visit);
  const fields = new Map(keptForm ?? new URLSearchParams(requestQuery(request.url)));
  return await uploadPage(visit, { fields, faults: [], isKept: keptForm !== undefined });
}

/** For people who belong to no service: only a service has batches. */
export function noServicePage(visit: StaffVisit): BufferedResponse {
  const { noService, batches } = visit.texts;
  return renderStaffPage(visit, { title: batches.title, content: html`<p>${noService}</p>`, section: 'batches' });
}

async function handleUpload(visit: StaffVisit): Promise<PageOutcome | Refusal> {
  const { request, texts } = visit;
  const { faults } = texts.batches.upload;
  const form = await readUploadForm(request);
  if (form?.file === undefined) {
    skipUpload(request);
    const fault = { field: fileField, text: form === undefined ? faults.broken : faults.file };
    return await uploadPage(visit, { fields: form?.fields ?? new Map(), faults: [fault] });
  }
  const answer = await sendUpload(visit, form.fields, form.file);
  if (!('slug' in answer)) {
    // The operation answers with the batch.
    const { id } = ('json' in answer ? answer.json : {}) as { readonly id: string };
    return { status: 303, headers: { location: `${base}/${id}` }, body: '' };
  }
  skipUpload(request);
  if (answer.slug === 'missing-scope') return answer;
  const open = answer.slug === 'conflict' ? await openBatches(visit) : '';
  return await uploadPage(visit, { fields: form.fields, faults: faultsOf(visit, answer), open });
}

/** The open batches of the service, so that the person can start or cancel one of them. */
async function openBatches(visit: StaffVisit): Promise<Html | ''> {
  const query = { open: 'true', limit: String(batchLimits.openPerClient) };
  const list = await readJson<BatchList>(visit, listServiceBatches, { query });
  // The service may not have the right to read its batches.
  if (!('json' in list) || list.json.items.length < batchLimits.openPerClient) return '';
  return html`<h2>${visit.texts.batches.upload.openBatches}</h2>${batchList(visit, list.json)}`;
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
    query: Object.fromEntries(chosen.filter(([, value]) => value !== '' && value !== ownText)),
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
  const isName = issues.some(({ name }) => name === 'name');
  return [isName ? { field: 'name', text: faults.name } : { field: fileField, text: faults.other }];
}

/** The form, or the choice of the template that comes before it. */
async function uploadPage(visit: StaffVisit, state: UploadState): Promise<BufferedResponse | Refusal> {
  const templates = await readTemplates(visit);
  if (!('items' in templates)) return templates;
  const { items } = templates;
  const chosen = state.fields.get('templateId');
  const template = items.find(({ id }) => id === chosen);
  if (template === undefined && chosen !== undefined && chosen !== ownText) {
    const fault = { field: 'templateId', text: visit.texts.batches.upload.faults.template };
    return choicePage(visit, items, [fault]);
  }
  if (chosen === undefined && items.length > 0) return choicePage(visit, items, []);
  return formPage(visit, template, state);
}

async function readTemplates(visit: StaffVisit): Promise<{ readonly items: readonly ListedTemplate[] } | Refusal> {
  const answer = await readJson<{ readonly items: readonly ListedTemplate[] }>(visit, listServiceTemplates);
  return 'json' in answer ? answer.json : answer;
}

function choicePage(
  visit: StaffVisit,
  items: readonly ListedTemplate[],
  faults: readonly FieldFault[],
): BufferedResponse {
  const { layout, texts } = visit;
  const { upload } = texts.batches;
  const options = [[ownText, upload.own] as const, ...templateOptions(visit, items)];
  const view = { values: new URLSearchParams(), faults };
  const content = html`${faultSummary(layout.words, faults)}<form method="get" action="${uploadPath}">
      ${choiceInput(view, { name: 'templateId', label: texts.send.template, options })}
      <p><button type="submit">${texts.send.choose}</button></p></form>`;
  return page(visit, content, faults);
}

function formPage(visit: StaffVisit, template: ListedTemplate | undefined, state: UploadState): BufferedResponse {
  const { layout, texts } = visit;
  const { upload } = texts.batches;
  const { fields, faults, isKept = false, open = '' } = state;
  const view = { values: new URLSearchParams([...fields]), faults };
  const choice = (value: string, label: string, isChosen: boolean): Html =>
    html`<p class="choice"><input type="radio" id="rows-${value}" name="rows" value="${value}"${isChosen ? trustedHtml(' checked') : ''} /><label for="rows-${value}">${label}</label></p>`;
  const allOrNone = fields.get('rows') === 'all-or-none';
  const kept = isKept ? html`${keptFormBanner(layout.words)}<p class="note">${upload.fileNotKept}</p>` : '';
  const templateId = template?.id ?? ownText;
  const content = html`${kept}${faultSummary(layout.words, faults)}${open}<p>${upload.next}</p>
    ${columnsSection(visit, template)}
    <form method="post" action="${uploadPath}" enctype="multipart/form-data" novalidate>${hiddenInput('templateId', templateId)}
      ${textInput(view, { name: 'name', label: upload.name, hint: upload.nameHint, maxLength: 100 })}
      <fieldset><legend>${upload.rows}</legend>${choice('good', upload.good, !allOrNone)}${choice('all-or-none', upload.allOrNone, allOrNone)}</fieldset>
      <p><label for="${fileField}">${upload.file}</label><span class="hint" id="file-hint">${upload.fileHint}</span>${faultText(faults, fileField)}
      <input type="file" id="${fileField}" name="${fileField}" accept=".csv,.jsonl,.ndjson,text/csv"${fieldAttributes(faults, fileField, 'file-hint')} /></p>
      <p class="actions"><button type="submit">${upload.submit}</button> <a href="${base}">${layout.words.forms.cancel}</a></p>
    </form>`;
  return page(visit, content, faults);
}

function columnsSection(visit: StaffVisit, template: ListedTemplate | undefined): Html {
  const { upload } = visit.texts.batches;
  const { needed, optional } = batchFileColumns(visit, template);
  const list = (columns: typeof needed) =>
    html`<ul>${columns.map(({ name, label }) => html`<li><code><bdi>${name}</bdi></code>${label === '' ? '' : `: ${label}`}</li>`)}</ul>`;
  const example = `${base}/example?templateId=${template?.id ?? ownText}`;
  const title = template === undefined ? '' : html`<p>${visit.texts.send.template}: <bdi>${template.name}</bdi></p>`;
  return html`${title}<h2>${upload.columns}</h2><p>${upload.needed}</p>${list(needed)}
    <p>${upload.optional}</p>${list(optional)}
    <p><a href="${example}">${upload.example}</a></p>`;
}

function page(visit: StaffVisit, content: Html, faults: readonly FieldFault[]): BufferedResponse {
  const hasFaults = faults.length > 0;
  const { title } = visit.texts.batches.upload;
  return renderStaffPage(visit, { title, content, section: 'batches', status: hasFaults ? 400 : 200, hasFaults });
}

/** A file with the needed columns and one row, which a person fills in with a spreadsheet program. */
export async function downloadExample(visit: StaffVisit): Promise<PageOutcome | Refusal> {
  const templates = await readTemplates(visit);
  if (!('items' in templates)) return templates;
  const chosen = new URLSearchParams(requestQuery(visit.request.url)).get('templateId');
  const { needed, optional } = batchFileColumns(
    visit,
    templates.items.find(({ id }) => id === chosen),
  );
  const columns = [...needed, ...optional.filter(({ name }) => name === 'subject')];
  const rows = [columns.map(({ name }) => name), columns.map(({ name, label }) => (label === '' ? name : label))];
  const headers = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="messages.csv"',
    'cache-control': 'private, no-store',
  };
  return { status: 200, headers, body: spreadsheetFile(visit.layout.words.language, rows) };
}
