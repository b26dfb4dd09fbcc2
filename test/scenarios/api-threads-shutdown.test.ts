import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { bearerHeaders, createHttpClient, parseJsonBody } from '../support/http-client.ts';
import { makeDocumentBytes } from '../support/load-generators.ts';
import {
  matchingClaims,
  readMetrics,
  retryWhileOverloaded,
  startThreadedServer,
  type ThreadedServer,
  verifyConcurrently,
} from '../support/threaded-server.ts';
import { waitUntil } from '../support/wait-until.ts';

/** About three times what the system buffers of a response that nobody reads. */
const documentBytes = 12 * 1_048_576;
/** The readers of both threads finish within the timeout of a stop. Once in 32 runs the kernel assigns all of them to one thread. */
const readerCount = 6;
const path = '/v1/identity/verify';
const verified = `citizen_services_requests_total{method="POST",route="${path}",status="200",problem=""}`;

async function depositLarge({ home, token }: ThreadedServer): Promise<string> {
  const headers = {
    'content-type': 'application/pdf',
    'citizen-id': matchingClaims(home).citizenId,
    'document-title': 'L',
  };
  const body = makeDocumentBytes(documentBytes);
  const send = createHttpClient(home.url);
  const deposit = { method: 'POST', path: '/v1/documents', headers: bearerHeaders(token, headers), body };
  const response = await retryWhileOverloaded(() => send(deposit));
  assert.equal(response.status, 201, response.body.toString());
  return `/v1/documents/${parseJsonBody(response)['id']}`;
}

/** Opens the document on several connections; `finish` reads all of them and returns the digests. */
async function startReading({ home, token }: ThreadedServer, document: string) {
  const agent = new Agent({ keepAlive: true });
  const responses = await Promise.all(
    Array.from({ length: readerCount }, async () => {
      const outgoing = request(`${home.url}${document}`, { agent, headers: bearerHeaders(token) }).end();
      const [response = assert.fail()]: IncomingMessage[] = await once(outgoing, 'response');
      assert.equal(response.statusCode, 200);
      return response;
    }),
  );
  const digestOf = async (response: IncomingMessage) => {
    const hash = createHash('sha256');
    for await (const chunk of response) hash.update(chunk);
    return hash.digest('hex');
  };
  return {
    finish: async () => {
      const digests = await Promise.all(responses.map(digestOf));
      agent.destroy();
      return digests;
    },
    expected: new Array(readerCount).fill(createHash('sha256').update(makeDocumentBytes(documentBytes)).digest('hex')),
  };
}

test('a server with two threads completes the started responses of both when it stops', async (t) => {
  const threaded = await startThreadedServer(t, 'sqlite');
  const reading = await startReading(threaded, await depositLarge(threaded));
  const stopped = threaded.server.stop('SIGTERM');
  assert.deepEqual(await reading.finish(), reading.expected);
  const { code } = await stopped;
  assert.equal(code, 0, threaded.server.stderr());
  assert.doesNotMatch(threaded.server.stderr(), /"level":"error"/);
});

for (const { name } of engines) {
  test(`${name}: each request to a server with two threads is counted once and logged once`, async (t) => {
    const threaded = await startThreadedServer(t, name);
    const { server } = threaded;
    const sent = await verifyConcurrently(threaded, 10);
    await waitUntil(async () => (await readMetrics(server)).get(verified) === sent);
    const { code } = await server.stop('SIGTERM');
    assert.equal(code, 0, server.stderr());
    const requestLines = server
      .stderr()
      .split('\n')
      .filter((line) => line.includes(`"route":"${path}","status":200`) && line.endsWith('"msg":"request"}'));
    assert.equal(requestLines.length, sent);
  });
}
