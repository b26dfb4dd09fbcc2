import { Type } from 'typebox';
import { claimFindings, unmatchedReasons } from '../kernel/verification-explanation.ts';

/** A use on the wire. */
export const usageSchema = Type.Object(
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
    purposeText: Type.Optional(
      Type.String({ description: 'The purpose in words, which the organisation has registered.' }),
    ),
    legalBasis: Type.Optional(Type.String()),
    consentReference: Type.Optional(Type.String()),
    initiatorOrg: Type.Optional(Type.Object({ type: Type.String(), code: Type.String(), name: Type.String() })),
    initiator: Type.Optional(Type.String({ description: 'citizen, operator or system, if no organisation acted.' })),
    logSourceSystem: Type.Optional(Type.String()),
    queryId: Type.Optional(Type.String({ description: 'The id of the event.' })),
    bulkProcessing: Type.Optional(Type.Boolean()),
    hiddenUntil: Type.Optional(Type.String({ format: 'date-time' })),
    hiddenReason: Type.Optional(Type.String()),
    object: Type.Optional(
      Type.Object(
        {
          type: Type.Union([Type.Literal('document'), Type.Literal('message')]),
          id: Type.String(),
          state: Type.Union([Type.Literal('available'), Type.Literal('unavailable'), Type.Literal('erased')], {
            description:
              'available: you can open it now; unavailable: it exists, such as a message that is not in your inbox.',
          }),
          title: Type.Optional(
            Type.String({ description: 'The title of the document, or the subject of the message.' }),
          ),
        },
        { description: 'The document or message of this use.' },
      ),
    ),
    recipientOrg: Type.Optional(
      Type.Object(
        { type: Type.String(), code: Type.String(), name: Type.String() },
        { description: 'The organisation that was given, or lost, access to the document.' },
      ),
    ),
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
