import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationResponse } from '../api/operation.ts';
import { readOwnAccessLog } from '../audit/read-own-access-log.ts';
import { csvLine } from '../kernel/csv-line.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { AccessLog } from './access-log-page.ts';
import { type CitizenRequest, readJson } from './citizen-operations.ts';
import { type DescribedUsage, type UseRowKey, wordsOfUse } from './usage-words.ts';

/** The JSON of `readOwnAccessLog`, all of which is in the download with proofs. */
type ProvenLog = AccessLog & { readonly chain: string; readonly linkKey: string; readonly earlierLinkKey?: string };
type Streamed = { readonly stream: Extract<OperationResponse, { stream: unknown }> };

/** A file that the citizen downloads: the uses that pass the filter, oldest first, as a table or with their proofs. */
export async function downloadUses(
  visit: CitizenRequest,
  format: 'csv' | 'json',
  filter: Readonly<Record<string, string>>,
): Promise<Streamed | Refusal> {
  const query = { ...filter, language: visit.view.words.language };
  const first = await readJson<ProvenLog>(visit, readOwnAccessLog, { query });
  if (!('json' in first)) return first;
  const pages = readPages(visit, query, first.json);
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json';
  const headers = {
    'content-type': type,
    'content-disposition': `attachment; filename="use-of-your-data.${format}"`,
    'cache-control': 'no-store',
  };
  const texts = format === 'csv' ? csvTexts(visit.view, pages) : jsonTexts(pages);
  return { stream: { status: 200, headers, stream: bytesOf(texts) } };
}

/** The download was interrupted by a refusal after its first bytes. The connection is closed, so that the browser does not treat it as complete. */
export class DownloadInterrupted extends Error {
  override readonly name = 'DownloadInterrupted';
}

/** A download waits for the quota of the citizen this often, and this long if the refusal does not say how long. */
const [maxWaits, defaultWaitSeconds] = [30, 1];

async function* readPages(visit: CitizenRequest, query: Readonly<Record<string, string>>, first: ProvenLog) {
  yield first;
  let waits = 0;
  for (let { next } = first; next !== null; ) {
    const page = await readJson<ProvenLog>(visit, readOwnAccessLog, { query: { ...query, after: String(next) } });
    if ('json' in page) {
      yield page.json;
      next = page.json.next;
      continue;
    }
    const seconds = Number(page.headers?.['retry-after'] ?? defaultWaitSeconds);
    waits += 1;
    if (waits > maxWaits || page.headers?.['retry-after'] === undefined) throw new DownloadInterrupted(page.slug);
    await sleep(seconds * 1_000);
  }
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array, undefined, undefined> {
  for await (const text of texts) yield Buffer.from(text);
}

/** All pages as one response of the operation, so that the same programs check both. */
async function* jsonTexts(pages: AsyncIterable<ProvenLog>) {
  let count = 0;
  for await (const { totalUsages, chain, linkKey, earlierLinkKey, usages } of pages) {
    const head = JSON.stringify({ totalUsages, chain, linkKey, earlierLinkKey });
    const items = usages.map((usage) => JSON.stringify(usage)).join(',\n');
    yield count === 0 ? `${head.slice(0, -1)},"usages":[\n${items}` : `${usages.length === 0 ? '' : ',\n'}${items}`;
    count += usages.length;
  }
  yield '\n]}\n';
}

/** The byte order mark makes spreadsheets read the file as UTF-8. */
const byteOrderMark = '\uFEFF';

async function* csvTexts({ words, nameOf }: CitizenRequest['view'], pages: AsyncIterable<AccessLog>) {
  const { uses } = words;
  const { labels } = uses;
  const rowColumns: readonly (readonly [UseRowKey, string])[] = [
    ['object', `${labels.document} / ${labels.message}`],
    ['recipient', labels.recipient],
    ['until', labels.until],
    ['purpose', uses.purpose],
    ['legalBasis', uses.legalBasis],
    ['consent', uses.consent],
    ['claims', uses.asked],
    ['channel', labels.channel],
    ['result', labels.result],
    ['reason', labels.reason],
  ];
  const lineOf = (usage: DescribedUsage) => {
    const { who = '', what, rows } = wordsOfUse({ words, nameOf }, usage);
    const cells = rowColumns.map(([key]) => {
      const found = rows.filter((row) => row.key === key);
      return found.map(({ label, text }) => (key === 'claims' ? `${label}: ${text}` : text)).join('; ');
    });
    return csvLine([String(usage.number), usage.logTime, who, what, ...cells, usage.queryId ?? '']);
  };
  const titles = rowColumns.map(([, title]) => title);
  yield `${byteOrderMark}${csvLine([labels.number, labels.time, labels.who, labels.what, ...titles, labels.reference])}`;
  for await (const { usages } of pages) yield usages.map(lineOf).join('');
}
