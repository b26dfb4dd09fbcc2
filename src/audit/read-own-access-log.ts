import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { claimFindings, unmatchedReasons } from '../kernel/verification-explanation.ts';
import { readAccessLog } from './access-log.ts';
import type { AuditPorts } from './ports.ts';

const maxUsages = 100;
/** Larger than any number of a use: `before` with it starts at the newest. */
export const maxUsageNumber = 999_999_999_999_999;

const request = {
  query: Type.Object(
    {
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 9_007_199_254_740_991,
          description: 'The number of the last use you have.',
        }),
      ),
      before: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxUsageNumber,
          description: 'Returns the last uses before this number. The largest value gives the newest uses.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxUsages, description: 'The most uses to return; default 100.' }),
      ),
    },
    { additionalProperties: false },
  ),
};

const usage = Type.Object(
  {
    number: Type.Integer({ description: 'The place among all uses of your data, from 1 without gaps.' }),
    logTime: Type.String({ format: 'date-time' }),
    state: Type.Union([Type.Literal('shown'), Type.Literal('hidden'), Type.Literal('erased')], {
      description: 'hidden: disclosed later by law; erased: its content was destroyed, its proof stays.',
    }),
    processingType: Type.Optional(
      Type.String({ description: 'The processing type of Andmejälgija v3, such as DATA_RESPONSE.' }),
    ),
    usage: Type.Optional(Type.String({ description: 'The kind of use, such as document.retrieved.' })),
    purpose: Type.Optional(Type.String()),
    legalBasis: Type.Optional(Type.String()),
    consentReference: Type.Optional(Type.String()),
    initiatorOrg: Type.Optional(Type.Object({ type: Type.String(), code: Type.String(), name: Type.String() })),
    initiator: Type.Optional(Type.String({ description: 'citizen, operator or system, if no organisation acted.' })),
    logSourceSystem: Type.Optional(Type.String()),
    queryId: Type.Optional(Type.String({ description: 'The id of the event.' })),
    bulkProcessing: Type.Optional(Type.Boolean()),
    hiddenUntil: Type.Optional(Type.String({ format: 'date-time' })),
    hiddenReason: Type.Optional(Type.String()),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    explanation: Type.Optional(
      Type.Object(
        {
          reason: Type.Union([...unmatchedReasons.map((reason) => Type.Literal(reason)), Type.Null()], {
            description: 'Why it was not a match; null for a match.',
          }),
          claims: Type.Record(Type.String(), Type.Union(claimFindings.map((finding) => Type.Literal(finding))), {
            description:
              'How each claim compares with your record. former: an earlier value matched. not_available: the record has no value.',
          }),
        },
        {
          description:
            'Only for a verification: why it had its result, as long as the result is stored. The client did not receive it.',
        },
      ),
    ),
    proof: Type.String({ description: 'A c2sp.org/tlog-proof of the entry, verifiable offline.' }),
  },
  { $id: 'DataUse' },
);

/** The citizen's own access log: who used which data, when and why, each with a proof. Reading it is itself a use. */
export const readOwnAccessLog = defineOperation({
  name: 'readOwnAccessLog',
  since: '1.0',
  method: 'GET',
  path: '/v1/access-log',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'List the uses of my data',
  description:
    'All uses of the data of the citizen whom the token names (claim citizen_id of a trusted issuer), oldest first. For the next page, set after to the number of the last use. To read from the newest use backwards, set before to the number of the first use. With linkKey and chain, anyone can check that no number is missing.',
  request,
  responses: {
    200: {
      description: 'A part of the log.',
      schema: Type.Object({
        totalUsages: Type.Integer(),
        returnedUsages: Type.Integer(),
        usages: Type.Array(usage),
        chain: Type.String(),
        linkKey: Type.String(),
        earlierLinkKey: Type.Optional(
          Type.String({
            description: 'The linkKey of uses from before you were in the register. Each use fits one of the two.',
          }),
        ),
      }),
    },
  },
  refusals: ['citizen-token-needed'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, AuditPorts>) => {
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const { after = 0, before, limit = maxUsages } = call.query;
    const part = await readAccessLog(call.ports, citizenId, { after, before, limit, now: call.now });
    const event = {
      type: 'access-log.read',
      id: call.createId('event'),
      at: call.now,
      actor: { citizen: true },
      citizenId,
      after,
      shown: part.returnedUsages,
    } as const;
    return { effect: { events: [event], statements: [] }, answer: { status: 200, json: part } };
  },
});
