import { maxUsageNumber, readOwnAccessLog } from '../audit/read-own-access-log.ts';
import { requestQuery } from '../kernel/request-target.ts';
import { downloadUses } from './access-log-download.ts';
import { type AccessLog, accessLogPage, type UsesChoice, usesPerPage } from './access-log-page.ts';
import { type CitizenRequest, readJson } from './citizen-operations.ts';

type Query = Readonly<Record<string, string>>;

/** Shows who used the data of the citizen. */
export async function handleUses(visit: CitizenRequest) {
  const { choice, wrongDates, filter, before, ownBefore } = parseUsesQuery(visit);
  const { organisation: _, ...dates } = filter;
  const read = (query: Query, from: string | undefined) => {
    const { language } = visit.view.words;
    // Entries are read in descending order, before a number that no entry reaches.
    const position = { before: from ?? String(maxUsageNumber), limit: String(usesPerPage), language };
    return readJson<AccessLog>(visit, readOwnAccessLog, { query: { ...query, ...position } });
  };
  const others = await read({ ...filter, by: 'others', organisations: 'true' }, before);
  if (!('json' in others)) return others;
  const own = choice.organisation === '' ? await read({ ...dates, by: 'citizen' }, ownBefore) : undefined;
  if (own !== undefined && !('json' in own)) return own;
  return accessLogPage(visit.view, { choice, wrongDates, others: others.json, own: own?.json, before, ownBefore });
}

/** Downloads the uses that the citizen chose as a table. */
export async function handleUsesTable(visit: CitizenRequest) {
  return await downloadUses(visit, 'csv', parseUsesQuery(visit).filter);
}

/** The same with proofs. */
export async function handleUsesProofs(visit: CitizenRequest) {
  return await downloadUses(visit, 'json', parseUsesQuery(visit).filter);
}

/** The choice in a URL. A date that is none does not filter; the page says so, because a browser without date fields sends any text. */
function parseUsesQuery({ request }: CitizenRequest) {
  const query = new URLSearchParams(requestQuery(request.url));
  const choice: UsesChoice = {
    organisation: query.get('organisation') ?? '',
    from: query.get('from')?.trim() ?? '',
    to: query.get('to')?.trim() ?? '',
  };
  const wrongDates = (['from', 'to'] as const).filter((name) => choice[name] !== '' && !isDate(choice[name]));
  const used = Object.entries(choice).filter(
    ([name, value]) => value !== '' && !wrongDates.some((one) => one === name),
  );
  const filter: Query = Object.fromEntries(used);
  const [before, ownBefore] = ['before', 'own'].map((name) => query.get(name) ?? undefined);
  return { choice, wrongDates, filter, before, ownBefore };
}

/** Whether the operation takes the date. */
function isDate(text: string): boolean {
  const at = /^[12]\d{3}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
