import { maxUsageNumber, readOwnAccessLog } from '../audit/read-own-access-log.ts';
import { requestQuery } from '../kernel/request-target.ts';
import type { LegalNotice } from '../notifications/notification/legal-notice.ts';
import { downloadUses } from './access-log-download.ts';
import { type AccessLog, accessLogPage, type UsesChoice, usesPerPage } from './access-log-page.ts';
import { type CitizenRequest, readJson } from './citizen-operations.ts';

type Query = Readonly<Record<string, string>>;

/** The notice of a message of the citizen, if opening the message can still decide when it counts as served. */
export type PendingNoticeOf = (id: string, citizenId: string) => Promise<LegalNotice | undefined>;

/** Shows who used the data of the citizen. */
export async function handleUses(visit: CitizenRequest, pendingNoticeOf: PendingNoticeOf) {
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
  const addNotices = (log: AccessLog) => withPendingNotices(log, (id) => pendingNoticeOf(id, visit.citizenId));
  return accessLogPage(visit.view, {
    choice,
    wrongDates,
    others: await addNotices(others.json),
    own: own === undefined ? undefined : await addNotices(own.json),
    before,
    ownBefore,
  });
}

/** Adds the notices to the uses with a link that opens a message, so that the citizen knows the effect beforehand. */
async function withPendingNotices(
  log: AccessLog,
  noticeOf: (id: string) => Promise<LegalNotice | undefined>,
): Promise<AccessLog> {
  const objects = log.usages.flatMap(({ object }) => object ?? []);
  const ids = new Set(
    objects.flatMap(({ type, state, id }) => (type === 'message' && state === 'available' ? id : [])),
  );
  const notices = new Map(await Promise.all([...ids].map(async (id) => [id, await noticeOf(id)] as const)));
  return {
    ...log,
    usages: log.usages.map((usage) => ({ ...usage, pendingNotice: notices.get(usage.object?.id ?? '') })),
  };
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

function isDate(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
