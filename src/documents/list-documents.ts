import { type Static, Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { citizenIdPattern, citizenIdRequirement, idPatternSource, maxCitizenIdLength, parseId } from '../kernel/id.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import { readerOf } from './authorize-document-use.ts';
import { receiptLink } from './document-answer.ts';
import { documentRecord, toDocumentRecord } from './document-record.ts';
import { listVisibleDocuments } from './document-store.ts';
import { parsePurpose } from './http/header-text.ts';
import { openDocumentContent, undefinedIfInvalid } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';

const defaultLimit = 20;

const request = {
  query: Type.Object(
    {
      citizenId: Type.String({
        minLength: 1,
        maxLength: maxCitizenIdLength,
        description: 'The id of the citizen in the register.',
      }),
      cursor: Type.Optional(
        Type.String({
          pattern: idPatternSource('document'),
          description: 'The member `next` of the previous page. Default: the first page.',
        }),
      ),
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

/** Lists the records of one citizen that this client may see, newest first. */
export const listDocumentRecords = defineOperation({
  name: 'listDocuments',
  since: '1.0',
  method: 'GET',
  path: '/v1/documents',
  scope: 'documents:read',
  callers: ['clients', 'citizens'],
  summary: 'List the records of a citizen’s documents',
  description:
    'Returns the records of the documents that your client deposited for the citizen or has a grant for, newest first. The list is empty for a citizen without such documents, known or unknown. A token of a citizen lists all documents of that citizen; for another citizen, the response is 404. Each page is one ledger event.',
  request,
  responses: {
    200: {
      description: 'One page of records.',
      schema: Type.Object({
        items: Type.Array(documentRecord),
        unreadable: Type.Array(Type.String(), {
          description: 'The ids of documents on this page with a damaged record. The server alerts the operator.',
        }),
        next: Type.Union([Type.String(), Type.Null()], {
          description: 'The cursor of the next page. null: this is the last page.',
        }),
      }),
      headers: { Link: 'For a client: a link to the ledger receipt of this access.' },
    },
  },
  refusals: ['purpose-not-permitted', 'document-not-found'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, DocumentPorts>): Promise<Decision | RefusedDecision> => {
    const { caller, createId, now, ports, query } = call;
    const stated = parsePurpose(call.headers.purpose, caller);
    if ('refusal' in stated) return stated;
    const { citizenId, limit = defaultLimit } = query;
    if (!citizenIdPattern.test(citizenId)) {
      const fault = { code: 'malformed', detail: citizenIdRequirement } as const;
      return { refusal: refuseIssues([{ in: 'query', name: 'citizenId', ...fault }]) };
    }
    // Nothing was used, so that the other citizen has no entry in the access log.
    if (caller.citizenId !== undefined && caller.citizenId !== citizenId)
      return {
        refusal: refuse('document-not-found', 'A token of a citizen lists only the documents of that citizen.'),
      };
    const after = query.cursor === undefined ? undefined : parseId('document', query.cursor);
    // One more than the limit shows whether there is a next page.
    const reader = readerOf(call, stated.purpose);
    const found = await listVisibleDocuments(call.read, { citizenId, reader, now, after, limit: limit + 1 });
    const items: Static<typeof documentRecord>[] = [];
    const unreadable: string[] = [];
    for (const { document, grants } of found.slice(0, limit)) {
      const content = await openDocumentContent(ports, document).catch(undefinedIfInvalid);
      if (content === undefined) unreadable.push(document.id);
      else items.push(toDocumentRecord(document, content, { grants, reader, now }));
    }
    const shown = found.slice(0, limit).map(({ document }) => document.id);
    const next = found.length > limit ? (shown.at(-1) ?? null) : null;
    const id = createId('event');
    const own = 'citizen' in reader;
    const actor = own ? ({ citizen: true } as const) : { client: caller.clientId };
    const event = { type: 'document.listed', id, at: now, actor, citizenId } as const;
    const headers: Record<string, string> = { 'cache-control': 'private, no-store' };
    if (!own) headers['link'] = receiptLink(id);
    return {
      effect: { events: [{ ...event, documents: shown, purpose: stated.purpose }], statements: [] },
      answer: { status: 200, headers, json: { items, unreadable, next } },
    };
  },
});
