import type { Refusal } from '../../kernel/refusal.ts';
import { requestPath, requestQuery } from '../../kernel/request-target.ts';
import { listServiceBatches, readServiceBatchResults } from '../../staff/read-service-batches.ts';
import { readJson } from '../citizen-operations.ts';
import { html } from '../html.ts';
import type { PageOutcome } from '../send-page.ts';
import { showBatchCancel, showBatchStart } from './batch-acts.ts';
import { type BatchList, batchList } from './batch-list.ts';
import { showBatch } from './batch-page.ts';
import { downloadExample, noServicePage, showUpload } from './batch-upload-page.ts';
import { withByteOrderMark } from './spreadsheet-file.ts';
import { staffPaths } from './staff-area.ts';
import { renderStaffPage, type StaffPage, type StaffVisit } from './staff-page.ts';

const { batches: base } = staffPaths;
const readMethods = ['GET', 'HEAD'] as const;
const formMethods = ['GET', 'HEAD', 'POST'] as const;

/** The pages on which caseworkers upload files of messages, check, start and follow them. */
export const batchPages: readonly StaffPage[] = [
  { path: base, methods: readMethods, show: showBatches },
  { path: `${base}/new`, methods: formMethods, show: showUpload },
  { path: `${base}/example`, methods: ['GET'], show: downloadExample },
  { path: `${base}/:id`, methods: readMethods, show: (visit) => showBatch(visit, idOf(visit)) },
  { path: `${base}/:id/start`, methods: formMethods, show: (visit) => showBatchStart(visit, idOf(visit)) },
  { path: `${base}/:id/cancel`, methods: formMethods, show: (visit) => showBatchCancel(visit, idOf(visit)) },
  { path: `${base}/:id/results`, methods: ['GET'], show: downloadResults },
];

const idOf = ({ request }: StaffVisit) => requestPath(request.url).split('/')[3] ?? '';

async function showBatches(visit: StaffVisit): Promise<PageOutcome | Refusal> {
  const { texts, member, request } = visit;
  const { batches } = texts;
  const title = batches.title;
  if (member.service === null) return noServicePage(visit);
  const cursor = new URLSearchParams(requestQuery(request.url)).get('after');
  const query: Record<string, string> = cursor === null ? {} : { cursor };
  const list = await readJson<BatchList>(visit, listServiceBatches, { query });
  if (!('json' in list)) return list;
  const { items, next } = list.json;
  const content = html`<p>${batches.intro}</p><p><a class="action" href="${base}/new">${batches.upload.title}</a></p>
    ${items.length === 0 ? html`<p>${batches.none}</p>` : batchList(visit, list.json)}
    ${next === null ? '' : html`<p><a href="${base}?after=${next}">${batches.older}</a></p>`}`;
  return renderStaffPage(visit, { title, content, section: 'batches' });
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
  if (!('stream' in answer) || answer.stream === null)
    throw new TypeError('expected the results of a batch as a stream');
  return { stream: { ...answer, stream: withByteOrderMark(answer.stream) } };
}
