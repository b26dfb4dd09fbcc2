import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { invalidAccessToken } from '../auth/challenge.ts';
import { bindings, type Client, clientKinds } from '../auth/client.ts';
import { credentialKinds, credentialsOf } from '../auth/client-credential.ts';
import { type CredentialTimes, findCredentialTimes } from '../auth/client-credential-store.ts';
import { findClient } from '../auth/client-store.ts';
import { findClientUse, useDayOf } from '../auth/client-use-store.ts';
import { formatInstant } from '../kernel/clock.ts';
import type { ClientPorts } from './ports.ts';

/** The counts are those of today and of the six days before. */
const usageDays = 7;
const dayMs = 86_400_000;

const request = {};

const instantOrNull = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });
const listOrNull = (description: string) => Type.Union([Type.Array(Type.String()), Type.Null()], { description });
const oneOf = (words: readonly string[], description: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    { description },
  );

const credentialShape = Type.Object(
  {
    id: Type.String({
      description:
        'The kid of a key, the SHA-256 thumbprint or the name of a certificate, the URL of an issuer, or secret.',
    }),
    kind: oneOf(credentialKinds, 'secret, key, certificate, certificate-name (a name in a certificate), or issuer.'),
    createdAt: instantOrNull(
      'The time at which the credential was registered. null: your client published the key at its jwksUri.',
    ),
    lastUsedAt: instantOrNull(
      'The time at which the credential was last used to get a token, to the hour. null: never, or a token of an issuer.',
    ),
    expiresAt: instantOrNull('The end of the certificate. null: the credential does not expire.'),
  },
  { $id: 'ClientCredential', description: 'A credential of the client, without secret parts.' },
);

/** A client on the wire. */
export const clientShape = Type.Object(
  {
    clientId: Type.String(),
    name: Type.String({ description: 'The name that citizens read as the sender of messages and user of their data.' }),
    kind: oneOf(clientKinds, 'demo and test: fictional citizens. team: people who agreed to it. live: all citizens.'),
    scopes: Type.Array(Type.String(), { description: 'The scopes that your client can request.' }),
    binding: oneOf(bindings, 'The binding that tokens must have: dpop, mtls or none.'),
    purposes: listOrNull('The purposes that your client can state. null: any.'),
    legalBases: listOrNull('The legal bases that your client can state. null: any.'),
    createdAt: Type.String({ format: 'date-time' }),
    quotas: Type.Array(
      Type.Object(
        {
          scope: Type.String(),
          perSecond: Type.Integer({ description: 'The requests that are added each second.' }),
          burst: Type.Integer({ description: 'The maximum number of requests at once.' }),
          remaining: Type.Integer({
            description: 'The number of requests that would succeed now, as far as this process of the server knows.',
          }),
        },
        { $id: 'ClientQuota' },
      ),
      { description: 'The quota of each scope.' },
    ),
    usage: Type.Object(
      {
        from: Type.String({
          format: 'date',
          description: 'The first day of the counts in UTC. The last one is today.',
        }),
        counts: Type.Array(
          Type.Object(
            {
              operation: Type.String({ description: 'The name of the operation, as GET /v1 lists it.' }),
              outcome: Type.String({
                description: 'The decision of a verification, the name of a problem, or ok for any other success.',
              }),
              requests: Type.Integer({ description: 'The number of requests.' }),
            },
            { $id: 'ClientUsageCount' },
          ),
          { description: 'The requests by operation and outcome.' },
        ),
      },
      {
        $id: 'ClientUsage',
        description:
          'The requests of the last 7 days. A request is counted within 10 seconds. A crash of the server can lose some.',
      },
    ),
    jwksUri: Type.Union([Type.String(), Type.Null()], {
      description: 'The URL at which your client publishes its keys. null: none.',
    }),
    credentials: Type.Array(credentialShape, {
      description: 'The credentials. With jwksUri, those keys that your client has used.',
    }),
    webhooks: Type.Integer({ description: 'The number of webhooks.' }),
  },
  { $id: 'Client' },
);

/** Shows a client what is registered for it, and how it has used the interface. It contains no data of a citizen. */
export const readClient = defineOperation({
  name: 'readClient',
  since: '1.0',
  method: 'GET',
  path: '/v1/client',
  scope: 'any',
  callers: ['clients'],
  summary: 'Read the scopes, quotas, usage and credentials of your client',
  description:
    'Returns what the operator has registered for your client, its quotas, its requests of the last 7 days, and its credentials. The response never contains a secret.',
  request,
  responses: { 200: { description: 'The client.', schema: clientShape } },
  refusals: [],
  citizenData: false,
  run: async (call: OperationCall<typeof request, ClientPorts>) => {
    const { caller, read } = call;
    const client = await findClient(read, caller.clientId);
    // It was disabled after the token was checked.
    if (client === undefined) return { refusal: invalidAccessToken(caller.scheme) };
    return { plain: { status: 200, json: await describeClient(client, call) } };
  },
});

/** The JSON of `clientShape`: the stored client, and what it did in the last days. */
export async function describeClient(
  client: Client,
  { read, now, ports }: Pick<OperationCall<typeof request, ClientPorts>, 'read' | 'now' | 'ports'>,
) {
  await ports.storeUse();
  const today = useDayOf(now);
  const from = today - (usageDays - 1);
  const used = await findClientUse(read, { fromDay: from, untilDay: today, clientId: client.clientId });
  const counts = used.map(({ operation, outcome, requests }) => ({ operation, outcome, requests }));
  const { clientId, name, kind, scopes, binding, credential, quota } = client;
  return {
    clientId,
    name,
    kind,
    scopes: [...scopes],
    binding,
    purposes: client.purposes === undefined ? null : [...client.purposes],
    legalBases: client.legalBases === undefined ? null : [...client.legalBases],
    createdAt: formatInstant(client.createdAt),
    quotas: scopes.map((scope) => ({ scope, ...quota, remaining: ports.remainingQuota({ clientId, quota }, scope) })),
    usage: { from: formatInstant(from * dayMs).slice(0, 10), counts },
    jwksUri: credential.by === 'jwks-uri' ? credential.jwksUri : null,
    credentials: shownCredentials(client, await findCredentialTimes(read, clientId)),
    webhooks: await ports.webhookCountOf(clientId),
  };
}

function shownCredentials(client: Client, times: ReadonlyMap<string, CredentialTimes>) {
  const instant = (ms: number | undefined) => (ms === undefined ? null : formatInstant(ms));
  if (client.credential.by === 'jwks-uri')
    return [...times].map(([id, { addedAt, lastUsedAt }]) => {
      const shownTimes = { createdAt: instant(addedAt), lastUsedAt: instant(lastUsedAt), expiresAt: null };
      return { id, kind: 'key', ...shownTimes };
    });
  return credentialsOf(client).map(({ id, kind, expiresAt }) => ({
    id,
    kind,
    createdAt: formatInstant(times.get(id)?.addedAt ?? client.createdAt),
    lastUsedAt: instant(times.get(id)?.lastUsedAt),
    expiresAt: instant(expiresAt),
  }));
}
