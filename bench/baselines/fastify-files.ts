import { basename } from 'node:path';
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';
import { type BaselineOptions, reportPort } from './baseline-process.ts';
import { scopesOfToken } from './baseline-token.ts';

// What a team puts up to give out files: Fastify and @fastify/static, with the token check that the other servers of teams have.
// Nothing is sealed, nothing leaves an event. Under /open there is no token check either.

// Read from the parent: written by `startBaseline`.
const options = JSON.parse(process.argv[2] ?? '{}') as BaselineOptions;
const app = Fastify({ logger: false });
await app.register(fastifyStatic, { root: options.files, serve: false });

type DocumentRoute = { Params: { name: string } };

app.get<DocumentRoute>('/documents/:name', async (request, reply) => {
  if (!scopesOfToken(request.headers.authorization, options.keys).includes('documents:read'))
    return reply.code(403).send();
  return reply.sendFile(basename(request.params.name));
});
app.get<DocumentRoute>('/open/documents/:name', async (request, reply) =>
  reply.sendFile(basename(request.params.name)),
);

await app.listen({ host: '127.0.0.1', port: 0 });
reportPort(app.server);
