import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestQuery } from '../../kernel/request-target.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { RowCode } from '../../notifications/batches/batch.ts';
import { valuePrefix } from '../../notifications/batches/batch-columns.ts';
import type { batchView } from '../../notifications/batches/batch-shape.ts';
import { columnOfDetail } from '../../notifications/batches/row-detail.ts';
import { notificationStatuses } from '../../notifications/notification/notification.ts';
import type { BatchPreview } from '../../notifications/preview-batch.ts';
import { previewServiceBatch } from '../../staff/preview-service-batch.ts';
import { listServiceBatchRows, readServiceBatch } from '../../staff/read-service-batches.ts';
import { minuteElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { type Html, html } from '../html.ts';
import { readProposals, type ShownProposal } from './read-proposals.ts';
import { ownText } from './send-form.ts';
import { staffPaths } from './staff-area.ts';
import { renderStaffPage, type StaffVisit } from './staff-page.ts';
import { staffTable } from './staff-table.ts';

/** The JSON of a batch. */
export type BatchProgress = ReturnType<typeof batchView>;
type RefusedRow = { readonly row: number; readonly code: RowCode; readonly detail: string };

const refreshSeconds = 10;
const shownFaults = '20';

/** The page of a batch: its check, its approval, its progress and its result. */
export async function showBatch(visit: StaffVisit, id: string): Promise<BufferedResponse | Refusal> {
  const found = await readJson<BatchProgress>(visit, readServiceBatch, { params: { id } });
  if (!('json' in found)) return found;
  const batch = found.json;
  // A page that loads again by itself shows no rows, because the staff log has an entry for each look at them.
  const rows = !isMoving(batch) && batch.refused > 0 ? await readFaults(visit, id) : { json: [] };
  if (!('json' in rows)) return rows;
  const parts: ReadyParts | Refusal =
    batch.state === 'ready'
      ? await readyParts(visit, batch)
      : { top: progressParts(visit, batch), bottom: '', action: '' };
  if ('slug' in parts) return parts;
  const title = batch.name ?? visit.texts.batches.unnamed;
  const content = html`${parts.top}${countList(visit, batch)}${faultTable(visit, batch, rows.json)}${parts.bottom}${actionLinks(visit, batch, parts.action)}
    <p><a href="${staffPaths.batches}">${visit.texts.batches.all}</a></p>`;
  const page = renderStaffPage(visit, {
    title,
    content,
    section: 'batches',
    ...(batch.name === null ? {} : { titleLanguage: '' }),
  });
  return refreshes(visit, batch) ? { ...page, headers: { ...page.headers, refresh: String(refreshSeconds) } } : page;
}

const isMoving = ({ state }: BatchProgress) => ['receiving', 'checking', 'sending'].includes(state);

/** A person can stop the page from loading by itself (WCAG 2.2, 2.2.2). */
function refreshes({ request }: StaffVisit, batch: BatchProgress): boolean {
  return isMoving(batch) && new URLSearchParams(requestQuery(request.url)).get('refresh') !== 'off';
}

async function readFaults(visit: StaffVisit, id: string): Promise<{ readonly json: readonly RefusedRow[] } | Refusal> {
  const query = { state: 'refused', limit: shownFaults };
  const list = await readJson<{ readonly items: readonly RefusedRow[] }>(visit, listServiceBatchRows, {
    params: { id },
    query,
  });
  return 'json' in list ? { json: list.json.items } : list;
}

/** The state of the batch, and the progress of the server. */
function progressParts(visit: StaffVisit, batch: BatchProgress): Html {
  const { layout, texts } = visit;
  const { language } = layout.words;
  const { states, codes, progress, faults } = texts.batches;
  const { state, code, detail, rows, checked, accepted, refused, id } = batch;
  const stateLine = html`<p><span class="badge">${states[state]}</span></p>`;
  if (!isMoving(batch)) {
    const explanation =
      detail === null ? '' : html`<p class="note">${faults.detail}: <bdi lang="en">${detail}</bdi></p>`;
    const reason = code === null ? '' : html`<p>${codes[code]}</p>${explanation}`;
    return html`${stateLine}${reason}${state === 'refused' && refused === 0 ? html`<p>${uploadLink(visit, batch)}</p>` : ''}`;
  }
  const path = `${staffPaths.batches}/${id}?refresh=off`;
  const link = refreshes(visit, batch)
    ? html`${formatMessage(language, progress.refresh, { seconds: refreshSeconds })} <a href="${path}">${progress.stop}</a>`
    : html`<a href="${path}">${progress.again}</a>`;
  // The number of rows is known when the whole file has arrived.
  if (rows === null) return html`${stateLine}<p>${progress.receiving}</p><p>${link}</p>`;
  const [done, sentence] = state === 'sending' ? [accepted + refused, progress.sent] : [checked, progress.checked];
  return html`${stateLine}<p id="progress">${formatMessage(language, sentence, { done, rows })}</p>
    <p><progress aria-labelledby="progress" max="${Math.max(1, rows)}" value="${done}"></progress></p><p>${link}</p>`;
}

function countList({ layout, texts }: StaffVisit, { rows, refused, notifications, state }: BatchProgress): Html | '' {
  const { counts, statuses } = texts.batches;
  const number = (count: number) => new Intl.NumberFormat(layout.words.language).format(count);
  const ofStatus = notificationStatuses.flatMap((status) => {
    const count = notifications[status];
    return count === undefined ? [] : [[statuses[status], count] as const];
  });
  const shown = [
    ...(rows === null ? [] : [[counts.rows, rows] as const]),
    ...(state === 'ready' && rows !== null ? [[counts.good, rows - refused] as const] : []),
    ...(rows === null ? [] : [[counts.refused, refused] as const]),
    ...ofStatus,
  ];
  const entries = shown.map(([name, count]) => html`<dt>${name}</dt><dd>${number(count)}</dd>`);
  return entries.length === 0 ? '' : html`<dl class="summary">${entries}</dl>`;
}

/** The first rows with a fault, and what to do with them. A batch that was refused as a whole has sent no row. */
function faultTable(visit: StaffVisit, batch: BatchProgress, rows: readonly RefusedRow[]): Html {
  const { layout, texts } = visit;
  const { id, refused, state } = batch;
  const { faults, rowCodes } = texts.batches;
  const path = `${staffPaths.batches}/${id}/results`;
  const all = html`<li><a href="${path}">${faults.downloadAll}</a></li>`;
  if (rows.length === 0) return html`${state === 'done' || state === 'cancelled' ? html`<ul>${all}</ul>` : ''}`;
  const title = formatMessage(layout.words.language, faults.title, { count: refused });
  const lines = rows.map(({ row, code, detail: faultDetail }) => {
    // The columns of placeholders need no prefix.
    const detail = faultDetail.replaceAll(valuePrefix, '');
    const column = columnOfDetail(detail);
    const fault = html`${rowCodes[code]}${column === undefined ? '' : html`: <code>${column}</code>`}`;
    // Other cells have the row and the column.
    const text = detail.replace(/^row \d+[^:]*: /, '');
    return [String(row), fault, html`<span lang="en" dir="ltr">${text}</span>`];
  });
  const wasRefused = state === 'refused';
  const ofFaults = html`<li><a href="${path}?state=refused">${faults.download}</a></li>`;
  return html`<h2 id="faults">${title}</h2><p>${wasRefused ? faults.correctAll : faults.correct}</p>
    <ul>${wasRefused ? '' : ofFaults}${state === 'ready' ? '' : all}<li>${uploadLink(visit, batch)}</li></ul>
    ${refused > rows.length ? html`<p>${formatMessage(layout.words.language, faults.first, { count: rows.length })}</p>` : ''}
    ${staffTable('faults', [faults.row, faults.fault, faults.detail], lines)}`;
}

function uploadLink({ texts }: StaffVisit, { templateId }: BatchProgress): Html {
  const path = `${staffPaths.batches}/new?templateId=${templateId ?? ownText}`;
  return html`<a href="${path}">${texts.batches.faults.upload}</a>`;
}

type ReadyParts = { readonly top: Html; readonly bottom: Html | ''; readonly action: Html | '' };

/** The state of the approval, the cost and the first rows, and the link that starts the batch unless a proposal waits. */
async function readyParts(visit: StaffVisit, { id }: BatchProgress): Promise<ReadyParts | Refusal> {
  const proposals = await readProposals(visit, { operation: 'startBatch' });
  if ('slug' in proposals) return proposals;
  const proposal = proposals.find(({ input }) => input['batch'] === id);
  const preview = await readJson<BatchPreview>(visit, previewServiceBatch, { params: { id } });
  if (!('json' in preview)) return preview;
  const { action } = visit.texts.batches.start;
  const isProposed = proposal?.status === 'proposed';
  return {
    top: approvalParts(visit, id, proposal),
    action: isProposed ? '' : html`<a class="action" href="${staffPaths.batches}/${id}/start">${action}</a> `,
    bottom: html`${costParts(visit, preview.json)}${rowTable(visit, preview.json)}`,
  };
}

function approvalParts({ layout, texts }: StaffVisit, id: string, proposal: ShownProposal | undefined): Html {
  const { words } = layout;
  const { approval, progress, states } = texts.batches;
  const name = (person: string) => ({ name: `\u2068${person}\u2069` });
  if (proposal?.status === 'proposed') {
    const link = `${staffPaths.proposals}/${proposal.id}`;
    return html`<div class="banner" role="status"><p><strong>${approval.waiting}</strong> ${formatMessage(words.language, approval.proposed, name(proposal.proposedBy.name))}</p>
      <p>${approval.until} ${minuteElement(words, proposal.expiresAt)}</p>
      <p><a href="${link}">${approval.decide}</a></p>
      <p><a href="${staffPaths.batches}/${id}">${progress.again}</a></p></div>`;
  }
  const { decision, status } = proposal ?? {};
  const refused =
    status === 'refused' && decision !== undefined
      ? html`<p class="note">${formatMessage(words.language, approval.refused, name(decision.name))} <bdi>${decision.reason ?? ''}</bdi></p>`
      : '';
  const expired = status === 'expired' ? html`<p class="note">${approval.expired}</p>` : '';
  return html`<p><span class="badge">${states.ready}</span></p>${refused}${expired}`;
}

function costParts({ layout, texts }: StaffVisit, { estimate }: BatchPreview): Html {
  const { language } = layout.words;
  const { cost } = texts.batches;
  const { messages, planned, textMessages, letters } = estimate;
  const basis = planned >= messages ? cost.exact : formatMessage(language, cost.estimated, { planned, messages });
  return html`<h2>${cost.title}</h2><ul><li>${formatMessage(language, cost.textMessages, { count: textMessages })}</li>
      <li>${formatMessage(language, cost.letters, { count: letters })}</li></ul><p>${basis} ${cost.less}</p>`;
}

function rowTable({ texts }: StaffVisit, { columns, rows }: BatchPreview): Html {
  const { firstRows, faults } = texts.batches;
  const lines = rows.map(({ row, values }) => [String(row), ...values.map((value) => html`<bdi>${value}</bdi>`)]);
  return html`<h2 id="rows">${firstRows}</h2>${staffTable('rows', [faults.row, ...columns], lines)}`;
}

function actionLinks({ texts }: StaffVisit, { id, endedAt }: BatchProgress, start: Html | ''): Html | '' {
  if (endedAt !== null) return '';
  const cancel = html`<a href="${staffPaths.batches}/${id}/cancel">${texts.batches.cancel.action}</a>`;
  return html`<p class="actions">${start}${cancel}</p>`;
}
