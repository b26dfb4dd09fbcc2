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
    },
    { additionalProperties: false },
  ),
};

const usage = Type.Object(
  {
    number: Type.Integer({ description: 'The number of the use among all uses of your data, from 1 without gaps.' }),
    logTime: Type.String({ format: 'date-time' }),
    state: Type.Union([Type.Literal('shown'), Type.Literal('hidden'), Type.Literal('erased')], {
      description:
        'shown: the content is visible. hidden: the content is concealed by law for a time. erased: the content was destroyed, and its proof stays.',
    }),
    processingType: Type.Optional(
      Type.String({
        description:
          'The processing type of Andmejälgija v3, such as DATA_RESPONSE. It is absent unless state is shown.',
      }),
    ),
    usage: Type.Optional(
      Type.String({ description: 'The kind of use, such as document.retrieved. It is absent unless state is shown.' }),
    ),
    purpose: Type.Optional(Type.String()),
    legalBasis: Type.Optional(Type.String()),
    consentReference: Type.Optional(Type.String()),
    initiatorOrg: Type.Optional(
      Type.Object({
        type: Type.String({ description: 'The kind of organisation. Always GOV.' }),
        code: Type.String({ description: 'The client id of the organisation.' }),
        name: Type.String({ description: 'The name of the organisation.' }),
      }),
    ),
    initiator: Type.Optional(
      Type.String({ description: 'citizen, operator or system. It is absent if an organisation acted.' }),
    ),
    logSourceSystem: Type.Optional(Type.String()),
    queryId: Type.Optional(
      Type.String({ description: 'The id of the event, which its receipt also has. Absent unless state is shown.' }),
    ),
    bulkProcessing: Type.Optional(Type.Boolean()),
    hiddenUntil: Type.Optional(Type.String({ format: 'date-time' })),
    hiddenReason: Type.Optional(Type.String()),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    explanation: Type.Optional(
      Type.Object(
        {
          reason: Type.Union([...unmatchedReasons.map((reason) => Type.Literal(reason)), Type.Null()], {
            description:
              'The reason why the claims did not match. others-fit-as-well: they also fit other people. record-of-the-dead: the record says that you have died. guesses-spent: the verification limit was reached. null: they matched.',
          }),
          claims: Type.Record(Type.String(), Type.Union(claimFindings.map((finding) => Type.Literal(finding))), {
            description:
              'The result of each claim. former: an earlier value of your record matched. not_available: the record has no value.',
          }),
        },
        {
          description:
            'The explanation of a verification result, as long as the result is stored. Only you can read it; the client did not receive it.',
        },
      ),
    ),
    proof: Type.String({ description: 'The proof of the entry as c2sp.org/tlog-proof, which you can verify offline.' }),
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
    'Returns the uses of the data of the citizen whom the token names (claim citizen_id of a trusted issuer), oldest first. For the next page, set after to the number of the last use. To read from the newest use backwards, set before to the number of the first use. With linkKey and chain, anyone can check that no number is missing.',
  request,
  responses: {
    200: {
      description: 'One page of the access log.',
      schema: Type.Object({
        totalUsages: Type.Integer(),
        returnedUsages: Type.Integer(),
        usages: Type.Array(usage),
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
