import { type Static, Type } from 'typebox';
import { scopes } from '../../api/operation.ts';
import { type ClientOptions, type NewClient, newClient } from '../../auth/client.ts';
import { parseClientKeys } from '../../auth/client-keys.ts';
import { insertClient } from '../../auth/client-store.ts';
import { isIssuerUrl } from '../../config/setting-types.ts';
import type { Read } from '../../db/database.ts';
import { findPolicy } from '../../identity/policies/policy-store.ts';
import type { Clock, RandomBytes } from '../../kernel/clock.ts';
import { literalUnion } from '../../notifications/notification/notification-shape.ts';
import { defineProposable } from './proposable-operation.ts';

const word = '[^\\s,\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]+';
/** Words with single spaces between them. The command line and the form separate purposes with commas. */
const nameSchema = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: `^${word}(?: ${word})*$`,
});
/** The rights and restrictions of a client, for `createClient` and `changeClient`. */
export const clientRights = {
  scopes: Type.Array(literalUnion(scopes), { minItems: 1, maxItems: scopes.length }),
  purposes: Type.Array(nameSchema, { maxItems: 100, description: 'The purposes that it may state.' }),
  legalBases: Type.Array(nameSchema, { maxItems: 100, description: 'The legal bases that it may state.' }),
  policy: Type.String({ minLength: 1, maxLength: 100, description: 'The matching policy for its verifications.' }),
};

const input = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    kind: literalUnion(['test', 'team', 'live']),
    scopes: clientRights.scopes,
    jwks: Type.Optional(
      Type.Object({ keys: Type.Array(Type.Unknown(), { maxItems: 20 }) }, { description: 'Its public keys.' }),
    ),
    issuer: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'The issuer of its tokens, from TRUSTED_ISSUERS.' }),
    ),
    purposes: Type.Optional(clientRights.purposes),
    legalBases: Type.Optional(clientRights.legalBases),
    policy: Type.Optional(clientRights.policy),
  },
  { additionalProperties: false },
);
type ClientInput = Static<typeof input>;

/** Creates a client that authenticates with its own keys, or at a trusted issuer. */
export const proposableClient = defineProposable({
  name: 'createClient',
  proposers: ['staff:operate'],
  summary: 'Create a client',
  affectsAllServices: true,
  input,
  check: async (wanted, { read }) => {
    // The keys and random values of this client are not stored. Approval makes its own.
    const made = await prepareClient(read, wanted, { clock: { now: () => 0 }, random: (size) => new Uint8Array(size) });
    return 'fault' in made ? made : { before: { exists: false } };
  },
  apply: async (wanted, { read, clock, createId, actor, commitWith, ports }) => {
    const made = await prepareClient(read, wanted, { clock, random: ports.random });
    if ('fault' in made) return made;
    const { client } = made;
    const { clientId, name, kind } = client;
    const event = { type: 'client.created', id: createId('event'), at: clock.now(), actor, clientId } as const;
    await commitWith({ clientId, name, kind, scopes: client.scopes })({
      events: [{ ...event, scopes: client.scopes }],
      statements: [insertClient(client)],
    });
    return undefined;
  },
});

async function prepareClient(
  read: Read,
  { jwks, issuer, ...options }: ClientInput,
  { clock, random }: { readonly clock: Clock; readonly random: RandomBytes },
): Promise<NewClient | { readonly fault: string }> {
  if ((jwks === undefined) === (issuer === undefined))
    return { fault: 'Expected either the public keys of the client (jwks) or its issuer.' };
  if (issuer !== undefined && !isIssuerUrl(issuer)) return { fault: 'Expected an https URL as the issuer.' };
  const unknown = await unknownPolicy(read, options.policy);
  if (unknown !== undefined) return unknown;
  let credential: ClientOptions['credential'] = { by: 'issuer', issuer: issuer ?? '' };
  if (jwks !== undefined) {
    const keys = parseClientKeys(JSON.stringify(jwks));
    if ('fault' in keys) return { fault: `The public keys cannot be used: ${keys.fault}` };
    credential = { by: 'keys', jwks: keys };
  }
  return newClient({ ...options, credential }, clock, random);
}

/** The fault of a policy that does not exist. */
export async function unknownPolicy(
  read: Read,
  policy: string | undefined,
): Promise<{ readonly fault: string } | undefined> {
  if (policy === undefined || (await findPolicy(read, policy)) !== undefined) return undefined;
  return { fault: 'There is no policy with this name. Add it first.' };
}
