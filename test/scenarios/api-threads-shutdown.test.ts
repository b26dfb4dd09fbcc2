import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { readerLimits } from '../../src/api/slow-readers.ts';
import { sampleEveryMs } from '../../src/app/threads/thread-scaling.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { makeDocumentBytes } from '../support/document-uploaders.ts';
import { withFastInterval } from '../support/fast-timers.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import {
  type LoadedServer,
  loadUntilSecondThread,
  matchingClaims,
  readMetricSum,
  readMetrics,
  retryWhileOverloaded,
  startThreadedServer,
  threadsMetric,
} from '../support/server-load.ts';
import { withTerminableThreads } from '../support/terminate-threads.ts';
import { waitUntil } from '../support/wait-until.ts';

/** More than what the system takes of an answer that nobody reads, which is a third of that. */
const documentBytes = 12 * 1_048_576;
/** So many that one of them is with the second thread: that the kernel gives each to the first is one chance in 33,000,000. */
const enoughReaders = 25;
const requests = 'citizen_services_requests_total';
const verified = `${requests}{method="POST",route="/v1/identity/verify",status="200",problem=""}`;
const path = '/v1/identity/verify';

/** A server whose quiet minute can take twelve seconds, whose threads SIGUSR2 ends, and where a reader may stand still. */
async function startHasty(t: TestContext, engine: Engine['name']): Promise<LoadedServer> {
  const [ending, hurried] = [
    withTerminableThreads('api-thread', t),
    withFastInterval(sampleEveryMs, readerLimits.spanMs),
  ];
  return await startThreadedServer(t, engine, { NODE_OPTIONS: `${hurried.NODE_OPTIONS} ${ending.NODE_OPTIONS}` });
}

/** How many threads of the machine the process has; that of an ended one is gone. */
const machineThreads = ({ server }: LoadedServer) => readdirSync(`/proc/${server.pid}/task`).length;

async function depositLarge({ home, token }: LoadedServer): Promise<string> {
  const headers = {
    'content-type': 'application/pdf',
    'citizen-id': matchingClaims(home).citizenId,
    'document-title': 'L',
  };
  const body = makeDocumentBytes(documentBytes);
  const ask = createHttpClient(home.url);
  const asked = { method: 'POST', path: '/v1/documents', headers: bearerHeaders(token, headers), body };
  const answer = await retryWhileOverloaded(() => ask(asked));
  assert.equal(answer.status, 201, answer.body.toString());
  return `/v1/documents/${parseJsonBody(answer)['id']}`;
}

/** Begins to read a document over connections of their own, and stands still. */
async function startReading({ home, token }: LoadedServer, document: string, readers = enoughReaders) {
  const agent = new Agent({ keepAlive: true });
  const answers = await Promise.all(
    Array.from({ length: readers }, async () => {
      const { status, answer } = await retryWhileOverloaded(async () => {
        const sent = request(`${home.url}${document}`, { agent, headers: bearerHeaders(token) }).end();
        const [answer = assert.fail()]: IncomingMessage[] = await once(sent, 'response');
        const { statusCode: status = 0 } = answer;
        if (status !== 200) answer.resume();
        return { status, answer };
      });
      assert.equal(status, 200);
      return answer;
    }),
  );
  const goingOn = Promise.withResolvers<void>();
  const digestOf = async (answer: IncomingMessage) => {
    const hash = createHash('sha256');
    for await (const piece of answer) {
      hash.update(piece);
      await goingOn.promise;
    }
    return hash.digest('hex');
  };
  const reading = Promise.allSettled(answers.map(digestOf));
  return {
    /** The digests of what each has read, or nothing where it was broken off. */
    finish: async () => {
      goingOn.resolve();
      const digests = (await reading).map((one) => (one.status === 'fulfilled' ? one.value : undefined));
      agent.destroy();
      return digests;
    },
    whole: new Array(readers).fill(createHash('sha256').update(makeDocumentBytes(documentBytes)).digest('hex')),
  };
}

