import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import Fastify from 'fastify';
import { type BaselineOrder, listening } from './baseline-process.ts';

// A plain file as a stream, the way @fastify/static gives one, without a token and without an event.

// Read from the parent: written by `startBaseline`.
const order = JSON.parse(process.argv[2] ?? '{}') as BaselineOrder;
const app = Fastify({ logger: false });

app.get<{ Params: { name: string } }>('/documents/:name', async (request, reply) => {
  const path = join(order.files, basename(request.params.name));
  const { size, mtimeMs } = await stat(path);
  return reply
    .header('content-length', size)
    .header('etag', `W/"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`)
    .header('accept-ranges', 'bytes')
    .type('application/pdf')
    .send(createReadStream(path));
});

await app.listen({ host: '127.0.0.1', port: 0 });
listening(app.server);
