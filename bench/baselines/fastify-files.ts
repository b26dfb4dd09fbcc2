import { basename } from 'node:path';
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';
import { type BaselineOptions, reportPort } from './baseline-process.ts';
import { scopesOfToken } from './baseline-token.ts';

// A usual file server: Fastify and @fastify/static, with the same token check as the Express baselines. It encrypts nothing and
// records no event. The routes below /open have no token check.

// Written by `startBaseline` in the parent.
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
