import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress, parsePublicUrl } from '../../src/net/public-target.ts';
import { createPostWebhookCall } from '../../src/notifications/webhooks/post-call.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

// The first and last address of each network that is not public, and the public addresses next to them.
const privateAddresses = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.255.255.255',
  '169.254.0.0',
  '169.254.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.0',
  '192.0.0.255',
  '192.0.2.0',
  '192.88.99.1',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.0',
  '239.255.255.255',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:93.184.215.14',
  '64:ff9b::a00:1',
  '2001::1',
  '2001:1ff::1',
  '2001:db8::1',
  '2002:a00:1::',
  '3fff::1',
  '4000::',
  'fc00::1',
  'fe80::1',
  'ff02::1',
  '',
  'example.com',
  '10.0.0',
];
const publicAddresses = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.0.3.0',
  '192.88.98.255',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '203.0.114.0',
  '93.184.215.14',
  '223.255.255.255',
  '2001:200::1',
  '2001:db9::1',
  '2003::1',
  '2606:2800:21f:cb07::1',
  '3ffe::1',
];

test('a webhook URL with a private address, an internal name or another notation of them is refused', () => {
  const refused = [
    'http://example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[fd00::1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/',
    'https://db.internal/',
    'https://printer.local/',
    'https://a.localhost/',
    'https://router.home.arpa/',
    'https://intranet/',
    'https://127.0.0.1./',
    'https://localhost./',
    'https://LOCALHOST./',
    'https://%6cocalhost/',
    'https://intranet./',
    'https://router.local./',
    'https://router.local../',
    'https://hooks.example.com./',
    'https://metadata.google.internal./computeMetadata/v1/',
    'https://metadata.goog/computeMetadata/v1/',
    'https://instance-data.ec2.internal/',
    'https://kubernetes.default.svc/',
    'https://kubernetes.default.svc.cluster.local/',
    'https://nas.lan/',
    'https://git.corp/',
    'https://server.localdomain/',
    'https://user@example.com/',
    'https://:pw@example.com/',
    'https://user:pw@example.com/',
    'https://example.com/#x',
    'ftp://example.com/',
  ];
  assert.deepEqual(
    refused.filter((url) => parsePublicUrl(url, false) !== undefined),
    [],
  );
  assert.ok(parsePublicUrl('https://hooks.example.com/a?b=c', false) !== undefined);
});

test('an address in a network that is not public is private, and the addresses next to that network are public', () => {
  assert.deepEqual(privateAddresses.filter(isPublicAddress), []);
  assert.deepEqual(publicAddresses.filter(isPublicAddress), publicAddresses);
});

test('a webhook is not called when its host resolves to a private address after its creation', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const answers = [['93.184.215.14'], ['93.184.215.14', '127.0.0.1'], ['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1']];
  for (const addresses of answers.slice(1)) {
    const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const post = createPostWebhookCall({ resolve, allowPrivate: false, timeoutMs: 20_000 });
    const result = await post({ url: new URL(`http://hooks.example.com:${receiver.port}/`), body: '{}', headers: {} });
    assert.deepEqual(result, { failed: 'private-target' });
  }
  assert.equal(receiver.calls.length, 0);
});

test('a webhook call connects to the address that was checked, with a single lookup', async (t) => {
  const receiver = await startWebhookReceiver(t);
  let lookups = 0;
  const resolve = async (host: string) => {
    lookups += 1;
    assert.equal(host, 'hooks.invalid');
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const post = createPostWebhookCall({ resolve, allowPrivate: true, timeoutMs: 20_000 });
  const url = new URL(`http://hooks.invalid:${receiver.port}/`);
  assert.equal('failed' in (await post({ url, body: '{}', headers: {} })), false);
  assert.deepEqual([lookups, receiver.calls[0]?.headers.host], [1, url.host]);
});
