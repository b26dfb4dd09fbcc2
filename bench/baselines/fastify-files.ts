import { basename } from 'node:path';
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';
import { type BaselineOrder, listening } from './baseline-process.ts';
import { scopesOf } from './baseline-token.ts';

// What a team puts up to give out files: Fastify and @fastify/static, with the token check that the other servers of teams have.
// Nothing is sealed, nothing leaves an event. Under /open there is no token check either.

// Read from the parent: written by `startBaseline`.
const order = JSON.parse(process.argv[2] ?? '{}') as BaselineOrder;
const app = Fastify({ logger: false });
await app.register(fastifyStatic, { root: order.files, serve: false });

type Named = { Params: { name: string } };

app.get<Named>('/documents/:name', async (request, reply) => {
  if (!scopesOf(request.headers.authorization, order.keys).includes('documents:read')) return reply.code(403).send();
  return reply.sendFile(basename(request.params.name));
});
app.get<Named>('/open/documents/:name', async (request, reply) => reply.sendFile(basename(request.params.name)));

await app.listen({ host: '127.0.0.1', port: 0 });
listening(app.server);
