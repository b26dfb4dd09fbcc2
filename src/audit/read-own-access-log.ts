import { Type } from 'typebox';
import {
  type Decision,
  defineOperation,
  type OperationCall,
  type RefusedDecision,
  type ReplayedResult,
} from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { languageTagPattern } from '../kernel/language-tag.ts';
import { endOfLocalDate, startOfLocalDate } from '../kernel/local-date.ts';
import { refuse } from '../kernel/refusal.ts';
import { readAccessLog } from './access-log.ts';
import type { UsageFilter } from './access-log-filter.ts';
import { createUsageDescriber } from './describe-usage.ts';
import { listUsingOrganisations } from './list-using-organisations.ts';
import type { AuditPorts } from './ports.ts';
import { isLookRecorded } from './recorded-look.ts';
import { usageSchema } from './usage-shape.ts';

const maxUsages = 100;
/** Larger than any number of a use: `before` with it starts at the newest. */
export const maxUsageNumber = 999_999_999_999_999;

const datePattern = '^[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$';

const request = {
  query: Type.Object(
    {
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 9_007_199_254_740_991,
          description: 'The number of the last use that you have. The response starts after it. Default: 0.',
        }),
      ),
      before: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxUsageNumber,
          description: 'Returns the last uses before this number. Use the largest value to get the newest uses.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxUsages, description: 'The maximum number of uses. Default: 100.' }),
      ),
      by: Type.Optional(
        Type.Union([Type.Literal('others'), Type.Literal('citizen')], {
          description: 'Only uses by others, or only what you did yourself.',
        }),
      ),
      organisation: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'Only uses by this organisation: a code of organisations. A concealed use is left out.',
        }),
      ),
      from: Type.Optional(
        Type.String({
          pattern: datePattern,
          maxLength: 10,
          description: 'Only uses from this date on, such as 2026-11-01, in the time zone of the server (TIME_ZONE).',
        }),
      ),
      to: Type.Optional(
        Type.String({
          pattern: datePattern,
          maxLength: 10,
          description: 'Only uses up to this date, in the time zone of the server (TIME_ZONE).',
        }),
      ),
      organisations: Type.Optional(
        Type.Union([Type.Literal('true'), Type.Literal('false')], {
          description: 'true: also returns the organisations that used your data.',
        }),
      ),
      language: Type.Optional(
        Type.String({
          pattern: languageTagPattern,
          maxLength: 35,
          description: 'The language of purposeText; default en.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
};

/** The citizen's own access log: who used which data, when and why, each with a proof. The first look of a session is itself a use. */
export const readOwnAccessLog = defineOperation({
  name: 'readOwnAccessLog',
  since: '1.0',
  method: 'GET',
  path: '/v1/access-log',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'List the uses of my data',
  description:
    'Returns the uses of the data of the citizen whom the token names (claim citizen_id of a trusted issuer), oldest first. For the next page, set after to the number of the last use. To read from the newest use backwards, set before to the number of the first use. With linkKey and chain, anyone can check that no number is missing. A page with a filter can have fewer uses than its limit, or none, before the last page: continue until next is null. The first request of a session is recorded as a use.',
  request,
  responses: {
    200: {
      description: 'One page of the access log.',
      schema: Type.Object({
        totalUsages: Type.Integer(),
        returnedUsages: Type.Integer(),
        usages: Type.Array(usageSchema),
        next: Type.Union([Type.Integer(), Type.Null()], {
          description: 'The after, or with before the before, of the next page; null on the last page.',
        }),
        organisations: Type.Optional(
          Type.Array(
            Type.Object({
              code: Type.String({ description: 'The id of its client.' }),
              name: Type.String({ description: 'Its name.' }),
            }),
            { description: 'The organisations that used your data, for the filter.' },
          ),
        ),
        chain: Type.String(),
        linkKey: Type.String(),
        earlierLinkKey: Type.Optional(
          Type.String({
            description:
              'The key for entries from before you were in the register. Each entry fits linkKey or this key.',
          }),
        ),
      }),
    },
  },
  refusals: ['citizen-token-needed'],
  citizenData: true,
  run: async (
    call: OperationCall<typeof request, AuditPorts>,
  ): Promise<Decision | RefusedDecision | ReplayedResult> => {
    const { citizenId, session } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const json = await readPage(call, citizenId);
    const answer = { status: 200, json };
    if (session !== undefined && (await isLookRecorded(call.ports, { citizenId, session })))
      return { replayed: answer };
    const event = {
      type: 'access-log.read',
      id: call.createId('event'),
      at: call.now,
      actor: { citizen: true },
      citizenId,
      after: call.query.after ?? 0,
      shown: json.returnedUsages,
      session,
    } as const;
    return { effect: { events: [event], statements: [] }, answer };
  },
});

async function readPage({ query, ports, now }: OperationCall<typeof request, AuditPorts>, citizenId: string) {
  const { after = 0, before, limit = maxUsages, language = 'en' } = query;
  const checkpoint = await ports.log.publishedCheckpoint();
  const part = await readAccessLog(ports, citizenId, {
    after,
    before,
    limit,
    now,
    checkpoint,
    filter: filterOf(query, ports.timeZone),
  });
  const describe = createUsageDescriber(ports, { citizenId, language });
  const usages = await Promise.all(part.usages.map(async (usage) => ({ ...usage, ...(await describe(usage)) })));
  if (query.organisations !== 'true') return { ...part, usages };
  return {
    ...part,
    usages,
    organisations: await listUsingOrganisations(ports, citizenId, { now, total: part.totalUsages }),
  };
}

function filterOf(
  { by, organisation, from, to }: OperationCall<typeof request, AuditPorts>['query'],
  timeZone: string,
): UsageFilter {
  return {
    by,
    organisation,
    from: from === undefined ? undefined : startOfLocalDate(timeZone, calendarDate(from)),
    to: to === undefined ? undefined : endOfLocalDate(timeZone, calendarDate(to)) - 1,
  };
}

/** A date of the calendar. A day after the end of its month is one of the next month: 31 February is 3 March. */
function calendarDate(date: string): string {
  return formatInstant(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8)))).slice(
    0,
    10,
  );
}
