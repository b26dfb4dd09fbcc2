import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse } from '../kernel/refusal.ts';
import { type ClaimName, claimNames } from './register/claims.ts';
import type { FormerAddress, FormerName, RegisterContact, RegisterRecord } from './register/register.ts';
import type { IdentityPorts } from './verification/ports.ts';
import { type WalletLink, walletLinksOf } from './verification/wallet-link-store.ts';
import { noStoreHeaders } from './verify-identity.ts';

const request = {};

const text = Type.Union([Type.String(), Type.Null()]);
const optionalText = Type.Optional(Type.String());
const span = { from: optionalText, until: optionalText };

/** The linked wallets of a citizen on the wire. */
export const walletLinksSchema = Type.Array(
  Type.Object({
    issuingCountry: Type.String({ description: 'The country that issued the credential (ISO 3166-1 alpha-2).' }),
    keptAt: Type.String({ format: 'date-time', description: 'The time of the last consent.' }),
  }),
  {
    description:
      'The wallets that are linked to your record, with your consent. They are recognised after a change of your name. The link contains no readable number.',
  },
);

const ownRecord = Type.Object({
  ...Object.fromEntries(claimNames.map((claim) => [claim, claim === 'citizenId' ? Type.String() : text])),
  email: text,
  phone: text,
  language: text,
  formerNames: Type.Array(
    Type.Object({ givenName: optionalText, familyName: optionalText, ...span }, { $id: 'FormerName' }),
  ),
  formerAddresses: Type.Array(
    Type.Object(
      {
        streetAddress: optionalText,
        postalCode: optionalText,
        locality: optionalText,
        country: optionalText,
        ...span,
      },
      { $id: 'FormerAddress' },
    ),
  ),
  underReview: Type.Boolean({
    description: 'true: the record is under review, and verifications with fitting claims return not_determined.',
  }),
  locked: Type.Boolean({
    description: 'true: staff of the register locked the record at your request, and no claims match.',
  }),
  ownLock: Type.Union([Type.Boolean(), Type.Null()], {
    description:
      'true: you locked the record yourself, and no claims match. null: an external register manages the locks.',
  }),
  deceased: Type.Boolean({ description: 'true: the record says that you have died, and no claims match.' }),
  walletLinks: walletLinksSchema,
});

/** The register record for its citizen. */
export type OwnRecord = { readonly [claim in Exclude<ClaimName, 'citizenId'>]: string | null } & Pick<
  RegisterContact,
  'citizenId' | 'email' | 'phone' | 'language'
> & {
    readonly formerNames: readonly FormerName[];
    readonly formerAddresses: readonly FormerAddress[];
    readonly underReview: boolean;
    readonly locked: boolean;
    readonly ownLock: boolean | null;
    readonly deceased: boolean;
    readonly walletLinks: readonly { readonly issuingCountry: string; readonly keptAt: string }[];
  };

/** `GET /v1/register-record`: the values that claims are compared with, so that citizens can have errors corrected. */
export const readOwnRecord = defineOperation({
  name: 'readOwnRecord',
  since: '1.0',
  method: 'GET',
  path: '/v1/register-record',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Read my register record',
  description:
    'Returns the values that the server compares claims with, for the citizen whom the token names (claim citizen_id of a trusted issuer). null means that the register has no value.',
  request,
  responses: { 200: { description: 'The current record.', schema: ownRecord } },
  refusals: ['citizen-token-needed', 'citizen-not-found', 'register-unavailable'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, IdentityPorts>) => {
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const { register } = call.ports;
    const [record, contact, links] = await Promise.all([
      register.find(citizenId),
      register.contactOf(citizenId),
      walletLinksOf(call.read, citizenId),
    ]);
    if (record === undefined) return { refusal: refuse('citizen-not-found') };
    const event = {
      type: 'identity.record-read',
      id: call.createId('event'),
      at: call.now,
      actor: { citizen: true },
      citizenId,
    } as const;
    const json = {
      ...toOwnRecord(record, contact, call.ports.lockChangeNotice !== undefined),
      walletLinks: links.map(toShownLink),
    } satisfies OwnRecord;
    return { effect: { events: [event], statements: [] }, answer: { status: 200, headers: noStoreHeaders, json } };
  },
});

function toShownLink({ issuingCountry, keptAt }: WalletLink) {
  return { issuingCountry, keptAt: formatInstant(keptAt) };
}

function toOwnRecord(
  record: RegisterRecord,
  contact: RegisterContact | undefined,
  hasCitizenLocks: boolean,
): Omit<OwnRecord, 'walletLinks'> {
  const {
    locked = false,
    lockedByCitizen = false,
    deceased = false,
    formerNames = [],
    formerAddresses = [],
    ...rest
  } = record;
  const { email = null, phone = null, language = null } = contact ?? {};
  return {
    ...rest,
    email,
    phone,
    language,
    formerNames,
    formerAddresses,
    locked,
    ownLock: hasCitizenLocks ? lockedByCitizen : null,
    deceased,
  };
}
