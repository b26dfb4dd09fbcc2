import { type TLiteral, type TUnion, Type } from 'typebox';
import { formatInstant } from '../kernel/clock.ts';
import { idPatternSource } from '../kernel/id.ts';
import { failureReasons } from './failure-reason.ts';
import {
  type Presentation,
  presentationStatusAt,
  presentationStatuses,
  walletErrors,
} from './protocol/presentation.ts';

type LiteralUnion<W extends readonly string[]> = TUnion<{ -readonly [I in keyof W]: TLiteral<W[I]> }>;

/** A schema for one of these words. */
export function oneOf<const W extends readonly string[]>(words: W, description: string): LiteralUnion<W> {
  const literals = words.map((word) => Type.Literal(word));
  // `map` keeps the length and order of the tuple, but its type does not say so.
  return Type.Union(literals, { description }) as unknown as LiteralUnion<W>;
}

/** The path parameter of the operations on one presentation. */
export const presentationParams = Type.Object(
  { id: Type.String({ maxLength: 64, description: 'The presentationId of the presentation.' }) },
  { additionalProperties: false },
);

const statusDescription =
  'requested: no wallet has fetched the request. fetched: a wallet has fetched it. answered: the wallet has answered, and POST …/complete gives the result. completed: there is a result. refused: the wallet sent an error, see reason. failed: the answer was not accepted, see reason. expired: the time is over. cancelled: you or the citizen cancelled it.';

const presentationMembers = {
  presentationId: Type.String({ pattern: idPatternSource('presentation'), description: 'The id of the presentation.' }),
  status: oneOf(presentationStatuses, statusDescription),
  createdAt: Type.String({ format: 'date-time', description: 'The time of your request.' }),
  expiresAt: Type.String({
    format: 'date-time',
    description: 'The time until which the wallet can answer, and you can complete the presentation.',
  }),
  reason: Type.Optional(
    Type.Object(
      {
        code: oneOf(
          [...failureReasons, 'wallet-error'],
          'The reason, for programs. wallet-error: the wallet sent the error in the member error. Others: why the answer was not accepted.',
        ),
        error: Type.Optional(
          oneOf(
            walletErrors,
            'The error of the wallet. access_denied: the citizen declined. other: an error that is not in the specification.',
          ),
        ),
        page: Type.String({ format: 'uri', description: 'The page that explains the reason and the fix.' }),
      },
      { $id: 'PresentationReason', description: 'Why there is no result. Only with the status refused or failed.' },
    ),
  ),
};

/** The schema of a new presentation. */
export const requestedPresentationShape = Type.Object(
  {
    ...presentationMembers,
    walletUrl: Type.String({
      description:
        'The link that opens the wallet. With returnUrl: for the device on which your page is open. Otherwise: the content of the QR code.',
    }),
    pageUrl: Type.String({
      format: 'uri',
      description:
        'The page of this server that shows who asks for what, the QR code and the link. Open it in the browser of the citizen.',
    }),
    receipt: Type.String({ description: 'The path of the ledger receipt of this request.' }),
  },
  { $id: 'RequestedPresentation' },
);

const presentedResult = Type.Object(
  {
    verificationId: Type.String({ pattern: idPatternSource('verification') }),
    verified: Type.Boolean({ description: 'true if decision is match.' }),
    decision: oneOf(
      ['match', 'no_match', 'not_determined'],
      'match: the attested attributes fit exactly one citizen. no_match: they fit none. not_determined: the record is under review, several people fit, or the register is unavailable.',
    ),
    token: Type.String({ description: 'The signed result: a JWS of type identity-verification+jwt.' }),
  },
  {
    $id: 'PresentedVerification',
    additionalProperties: true,
    description:
      'The result, with the members of the response of POST /v1/identity/verify. The assurance also says that the user of your session is this person.',
  },
);

/** The schema of a presentation. */
export const presentationShape = Type.Object(
  {
    ...presentationMembers,
    verification: Type.Optional(presentedResult),
  },
  { $id: 'Presentation', description: 'A presentation, with its result if the status is completed.' },
);

/** The path of the page about a reason. */
export const reasonPagePath = '/problems/presentation';

/** The JSON of a presentation, without its result. */
export function presentationView(presentation: Presentation, now: number, publicUrl: string) {
  const { id, createdAt, expiresAt, reason, walletError } = presentation;
  const code = walletError === null ? reason : ('wallet-error' as const);
  return {
    presentationId: id,
    status: presentationStatusAt(presentation, now),
    createdAt: formatInstant(createdAt),
    expiresAt: formatInstant(expiresAt),
    ...(code === null
      ? {}
      : {
          reason: {
            code,
            ...(walletError === null ? {} : { error: walletError }),
            page: `${publicUrl}${reasonPagePath}/${code}`,
          },
        }),
  };
}