/** Callers who go on slowly, over a connection that is kept and over fresh ones; gives how many calls they made. */
function startSlowCallers({ home, token }: LoadedServer) {
  const claims = postJson(token, path, matchingClaims(home));
  const [kept, fresh] = [createHttpClient(home.url, 1), createHttpClient(home.url)];
  let isOver = false;
  let calls = 0;
  const caller = async (ask: typeof fresh) => {
    for (; !isOver; await pause(100)) {
      const { status, body } = await retryWhileOverloaded(() => ask(claims));
      assert.equal(status, 200, body.toString());
      calls += 1;
    }
  };
  const over = Promise.all([caller(kept), caller(fresh)]);
  return {
    stop: async () => {
      isOver = true;
      await over.finally(() => kept.close());
      return calls;
    },
  };
}

/** Looks again and again whether something that was counted has fallen. */
function startWatch({ server }: LoadedServer) {
  let isOver = false;
  const watch = async () => {
    const highest = new Map<string, number>();
    for (; !isOver; await pause(500)) {
      for (const [name, value] of await readMetrics(server)) {
        if (!/^citizen_services_\w+_(?:total|count|bucket|sum)\{/.test(name)) continue;
        const before = highest.get(name) ?? 0;
        // A sum of fractions may be added up in another order.
        assert.ok(value >= before - 1e-6, `${name} fell from ${before} to ${value}`);
        highest.set(name, value);
      }
    }
  };
  const over = watch();
  return {
    stop: async () => {
      isOver = true;
      await over;
    },
  };
}

/**
 * Waits until the second thread leaves; on a machine that others keep busy the first minute may not be a quiet one. In a hurry only so
 * long: a thread begins for so many requests between two looks.
 */
async function untilAlone({ server }: LoadedServer): Promise<void> {
  process.kill(server.pid, 'SIGUSR1');
  for (const endsAt = Date.now() + 90_000; (await readMetricSum(server, threadsMetric)) > 1; await pause(500))
    assert.ok(Date.now() < endsAt, 'the second thread has not left');
  process.kill(server.pid, 'SIGUSR1');
}

for (const { name } of engines) {
  test(`${name}: a thread that helped ends when the load is over: nobody is cut off, and nothing counted or logged is lost`, async (t) => {
    const busy = await startHasty(t, name);
    const { server } = busy;
    const document = await depositLarge(busy);
    const watch = startWatch(busy);
    let calls = await loadUntilSecondThread(busy);
    const both = machineThreads(busy);
    const [callers, reading] = [startSlowCallers(busy), await startReading(busy, document)];
    await untilAlone(busy);
    assert.equal(machineThreads(busy), both, 'a thread that leaves waits for whoever has not read all');
    assert.deepEqual(await reading.finish(), reading.whole);
    await waitUntil(async () => machineThreads(busy) < both);
    calls += await callers.stop();
    assert.equal((await readMetrics(server)).get(verified), calls);
    await watch.stop();
    const { code } = await server.stop('SIGTERM');
    assert.equal(code, 0, server.stderr());
    assert.doesNotMatch(server.stderr(), /"level":"error"/);
    const lines = server.stderr().split('\n');
    const told = lines.filter(
      (line) => line.includes(`"route":"${path}","status":200`) && line.endsWith('"msg":"request"}'),
    );
    assert.equal(told.length, calls);
  });
}

test('while a thread leaves another begins in its place, and a server that is stopped finishes what both have begun', async (t) => {
  const busy = await startHasty(t, 'sqlite');
  const document = await depositLarge(busy);
  await loadUntilSecondThread(busy);
  // So few that all of it can be read within the time of a stop.
  const reading = await startReading(busy, document, 6);
  await untilAlone(busy);
  await loadUntilSecondThread(busy);
  const ended = busy.server.stop('SIGTERM');
  assert.deepEqual(await reading.finish(), reading.whole);
  const { code } = await ended;
  assert.equal(code, 0, busy.server.stderr());
  assert.doesNotMatch(busy.server.stderr(), /"level":"error"/);
});

test('a fault that ends a thread while it leaves ends the process, which says why', async (t) => {
  const busy = await startHasty(t, 'sqlite');
  const document = await depositLarge(busy);
  await loadUntilSecondThread(busy);
  const reading = await startReading(busy, document);
  await untilAlone(busy);
  const ended = busy.server.stop('SIGUSR2');
  assert.ok((await reading.finish()).includes(undefined));
  const { code } = await ended;
  assert.equal(code, 1, busy.server.stderr());
  assert.match(busy.server.stderr(), /"level":"error".*a thread that answers calls ended with code 1/);
});
