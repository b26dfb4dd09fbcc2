import { type Static, Type } from 'typebox';
import { type ClaimName, claimFault, claimNames, maxClaimLength } from '../identity/register/claims.ts';
import { maxCitizenIdLength } from '../kernel/id.ts';
import type { Issue } from '../kernel/refusal.ts';
import { singleLineSchemaPattern } from '../kernel/single-line-text.ts';
import { lookUpReasons } from '../ledger/ledger-event.ts';
import { languageTagSchema, literalUnion } from '../notifications/notification/notification-shape.ts';

/** The claims by which staff find a citizen. An id has a member of its own. */
export const searchClaims = claimNames.filter(
  (claim): claim is Exclude<ClaimName, 'citizenId'> => claim !== 'citizenId',
);

/** The reason of a look-up or of another act about one citizen. */
export const reasonSchema = literalUnion(
  lookUpReasons,
  'Why you need this. The citizen reads it in words: citizen-asked, service-asked, not-delivered, complaint, required-by-law.',
);
/** The number of the case in the system of the service. */
export const referenceSchema = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: singleLineSchemaPattern,
  description: 'The number of your case. The staff log has it; the citizen does not see it.',
});

/** The body of a look-up. Exactly one of the four ways to name the citizen is set. */
export const lookUpBody = Type.Object(
  {
    reason: reasonSchema,
    reference: referenceSchema,
    language: Type.Optional(languageTagSchema('The language of purposeText (BCP 47). Default: en.')),
    notificationId: Type.Optional(Type.String({ maxLength: 64, description: 'The id on a message, such as ntf_01….' })),
    messageReference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The reference that your service gave to the message.',
      }),
    ),
    citizenId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxCitizenIdLength,
        description: 'The id of the citizen in the register.',
      }),
    ),
    claims: Type.Optional(
      Type.Object(
        Object.fromEntries(
          searchClaims.map((claim) => [
            claim,
            Type.Optional(Type.String({ minLength: 1, maxLength: maxClaimLength, pattern: '\\S' })),
          ]),
        ),
        {
          additionalProperties: false,
          description: 'The details that the citizen stated: birthDate and at least one other claim.',
        },
      ),
    ),
  },
  { additionalProperties: false },
);

/** A look-up as sent. */
export type LookUpBody = Static<typeof lookUpBody>;

const ways = ['notificationId', 'messageReference', 'citizenId', 'claims'] as const;
/** The way in which a look-up names the citizen. */
export type LookUpWay = (typeof ways)[number];

/**
 * The one way in which a look-up names the citizen, or the issues: no way or several, too few claims, or a claim with an impossible
 * value. `now`: epoch ms.
 */
export function lookUpWay(body: LookUpBody, now: number): LookUpWay | readonly Issue[] {
  const [way, other] = ways.filter((one) => body[one] !== undefined);
  const required = (pointer: string, detail: string): readonly Issue[] => [
    { in: 'body', pointer, code: 'required', detail },
  ];
  if (way === undefined || other !== undefined) return required('', `exactly one of ${ways.join(', ')}`);
  const { claims = {} } = body;
  if (way === 'claims' && (claims['birthDate'] === undefined || Object.keys(claims).length < 2))
    return required('/claims', 'birthDate and at least one other claim');
  const issues = searchClaims.flatMap((claim) => {
    const value = claims[claim];
    const fault = value === undefined ? undefined : claimFault(claim, value, now);
    return fault === undefined ? [] : [{ in: 'body' as const, pointer: `/claims/${claim}`, ...fault }];
  });
  return issues.length > 0 ? issues : way;
}
