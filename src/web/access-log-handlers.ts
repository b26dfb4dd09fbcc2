import { maxUsageNumber, readOwnAccessLog } from '../audit/read-own-access-log.ts';
import { isCalendarDate } from '../kernel/local-date.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { requestQuery } from '../kernel/request-target.ts';
import type { LegalNotice } from '../notifications/notification/legal-notice.ts';
import { downloadUses } from './access-log-download.ts';
import {
  type AccessLog,
  accessLogPage,
  groupUses,
  type UseGroup,
  type UsesChoice,
  type UsesPage,
} from './access-log-page.ts';
import { type CitizenRequest, readJson } from './citizen-operations.ts';

type Query = Readonly<Record<string, string>>;

const groupsPerPage = 50;
/** The parts of the log that one page reads, at most. The first one is usually enough. */
const maxParts = 10;
const [firstLimit, nextLimit] = [groupsPerPage, 100];

/** The notice of a message of the citizen, if opening the message can still decide when it counts as served. */
export type PendingNoticeOf = (id: string, citizenId: string) => Promise<LegalNotice | undefined>;

/** Shows who used the data of the citizen. */
export async function handleUses(visit: CitizenRequest, pendingNoticeOf: PendingNoticeOf) {
  const { choice, wrongDates, filter, before, ownBefore } = parseUsesQuery(visit);
  const { organisation: _, ...dates } = filter;
  const others = await readUsesByOthers(visit, filter, before);
  if (!('groups' in others)) return others;
  const own = choice.organisation === '' ? await readPart(visit, { ...dates, by: 'citizen' }, ownBefore) : undefined;
  if (own !== undefined && !('json' in own)) return own;
  const addNotices = (usages: UseGroup) => withPendingNotices(usages, (id) => pendingNoticeOf(id, visit.citizenId));
  return accessLogPage(visit.view, {
    choice,
    wrongDates,
    others: { ...others, groups: await Promise.all(others.groups.map(addNotices)) },
    own: own === undefined ? undefined : { ...own.json, usages: await addNotices(own.json.usages) },
    before,
    ownBefore,
  });
}

/** Adds the notices to the uses with a link that opens a message, so that the citizen knows the effect beforehand. */
async function withPendingNotices(
  usages: UseGroup,
  noticeOf: (id: string) => Promise<LegalNotice | undefined>,
): Promise<UseGroup> {
  const objects = usages.flatMap(({ object }) => object ?? []);
  const ids = new Set(
    objects.flatMap(({ type, state, id }) => (type === 'message' && state === 'available' ? id : [])),
  );
  const notices = new Map(await Promise.all([...ids].map(async (id) => [id, await noticeOf(id)] as const)));
  return usages.map((usage) => ({ ...usage, pendingNotice: notices.get(usage.object?.id ?? '') }));
}

/** Reads until there are enough groups, so that many equal uses by one service do not hide those by others. */
async function readUsesByOthers(
  visit: CitizenRequest,
  filter: Query,
  before: string | undefined,
): Promise<UsesPage['others'] | Refusal> {
  const query = { ...filter, by: 'others' };
  const first = await readPart(visit, { ...query, organisations: 'true' }, before);
  if (!('json' in first)) return first;
  const usages = first.json.usages.toReversed();
  let { next } = first.json;
  let groups = groupUses(visit.view, usages);
  for (let parts = 1; parts < maxParts && next !== null && groups.length < groupsPerPage; parts += 1) {
    const part = await readPart(visit, { ...query, limit: String(nextLimit) }, String(next));
    // The page shows what was read, and its link to older entries leads to the rest.
    if (!('json' in part)) break;
    usages.push(...part.json.usages.toReversed());
    next = part.json.next;
    groups = groupUses(visit.view, usages);
  }
  const shown = groups.slice(0, groupsPerPage);
  const isCut = shown.length < groups.length;
  return { ...first.json, groups: shown, next: isCut ? (shown.at(-1)?.at(-1)?.number ?? next) : next };
}

/** Reads entries in descending order: those before a number, by default the newest. */
function readPart(visit: CitizenRequest, query: Query, before = String(maxUsageNumber)) {
  const { language } = visit.view.words;
  const position = { limit: String(firstLimit), ...query, before, language };
  return readJson<AccessLog>(visit, readOwnAccessLog, { query: position });
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
  const wrongDates = (['from', 'to'] as const).filter((name) => choice[name] !== '' && !isCalendarDate(choice[name]));
  const used = Object.entries(choice).filter(
    ([name, value]) => value !== '' && !wrongDates.some((one) => one === name),
  );
  const filter: Query = Object.fromEntries(used);
  const [before, ownBefore] = ['before', 'own'].map((name) => query.get(name) ?? undefined);
  return { choice, wrongDates, filter, before, ownBefore };
}
