import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { createDnsResolver, type ResolveHost } from '../../src/net/resolve-host.ts';
import { createPostWebhookCall } from '../../src/notifications/webhooks/post-call.ts';
import { createPrivateHostCheck } from '../../src/notifications/webhooks/private-host-check.ts';
import { maxWebhooks } from '../../src/notifications/webhooks/webhook-store.ts';
import { waitUntil } from '../support/wait-until.ts';

type NameRecord = readonly [type: 1 | 28, address: readonly number[]];

/** A name server on loopback that answers for the known names, with no record for an empty list, and never for other names. */
async function startNameServer(t: TestContext, known: { readonly [name: string]: readonly NameRecord[] }) {
  const socket: Socket = createSocket('udp4');
  const queries: string[] = [];
  socket.on('message', (question: Buffer, from: RemoteInfo) => {
    const end = question.indexOf(0, 12);
    const labels: string[] = [];
    for (let at = 12; at < end; at += 1 + (question[at] ?? 0))
      labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)));
    const name = labels.join('.').toLowerCase();
    const type = question.readUInt16BE(end + 1);
    queries.push(name);
    const records = known[name];
    if (records === undefined) return;
    const answers = records.filter(([of]) => of === type).map(([of, address]) => answerOf(of, address));
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(answers.length, 6);
    head.writeUInt16BE(0, 10);
    socket.send(Buffer.concat([head, question.subarray(12, end + 5), ...answers]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { servers: [`127.0.0.1:${socket.address().port}`], queries };
}

/** An answer for the name in the question (RFC 1035, sections 4.1.3 and 4.1.4) with a TTL of 1 second. */
function answerOf(type: number, address: readonly number[]): Buffer {
  return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, address.length, ...address]);
}

const forever = new AbortController().signal;
const loopback6 = [...Array.from({ length: 15 }, () => 0), 1];

test('a host name is resolved for both address families, and is private if one of its addresses is private', async (t) => {
  const { servers } = await startNameServer(t, {
    'both.example': [
      [1, [93, 184, 215, 14]],
      [28, loopback6],
    ],
    'four.example': [[1, [93, 184, 215, 14]]],
    'none.example': [],
  });
  const resolve = createDnsResolver(servers);
  const four = { address: '93.184.215.14', family: 4 };
  assert.deepEqual(await resolve('both.example', forever), [four, { address: '::1', family: 6 }]);
  assert.deepEqual(await resolve('four.example', forever), [four]);
  await assert.rejects(resolve('none.example', forever), { code: 'ENODATA' });
  const check = createPrivateHostCheck({ resolve, allowPrivate: false });
  const isPrivate = (host: string) => check(new URL(`https://${host}/`), 'client');
  assert.deepEqual([await isPrivate('both.example'), await isPrivate('four.example')], [true, false]);
  assert.equal(await isPrivate('none.example'), false);
});

test('a lookup whose name server never answers blocks no other lookup, and ends with the timeout of the call', async (t) => {
  const { servers, queries } = await startNameServer(t, {});
  const post = createPostWebhookCall({ resolve: createDnsResolver(servers), allowPrivate: false, timeoutMs: 3_000 });
  const url = (at: number) => new URL(`https://silent-${at}.example/`);
  const calls = Promise.all(Array.from({ length: 64 }, (_, at) => post({ url: url(at), body: '{}', headers: {} })));
  await waitUntil(async () => new Set(queries).size === 64);
  const others = Promise.all(Array.from({ length: 8 }, () => lookup('localhost')));
  assert.equal(await Promise.race([others.then(() => 'others'), calls.then(() => 'calls')]), 'others');
  assert.deepEqual(new Set((await calls).map((result) => JSON.stringify(result))), new Set(['{"failed":"timed-out"}']));
});

test('the lookups of one client are limited to its number of webhooks, and do not delay another client', async () => {
  const { promise, resolve: answer } = Promise.withResolvers<Awaited<ReturnType<ResolveHost>>>();
  const check = createPrivateHostCheck({ resolve: () => promise, allowPrivate: false }, 60_000);
  const url = new URL('https://slow.example/');
  const pending = Array.from({ length: maxWebhooks }, () => check(url, 'greedy'));
  const refused = await check(url, 'greedy');
  assert.equal(typeof refused === 'object' && refused.slug, 'capacity-reduced');
  assert.equal(await check(new URL('https://93.184.215.14/'), 'greedy'), false);
  const other = check(url, 'other');
  answer([{ address: '93.184.215.14', family: 4 }]);
  assert.deepEqual(new Set(await Promise.all([...pending, other])), new Set([false]));
  assert.equal(await check(url, 'greedy'), false);
});

test('the creation of a webhook does not wait for a name server that never answers', async () => {
  const never = new Promise<never>(() => undefined);
  const check = createPrivateHostCheck({ resolve: () => never, allowPrivate: false }, 20);
  assert.equal(await check(new URL('https://silent.example/'), 'client'), false);
});
