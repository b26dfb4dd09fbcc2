import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { createSmsGateway } from '../../src/notifications/channels/sms-gateway.ts';
import {
  defaultSmsMapping,
  lateReportsInReceipt,
  type SmsMapping,
} from '../../src/notifications/channels/sms-mapping.ts';
import { createInboxLink, type InboxLink } from '../../src/notifications/inbox/inbox-link.ts';
import type { OutgoingMessage } from '../../src/notifications/notification/channel.ts';

const at = Date.UTC(2026, 0, 15, 9);
const newId = createIdGenerator({ now: () => at }, (bytes) => new Uint8Array(bytes));

function message(more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    notification: newId('notification'),
    delivery: newId('delivery'),
    attempt: 1,
    address: '+47 400 00 000',
    sender: 'Tax Office',
    subject: undefined,
    content: { message: 'Ready {to} "x"' },
    reminder: false,
    category: 'information' as const,
    language: undefined,
    at,
    ...more,
  };
}

type Behave = (request: IncomingMessage, response: ServerResponse) => void;

/** A gateway on loopback that calls `behave` after it has read the request. */
async function gateway(t: TestContext, behave: Behave, mapping: SmsMapping = defaultSmsMapping, inboxLink?: InboxLink) {
  const bodies: Array<{ body: string; headers: IncomingMessage['headers'] }> = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      bodies.push({ body, headers: request.headers });
      behave(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  const troubles: string[] = [];
  const onProviderFailure = (why: string) => void troubles.push(why);
  const channel = createSmsGateway({
    url: `http://127.0.0.1:${port}/send`,
    mapping,
    inboxLink,
    timeoutMs: 6_000,
    onProviderFailure,
    clock,
  });
  const send = async (what: OutgoingMessage) => {
    const ready = await channel.prepare(what);
    return 'outcome' in ready ? ready : await ready.call();
  };
  return { bodies, send, troubles };
}

const answer =
  (status: number, body = '', headers: Record<string, string> = {}): Behave =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

const clock = { now: () => Date.UTC(2026, 0, 15, 9) };

const strict: SmsMapping = {
  ...defaultSmsMapping,
  answer: { reference: '/messages/0/id', status: '/messages/0/status', accepted: ['queued'], refused: ['invalid'] },
};

const cases: ReadonlyArray<[string, Behave, SmsMapping, object]> = [
  [
    'a response that accepts the message',
    answer(202, '{"id":"g-1"}'),
    defaultSmsMapping,
    { outcome: 'sent', providerRef: 'g-1' },
  ],
  [
    'a response with an id of 64 bits',
    answer(202, '{"id":1234567890123456789}'),
    defaultSmsMapping,
    { outcome: 'sent', providerRef: '1234567890123456789' },
  ],
  ['a response that is not JSON', answer(200, 'OK'), defaultSmsMapping, { outcome: 'sent' }],
  [
    'a 429 with seconds in Retry-After',
    answer(429, '', { 'retry-after': '7' }),
    defaultSmsMapping,
    { outcome: 'temporary', reason: 'provider-busy', retryAfterMs: 7_000 },
  ],
  ['a 401', answer(401), defaultSmsMapping, { outcome: 'temporary', reason: 'provider-refuses-us' }],
  ...[301, 307, 308, 402, 403, 404, 405, 407, 410, 415, 421, 426].map(
    (status): [string, Behave, SmsMapping, object] => [
      `a ${status}`,
      answer(status),
      defaultSmsMapping,
      { outcome: 'temporary', reason: 'provider-refuses-us' },
    ],
  ),
  [
    'a 429 with a date in Retry-After',
    answer(429, '', { 'retry-after': 'Thu, 15 Jan 2026 09:02:00 GMT' }),
    defaultSmsMapping,
    { outcome: 'temporary', reason: 'provider-busy', retryAfterMs: 120_000 },
  ],
  ...['soon', '0', '-1', '1.5', '86401', 'Thu, 15 Jan 2026 08:59:59 GMT', 'Fri, 16 Jan 2026 09:00:01 GMT'].map(
    (wait): [string, Behave, SmsMapping, object] => [
      `a 429 with the invalid Retry-After ${wait}`,
      answer(429, '', { 'retry-after': wait }),
      defaultSmsMapping,
      { outcome: 'temporary', reason: 'provider-busy' },
    ],
  ),
  ...[400, 422].map((status): [string, Behave, SmsMapping, object] => [
    `a ${status}`,
    answer(status),
    defaultSmsMapping,
    { outcome: 'permanent', reason: 'message-refused' },
  ]),
  [
    'a response in pieces',
    (_request, response) => {
      response.write('{"id":');
      setTimeout(() => response.end('"g-3"}'), 20);
    },
    defaultSmsMapping,
    { outcome: 'sent', providerRef: 'g-3' },
  ],
  ['a server error', answer(500), defaultSmsMapping, { outcome: 'unknown' }],
  [
    'a redirect that is not followed',
    answer(302, '', { location: 'http://127.0.0.1:1/' }),
    defaultSmsMapping,
    { outcome: 'unknown' },
  ],
  ['a response after the deadline', () => undefined, defaultSmsMapping, { outcome: 'unknown' }],
  ['a closed connection', (request) => void request.socket.destroy(), defaultSmsMapping, { outcome: 'unknown' }],
  [
    'a response that never ends',
    (_request, response) => void setInterval(() => response.destroyed || response.write('x'), 20).unref(),
    defaultSmsMapping,
    { outcome: 'unknown' },
  ],
  [
    'a response that is too long',
    (_request, response) => void response.end('x'.repeat(300_000)),
    defaultSmsMapping,
    { outcome: 'unknown' },
  ],
  [
    'a 200 with a rejected status',
    answer(200, '{"messages":[{"status":"invalid"}]}'),
    strict,
    { outcome: 'permanent', reason: 'address-refused' },
  ],
  ['a 200 with an unknown status', answer(200, '{"messages":[{"status":"maybe"}]}'), strict, { outcome: 'unknown' }],
  [
    'a 200 with an accepted status',
    answer(200, '{"messages":[{"status":"queued","id":"g-2"}]}'),
    strict,
    { outcome: 'sent', providerRef: 'g-2' },
  ],
];

// In parallel, because some of them wait for a timeout.
describe('sms: responses of a gateway', { concurrency: 16 }, () => {
  for (const [claim, behave, mapping, expected] of cases) {
    test(`sms: ${claim} has the outcome ${JSON.stringify(expected)}`, async (t) => {
      const { send, bodies, troubles } = await gateway(t, behave, mapping);
      assert.deepEqual(await send(message()), expected);
      assert.equal(bodies.length, 1, 'called once');
      const waits = 'reason' in expected && expected.reason === 'provider-refuses-us';
      assert.match(
        String(troubles),
        waits ? /^answered [34]\d\d$/ : /^$/,
        "exactly the operator's problems are reported",
      );
    });
  }
});

test('sms: a refused connection is a temporary failure, because the gateway has received nothing', async () => {
  const troubles: string[] = [];
  const onProviderFailure = (why: string) => void troubles.push(why);
  const channel = createSmsGateway({
    url: 'http://127.0.0.1:1/',
    mapping: defaultSmsMapping,
    onProviderFailure,
    clock,
  });
  const ready = await channel.prepare(message());
  assert.ok('call' in ready);
  assert.deepEqual(await ready.call(), { outcome: 'temporary', reason: 'provider-unreachable' });
  assert.deepEqual(troubles, ['connect ECONNREFUSED 127.0.0.1:1']);
});

test('sms: a failed TLS handshake is a temporary failure, because the gateway has received nothing', async (t) => {
  const plain = createServer(() => assert.fail('a request arrived without TLS'));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  t.after(() => plain.close());
  // It listens on TCP, so its address has a port.
  const { port } = plain.address() as AddressInfo;
  const channel = createSmsGateway({ url: `https://127.0.0.1:${port}/`, mapping: defaultSmsMapping, clock });
  const ready = await channel.prepare(message());
  assert.ok('call' in ready);
  assert.deepEqual(await ready.call(), { outcome: 'temporary', reason: 'provider-unreachable' });
});

test('sms: an invalid phone number is address-invalid without a call', async (t) => {
  const { send, bodies } = await gateway(t, answer(202));
  const refused = { outcome: 'permanent', reason: 'address-invalid' };
  assert.deepEqual(await send(message({ address: '400 00 000' })), refused);
  assert.deepEqual(bodies, []);
});

test('sms: placeholders in lists are filled in, and numbers and booleans stay unchanged', async (t) => {
  const request = { messages: [{ to: ['{to}'], text: '{text}' }], flash: false, ttl: 60, schedule: null };
  const { send, bodies } = await gateway(t, answer(202), { ...defaultSmsMapping, request });
  await send(message({ content: { message: 'Hello' } }));
  assert.deepEqual(JSON.parse(bodies[0]?.body ?? ''), {
    ...request,
    messages: [{ to: ['+4740000000'], text: 'Tax Office: Hello' }],
  });
});

test('sms: no message text changes the structure of a JSON or form request', async (t) => {
  const what = message({ content: { message: '"},"to":"+4711111111{from}&to=+4722222222' } });
  const json = await gateway(t, answer(202));
  await json.send(what);
  assert.deepEqual(JSON.parse(json.bodies[0]?.body ?? ''), {
    to: '+4740000000',
    text: `Tax Office: ${what.content.message}`,
    id: `${what.delivery}.1`,
    from: 'Tax Office',
  });
  assert.equal(json.bodies[0]?.headers['idempotency-key'], `${what.delivery}.1`);
  const form = await gateway(t, answer(202), { ...defaultSmsMapping, encoding: 'form' });
  await form.send(what);
  assert.deepEqual(new URLSearchParams(form.bodies[0]?.body).getAll('to'), ['+4740000000']);
});

test('sms: a message is sent only to a number with its country code', async (t) => {
  const { send, bodies } = await gateway(t, answer(202));
  const addresses = ['+47 400-00 (000)', '+44 (0)20 7946 0000', '40000000', '+0123456789', '+4740000000,+4711111111'];
  const outcomes: unknown[] = [];
  for (const address of addresses) outcomes.push(await send(message({ address })));
  const invalid = { outcome: 'permanent', reason: 'address-invalid' };
  assert.deepEqual(outcomes.slice(2), [invalid, invalid, invalid]);
  assert.deepEqual(
    bodies.map(({ body }) => (JSON.parse(body) as { to: string }).to),
    ['+4740000000', '+442079460000'],
  );
});

test('sms: an announcement has a link to the inbox, and a complete message has none', async (t) => {
  const { bodies, send } = await gateway(
    t,
    answer(200, '{"id":"1"}'),
    defaultSmsMapping,
    createInboxLink('https://gov.example/i/{id}'),
  );
  const long = message({ subject: 'Your tax', content: { message: 'word '.repeat(1_000) } });
  for (const sent of [long, message()]) assert.equal((await send(sent)).outcome, 'sent');
  assert.deepEqual(
    bodies.map(({ body }) => (JSON.parse(body) as { text: string }).text),
    [
      `Tax Office: you have a new message about "Your tax". Read it at https://gov.example/i/${long.notification}`,
      'Tax Office: Ready {to} "x"',
    ],
  );
});

test('sms: a delivery report counts only for an attempt of this server and with a final status', async () => {
  const delivery = newId('delivery');
  const id = `${delivery}.2`;
  const receipts = [
    { id, status: 'delivered' },
    { id, status: 'rejected' },
    { id, status: 'buffered' },
    { id: 'x', status: 'delivered' },
    null,
  ];
  assert.deepEqual(await lateReportsInReceipt(defaultSmsMapping, receipts, assert.fail), [
    { delivery, attempt: 2, ended: 'delivered' },
    { delivery, attempt: 2, ended: 'failed', reason: 'address-refused' },
  ]);
});

test('sms: an unreachable phone or a refused text is not reported as a wrong number', async () => {
  const [delivery, receipt] = [newId('delivery'), defaultSmsMapping.receipt];
  assert.ok(receipt !== undefined);
  const mapping = { ...defaultSmsMapping, receipt: { ...receipt, unreachable: ['expired'], refused: ['spam'] } };
  const failed = (reason: string) => ({ delivery, attempt: 1, ended: 'failed', reason });
  const receipts = ['failed', 'expired', 'spam', 'queued'].map((status) => ({ id: `${delivery}.1`, status }));
  assert.deepEqual(
    await lateReportsInReceipt(mapping, receipts, assert.fail),
    ['address-refused', 'destination-unreachable', 'message-refused'].map(failed),
  );
});
