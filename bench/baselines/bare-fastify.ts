import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { type BaselineOptions, reportPort } from './baseline-process.ts';
import { scopesOfToken } from './baseline-token.ts';

// The lower bound for our server: a Fastify route with a cached token check and a validated body, without a store. The routes
// below /uncached verify the token for each request.

const text = { type: 'string', minLength: 1, maxLength: 200 };
const verifyBody = {
  type: 'object',
  additionalProperties: false,
  required: ['citizenId', 'givenName', 'familyName', 'birthDate'],
  properties: { citizenId: text, givenName: text, familyName: text, birthDate: text },
};
const sendBody = {
  type: 'object',
  additionalProperties: false,
  required: ['citizenId', 'message'],
  properties: { citizenId: text, subject: text, reference: text, message: { type: 'string', maxLength: 20_000 } },
};

// Written by `startBaseline` in the parent.
const options = JSON.parse(process.argv[2] ?? '{}') as BaselineOptions;
const app = Fastify({ logger: false });
const verifiedTokens = new Map<string, readonly string[]>();

app.addHook('onRequest', async (request, reply) => {
  const header = request.headers.authorization ?? '';
  let scopes = request.url.startsWith('/uncached') ? undefined : verifiedTokens.get(header);
  if (scopes === undefined) {
    scopes = scopesOfToken(header, options.keys);
    verifiedTokens.set(header, scopes);
  }
  if (!scopes.includes('identity:verify')) await reply.code(403).send();
});

for (const path of ['/verify', '/uncached/verify']) {
  app.post<{ Body: Record<string, string> }>(path, { schema: { body: verifyBody } }, async (request) => ({
    verificationId: randomUUID(),
    verified: request.body['birthDate'] !== '1899-12-31',
    checkedAt: new Date().toISOString(),
  }));
}

app.post<{ Body: Record<string, string> }>('/send', { schema: { body: sendBody } }, async (request, reply) => {
  const { citizenId } = request.body;
  return reply.code(202).send({ id: randomUUID(), citizenId, status: 'accepted', createdAt: new Date().toISOString() });
});

await app.listen({ host: '127.0.0.1', port: 0 });
reportPort(app.server);
