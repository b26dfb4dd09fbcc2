import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationResponse } from '../../api/operation.ts';
import { csvLine } from '../../kernel/csv-line.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { readStaffLog } from '../../staff/read-staff-log.ts';
import { DownloadInterrupted } from '../access-log-download.ts';
import { readJson } from '../citizen-operations.ts';
import { textNamed } from '../usage-words.ts';
import { operationText } from './proposal-words.ts';
import type { StaffVisit } from './staff-page.ts';

/** An entry of the response of `readStaffLog`. */
export type StaffLogEntry = {
  readonly id: string;
  readonly at: string;
  readonly subject: string;
  readonly name: string;
  readonly service: string | null;
  readonly operation: string;
  readonly reason?: string;
  readonly reference?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly events: readonly { readonly id: string; readonly proof: string | null }[];
};

/** The response of `readStaffLog`. */
export type StaffLogPage = { readonly items: readonly StaffLogEntry[]; readonly next: string | null };

type Streamed = { readonly stream: Extract<OperationResponse, { stream: unknown }> };
type Query = Readonly<Record<string, string>>;

/** A file that an auditor downloads: the entries that pass the filter, newest first, as a table or with their proofs. */
export async function downloadStaffLog(
  visit: StaffVisit,
  format: 'csv' | 'json',
  filter: Query,
): Promise<Streamed | Refusal> {
  const first = await readJson<StaffLogPage>(visit, readStaffLog, { query: filter });
  if (!('json' in first)) return first;
  const pages = readPages(visit, filter, first.json);
  const headers = {
    'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
    'content-disposition': `attachment; filename="staff-log.${format}"`,
    'cache-control': 'no-store',
  };
  const texts = format === 'csv' ? csvTexts(visit, pages) : jsonTexts(pages);
  return { stream: { status: 200, headers, stream: bytesOf(texts) } };
}

/** A download waits for the quota of the person this often. */
const maxWaits = 30;

async function* readPages(visit: StaffVisit, filter: Query, first: StaffLogPage) {
  yield first;
  let waits = 0;
  for (let { next } = first; next !== null; ) {
    const page = await readJson<StaffLogPage>(visit, readStaffLog, { query: { ...filter, after: next } });
    if ('json' in page) {
      yield page.json;
      next = page.json.next;
      continue;
    }
    const seconds = page.headers?.['retry-after'];
    waits += 1;
    if (waits > maxWaits || seconds === undefined) throw new DownloadInterrupted(page.slug);
    await sleep(Number(seconds) * 1_000);
  }
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array, undefined, undefined> {
  for await (const text of texts) yield Buffer.from(text);
}

/** All pages as one response of the operation without a further page. */
async function* jsonTexts(pages: AsyncIterable<StaffLogPage>) {
  let count = 0;
  yield '{"items":[\n';
  for await (const { items } of pages) {
    const lines = items.map((item) => JSON.stringify(item)).join(',\n');
    yield count > 0 && items.length > 0 ? `,\n${lines}` : lines;
    count += items.length;
  }
  yield '\n],"next":null}\n';
}

/** The byte order mark makes spreadsheets read the file as UTF-8. */
const byteOrderMark = '\uFEFF';

async function* csvTexts(visit: StaffVisit, pages: AsyncIterable<StaffLogPage>) {
  const { audit, proposals } = visit.texts;
  const titles = [
    audit.time,
    audit.person,
    audit.name,
    proposals.service,
    audit.operation,
    audit.reason,
    audit.reference,
    proposals.before,
    proposals.after,
    audit.entries,
  ];
  const json = (value: unknown) => (value === undefined ? '' : JSON.stringify(value));
  yield `${byteOrderMark}${csvLine(titles)}`;
  for await (const { items } of pages)
    yield items
      .map(({ at, subject, name, service, operation, reason, reference, before, after, events }) =>
        csvLine([
          at,
          subject,
          name,
          service ?? '',
          operationText(visit, operation),
          reason === undefined ? '' : staffReasonText(visit, reason),
          reference ?? '',
          json(before),
          json(after),
          events.map(({ id }) => id).join(' '),
        ]),
      )
      .join('');
}

/** The reason of an entry: a look-up has a code from a list, other operations a text. */
export function staffReasonText({ texts }: Pick<StaffVisit, 'texts'>, reason: string): string {
  return textNamed(texts.lookUpReasons, reason) ?? reason;
}
