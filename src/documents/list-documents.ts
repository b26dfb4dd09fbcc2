import { type Static, Type } from 'typebox';
import { cursorSchema, nextCursorSchema, pageOf } from '../api/list-page.ts';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { citizenIdPattern, citizenIdRequirement, idPatternSource, maxCitizenIdLength, parseId } from '../kernel/id.ts';
import { type Issue, refuse, refuseIssues } from '../kernel/refusal.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { readerOf } from './authorize-document-use.ts';
import type { DocumentReader, SealedDocument } from './document.ts';
import { receiptLink } from './document-answer.ts';
import { documentRecord, toDocumentRecord } from './document-record.ts';
import { type DocumentWithGrants, listDeposits, listVisibleDocuments } from './document-store.ts';
import { parsePurpose } from './http/header-text.ts';
import { openDocumentContent, undefinedIfInvalid } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';

const defaultLimit = 20;
const statuses = ['scanning', 'available', 'quarantined', 'withdrawn'] as const;

const request = {
  query: Type.Object(
    {
      citizenId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: maxCitizenIdLength,
          description:
            'The id of the citizen in the register. Default: the documents that your client deposited, for all citizens.',
        }),
      ),
      status: Type.Optional(
        Type.Union(
          statuses.map((status) => Type.Literal(status)),
          { description: 'Only documents in this status.' },
        ),
      ),
      depositedFrom: Type.Optional(
        Type.String({
          format: 'date-time',
          maxLength: 40,
          description: 'Only documents that were deposited at this time or later (RFC 3339).',
        }),
      ),
      cursor: cursorSchema({ pattern: idPatternSource('document') }),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100,
          description: `The maximum number of documents on a page. Default: ${defaultLimit}.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  headers: Type.Object(
    {
      purpose: Type.Optional(
        Type.String({ maxLength: 2_000, description: 'The purpose of the access, which the citizen can read.' }),
      ),
    },
    { additionalProperties: false },
  ),
};

type ListCall = OperationCall<typeof request, DocumentPorts>;

/** Lists the records of one citizen that this client may see, or all that it deposited, newest first. */
export const listDocumentRecords = defineOperation({
  name: 'listDocuments',
  since: '1.0',
  method: 'GET',
  path: '/v1/documents',
  scope: 'documents:read',
  callers: ['clients', 'citizens'],
  summary: 'List the records of a citizen’s documents, or of your deposits',
  description:
    'Returns the records of the documents that your client deposited for the citizen or has a grant for, newest first. The list is empty for a citizen without such documents, known or unknown. Without citizenId, it has all documents that your client deposited. A token of a citizen lists all documents of that citizen; for another citizen, the response is 404. Each citizen on a page can see this use of the documents.',
  request,
  responses: {
    200: {
      description: 'One page of records.',
      schema: Type.Object({
        items: Type.Array(documentRecord),
        unreadable: Type.Array(Type.String(), {
          description: 'The ids of documents on this page with a damaged record. The server alerts the operator.',
        }),
        next: nextCursorSchema,
      }),
      headers: { Link: 'For a client: a link to the ledger receipt of this access.' },
    },
  },
  refusals: ['purpose-not-permitted', 'document-not-found'],
  citizenData: true,
  run: async (call: ListCall): Promise<Decision | RefusedDecision> => {
    const { caller, query } = call;
    const stated = parsePurpose(call.headers.purpose, caller);
    if ('refusal' in stated) return stated;
    const citizenId = query.citizenId ?? caller.citizenId;
    const issues = queryIssues(query);
    if (issues.length > 0) return { refusal: refuseIssues(issues) };
    // Nothing was used, so that the other citizen has no entry in the access log.
    if (caller.citizenId !== undefined && caller.citizenId !== citizenId)
      return {
        refusal: refuse('document-not-found', 'A token of a citizen lists only the documents of that citizen.'),
      };
    const { limit = defaultLimit, status } = query;
    const reader = readerOf(call, stated.purpose);
    const after = query.cursor === undefined ? undefined : parseId('document', query.cursor);
    const from = query.depositedFrom === undefined ? 0 : Date.parse(query.depositedFrom);
    const range = { status, from, after, limit: limit + 1 };
    const found =
      citizenId === undefined
        ? await listDeposits(call.read, { ...range, issuer: caller.clientId })
        : await listVisibleDocuments(call.read, { ...range, citizenId, reader, now: call.now });
    const { items: listed, next } = pageOf(found, limit, ({ document }) => document.id);
    const events = eventsOf(call, { citizenId, listed, purpose: stated.purpose });
    const headers: Record<string, string> = { 'cache-control': 'private, no-store' };
    if (caller.citizenId === undefined) headers['link'] = receiptLink(events[0].id);
    return {
      effect: { events, statements: [] },
      answer: { status: 200, headers, json: { ...(await recordsOf(call, reader, listed)), next } },
    };
  },
});

function queryIssues({ citizenId, depositedFrom }: ListCall['query']): readonly Issue[] {
  const issues: Issue[] = [];
  const add = (name: string, detail: string) => issues.push({ in: 'query', name, code: 'malformed', detail });
  if (citizenId !== undefined && !citizenIdPattern.test(citizenId)) add('citizenId', citizenIdRequirement);
  if (depositedFrom !== undefined && !(Date.parse(depositedFrom) >= 0))
    add('depositedFrom', 'must be an instant after 1969 without a leap second');
  return issues;
}

async function recordsOf(
  { ports, now }: ListCall,
  reader: DocumentReader,
  listed: readonly DocumentWithGrants<SealedDocument>[],
) {
  const items: Static<typeof documentRecord>[] = [];
  const unreadable: string[] = [];
  for (const { document, grants } of listed) {
    const content = await openDocumentContent(ports, document).catch(undefinedIfInvalid);
    if (content === undefined) unreadable.push(document.id);
    else items.push(toDocumentRecord(document, content, { grants, reader, now }));
  }
  return { items, unreadable };
}

type ShownPage = {
  readonly citizenId: string | undefined;
  readonly listed: readonly DocumentWithGrants<SealedDocument>[];
  readonly purpose: string | undefined;
};

/** One event for the citizen of the request. For deposits, one for the list, and one for each citizen on the page. */
function eventsOf(
  { caller, createId, now }: ListCall,
  { citizenId, listed, purpose }: ShownPage,
): [LedgerEvent, ...LedgerEvent[]] {
  const actor = caller.citizenId === undefined ? { client: caller.clientId } : ({ citizen: true } as const);
  const head = () => ({ id: createId('event'), at: now, actor });
  const idsOf = (shown: ShownPage['listed']) => shown.map(({ document }) => document.id);
  if (citizenId !== undefined)
    return [{ type: 'document.listed', ...head(), citizenId, documents: idsOf(listed), purpose }];
  const byCitizen = Map.groupBy(listed, ({ document }) => document.citizenId);
  return [
    { type: 'documents.listed', ...head(), shown: listed.length },
    ...[...byCitizen].map(([owner, shown]): LedgerEvent => {
      return { type: 'document.listed', ...head(), citizenId: owner, documents: idsOf(shown), purpose };
    }),
  ];
}
