import { Type } from 'typebox';
import { claimFindings, unmatchedReasons } from '../kernel/verification-explanation.ts';

/** A use on the wire. */
export const usageSchema = Type.Object(
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
    purposeText: Type.Optional(
      Type.String({ description: 'The purpose in words, which the organisation has registered.' }),
    ),
    purposeLanguage: Type.Optional(
      Type.String({ description: 'The language of purposeText, such as de. It is absent if it is not known.' }),
    ),
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
    object: Type.Optional(
      Type.Object(
        {
          type: Type.Union([Type.Literal('document'), Type.Literal('message')], {
            description: 'Whether it is a document or a message.',
          }),
          id: Type.String(),
          state: Type.Union([Type.Literal('available'), Type.Literal('unavailable'), Type.Literal('erased')], {
            description:
              'available: you can open it now; unavailable: it exists, such as a message that is not in your inbox.',
          }),
          title: Type.Optional(
            Type.String({ description: 'The title of the document, or the subject of the message.' }),
          ),
          language: Type.Optional(
            Type.String({
              description: 'The language of the subject, such as de, if the sender of the message named it.',
            }),
          ),
        },
        { description: 'The document or message of this use.' },
      ),
    ),
    recipientOrg: Type.Optional(
      Type.Object(
        {
          type: Type.String({ description: 'GOV: a public authority.' }),
          code: Type.String({ description: 'The id of its client.' }),
          name: Type.String({ description: 'Its name.' }),
        },
        { description: 'The organisation that was given, or lost, access to the document.' },
      ),
    ),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    explanation: Type.Optional(
      Type.Object(
        {
          reason: Type.Union([...unmatchedReasons.map((reason) => Type.Literal(reason)), Type.Null()], {
            description:
              'The reason why the claims did not match. others-fit-as-well: they also fit other people. record-of-the-dead: the record says that you have died. guesses-spent: the verification limit was reached. other-person-expected: the organisation expected another person. null: they matched.',
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
