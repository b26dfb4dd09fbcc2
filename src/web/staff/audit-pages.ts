import type { BufferedResponse } from '../../api/buffered-response.ts';
import { formatInstant } from '../../kernel/clock.ts';
import { endOfLocalDate, isCalendarDate, startOfLocalDate } from '../../kernel/local-date.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestQuery } from '../../kernel/request-target.ts';
import { readStaffLog } from '../../staff/read-staff-log.ts';
import { minuteElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { selectField } from '../form-parts.ts';
import { type Html, html } from '../html.ts';
import type { PageOutcome } from '../send-page.ts';
import { downloadStaffLog, type StaffLogEntry, type StaffLogPage, staffReasonText } from './audit-download.ts';
import { changeEntries, concealmentNote, operationText } from './proposal-words.ts';
import { staffPaths } from './staff-area.ts';
import { renderStaffPage, type StaffPage, type StaffVisit } from './staff-page.ts';

/** The choice of the auditor, as in the URL of the page; '' for none. */
type AuditChoice = Readonly<Record<'subject' | 'operation' | 'service' | 'event' | 'from' | 'to', string>>;

/** The pages on which auditors filter the staff log and download it. */
export const auditPages: readonly StaffPage[] = [
  { path: staffPaths.audit, methods: ['GET'], show: showLog },
  { path: `${staffPaths.audit}/table`, methods: ['GET'], show: (visit) => download(visit, 'csv') },
  { path: `${staffPaths.audit}/proofs`, methods: ['GET'], show: (visit) => download(visit, 'json') },
];

async function showLog(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const { choice, filter, wrongDates, after } = parseAuditQuery(visit);
  const query = after === null ? filter : { ...filter, after };
  const answer = await readJson<StaffLogPage>(visit, readStaffLog, { query });
  if (!('json' in answer)) return answer;
  const { texts, layout } = visit;
  const { audit, sections } = texts;
  const { uses } = layout.words;
  const { items, next } = answer.json;
  const content = html`<p>${audit.intro}</p>
    <p><a href="${urlOf('', { operation: 'lookUpCitizen' })}">${audit.looked}</a></p>
    ${filterForm(visit, choice, wrongDates)}
    ${items.length === 0 ? html`<p>${uses.filter.nothing}</p>` : html`<ul class="list">${items.map((entry) => entryItem(visit, entry))}</ul>`}
    ${after === null ? '' : html`<p><a href="${urlOf('', choice)}">${uses.newer}</a></p>`}
    ${next === null ? '' : html`<p><a href="${urlOf('', { ...choice, after: next })}">${uses.older}</a></p>`}
    <h2>${uses.download.title}</h2>
    <p>${audit.downloadNote}</p>
    <ul><li><a href="${urlOf('/table', choice)}">${uses.download.table}</a></li>
      <li><a href="${urlOf('/proofs', choice)}">${uses.download.proofs}</a></li></ul>`;
  return renderStaffPage(visit, {
    title: sections.audit,
    content,
    section: 'audit',
    hasFaults: wrongDates.length > 0,
  });
}

async function download(visit: StaffVisit, format: 'csv' | 'json'): Promise<PageOutcome | Refusal> {
  return await downloadStaffLog(visit, format, parseAuditQuery(visit).filter);
}

/** The choice in a URL. Days are in TIME_ZONE, and `to` includes its day. A date that is none does not filter, and the page says so. */
function parseAuditQuery({ request, layout }: StaffVisit) {
  const query = new URLSearchParams(requestQuery(request.url));
  const text = (name: string) => query.get(name)?.trim() ?? '';
  const choice: AuditChoice = {
    subject: text('subject'),
    operation: text('operation'),
    service: text('service'),
    event: text('event'),
    from: text('from'),
    to: text('to'),
  };
  const wrongDates = (['from', 'to'] as const).filter((name) => choice[name] !== '' && !isCalendarDate(choice[name]));
  const { from, to, ...texts } = choice;
  const { timeZone = 'UTC' } = layout.words;
  const all = {
    ...texts,
    createdFrom: isCalendarDate(from) ? formatInstant(startOfLocalDate(timeZone, from)) : '',
    createdBefore: isCalendarDate(to) ? formatInstant(endOfLocalDate(timeZone, to)) : '',
  };
  const filter = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  return { choice, filter, wrongDates, after: query.get('after') };
}

function urlOf(part: '' | '/table' | '/proofs', members: Readonly<Record<string, string>>): string {
  const set = Object.entries(members).filter(([, value]) => value !== '');
  const path = `${staffPaths.audit}${part}`;
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

function filterForm(visit: StaffVisit, choice: AuditChoice, wrongDates: readonly ('from' | 'to')[]): Html {
  const { texts, layout } = visit;
  const { audit, operationNames } = texts;
  const { filter } = layout.words.uses;
  const text = (name: 'subject' | 'service' | 'event', label: string) =>
    html`<p><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${choice[name]}" maxlength="255" autocomplete="off" /></p>`;
  const date = (name: 'from' | 'to') => {
    const isWrong = wrongDates.includes(name);
    const describedBy = isWrong ? html` aria-invalid="true" aria-describedby="${name}-fault"` : '';
    return html`<p><label for="${name}">${filter[name]}</label>
        ${isWrong ? html`<span class="fault" id="${name}-fault">${filter.wrongDate}</span>` : ''}
        <input type="date" id="${name}" name="${name}" value="${choice[name]}"${describedBy} /></p>`;
  };
  const operations = [['', audit.anyOperation] as const, ...Object.entries(operationNames)];
  const select = { name: 'operation', label: audit.operation, faults: [], options: operations } as const;
  return html`<form class="filters" method="get" action="${staffPaths.audit}">
      ${text('subject', audit.person)}<p>${selectField({ ...select, chosen: choice.operation })}</p>
      ${text('service', audit.service)}${text('event', audit.event)}${date('from')}${date('to')}
      <p class="actions"><button type="submit">${filter.apply}</button> <a href="${staffPaths.audit}">${filter.clear}</a></p>
    </form>`;
}

function entryItem(visit: StaffVisit, entry: StaffLogEntry): Html {
  const { texts, layout, nameOf } = visit;
  const { audit, proposals } = texts;
  const { name, subject, service, reason, reference, events } = entry;
  const isProven = events.every(({ proof }) => proof !== null);
  const rows: readonly (readonly [string, string])[] = [
    ...(service === null ? [] : ([[proposals.service, nameOf(service)]] as const)),
    ...(reason === undefined ? [] : ([[audit.reason, staffReasonText(visit, reason)]] as const)),
    ...(reference === undefined ? [] : ([[audit.reference, reference]] as const)),
  ];
  return html`<li><p>${minuteElement(layout.words, entry.at)}</p>
      <p class="fresh"><bdi>${name}</bdi> (<bdi>${subject}</bdi>)</p>
      <p>${operationText(visit, entry.operation)}</p>
      <dl class="summary">${rows.map(([label, value]) => html`<dt>${label}</dt><dd><bdi>${value}</bdi></dd>`)}
        ${changeEntries(visit, entry)}<dt>${audit.entries}</dt><dd>${events.map(({ id }) => html`<bdi>${id}</bdi> `)}(${isProven ? audit.proven : audit.unproven})</dd></dl>
      ${concealmentNote(visit, entry)}</li>`;
}
