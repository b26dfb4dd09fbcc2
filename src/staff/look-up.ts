import { type Static, Type } from 'typebox';
import { type ClaimName, claimNames, maxClaimLength } from '../identity/register/claims.ts';
import { maxCitizenIdLength } from '../kernel/id.ts';
import type { Issue } from '../kernel/refusal.ts';
import { singleLineSchemaPattern } from '../kernel/single-line-text.ts';
import { lookUpReasons } from '../ledger/ledger-event.ts';
import { literalUnion } from '../notifications/notification/notification-shape.ts';

/** The claims by which staff find a citizen. An id has a member of its own. */
const searchClaims = claimNames.filter((claim): claim is Exclude<ClaimName, 'citizenId'> => claim !== 'citizenId');

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
    notificationId: Type.Optional(Type.String({ maxLength: 64, description: 'The id on a message, such as ntf_01….' })),
    messageReference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'The reference that the service gave to the message. Without a service of your own, also send service.',
      }),
    ),
    service: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'The id of the client that sent messageReference.' }),
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

/** The one way in which a look-up names the citizen, or the issue if there is none, more than one, or too few claims. */
export function lookUpWay(body: LookUpBody): LookUpWay | Issue {
  const [way, other] = ways.filter((one) => body[one] !== undefined);
  const issue = (pointer: string, detail: string): Issue => ({ in: 'body', pointer, code: 'required', detail });
  if (way === undefined || other !== undefined) return issue('', `exactly one of ${ways.join(', ')}`);
  const { claims } = body;
  const isEnough = claims === undefined || (claims['birthDate'] !== undefined && Object.keys(claims).length >= 2);
  return isEnough ? way : issue('/claims', 'birthDate and at least one other claim');
}
