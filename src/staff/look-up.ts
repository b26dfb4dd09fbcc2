import { type Static, Type } from 'typebox';
import { type ClaimName, claimNames, maxClaimLength } from '../identity/register/claims.ts';
import { maxCitizenIdLength } from '../kernel/id.ts';
import type { Issue } from '../kernel/refusal.ts';
import { singleLinePattern } from '../kernel/single-line-text.ts';
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
  pattern: singleLinePattern.source,
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

/** How the citizen is named. */
export type LookUpTarget =
  | { readonly by: 'notificationId' | 'messageReference' | 'citizenId'; readonly value: string }
  | { readonly by: 'claims'; readonly value: { readonly [claim in ClaimName]?: string } };

/** The one way in which a look-up names the citizen, or the issue if there is none, or more than one. */
export function lookUpTarget(body: LookUpBody): LookUpTarget | { readonly issue: Issue } {
  const { notificationId, messageReference, citizenId, claims } = body;
  const texts = { notificationId, messageReference, citizenId };
  const targets: LookUpTarget[] = Object.entries(texts).flatMap(([name, value]) => {
    const by = (['notificationId', 'messageReference', 'citizenId'] as const).find((known) => known === name);
    return by === undefined || value === undefined ? [] : [{ by, value }];
  });
  if (claims !== undefined) targets.push({ by: 'claims', value: claims });
  const [target] = targets;
  if (target === undefined || targets.length > 1) return { issue: oneOfIssue };
  if (target.by !== 'claims') return target;
  const isEnough = target.value.birthDate !== undefined && Object.keys(target.value).length >= 2;
  return isEnough ? target : { issue: claimsIssue };
}

const oneOfIssue: Issue = {
  in: 'body',
  pointer: '',
  code: 'required',
  detail: 'exactly one of notificationId, messageReference, citizenId and claims',
};
const claimsIssue: Issue = {
  in: 'body',
  pointer: '/claims',
  code: 'required',
  detail: 'birthDate and at least one other claim',
};
