import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from './verify-webhook.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const now = Date.UTC(2026, 10, 20, 9);
const body = JSON.stringify({ number: 1, type: 'notification.opened', timestamp: '2026-11-20T09:00:00Z', data: {} });

/** The headers of a call that the reference library signed. */
function signed(by: string = secret, at: number = now): Record<string, string> {
  return {
    'Webhook-Id': 'evt_1',
    'Webhook-Timestamp': String(at / 1_000),
    'Webhook-Signature': new Webhook(by).sign('evt_1', new Date(at), body),
  };
}

test('a call signed by the reference library is accepted with each form of headers and body', () => {
  const expected = { ...JSON.parse(body), id: 'evt_1' };
  const lowerCase = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toLowerCase(), value]));
  for (const headers of [signed(), lowerCase, new Headers(signed())]) {
    assert.deepEqual(verifyWebhook(secret, headers, body, { now }), expected);
    assert.deepEqual(verifyWebhook(secret, headers, Buffer.from(body), { now }), expected);
  }
});

test('a call with one valid signature among several is accepted, and a signature for another secret, body, id or time is refused', () => {
  const headers = signed();
  const both = {
    ...headers,
    'Webhook-Signature': `v1,AAAA v2,x ${signed(other)['Webhook-Signature']} ${headers['Webhook-Signature']}`,
  };
  assert.equal(verifyWebhook(secret, both, body, { now }).id, 'evt_1');
  const unsigned = { name: 'WebhookError', message: 'no signature of the call was made with this secret' };
  assert.throws(() => verifyWebhook(other, headers, body, { now }), unsigned);
  assert.throws(() => verifyWebhook(secret, headers, `${body} `, { now }), unsigned);
  assert.throws(() => verifyWebhook(secret, { ...headers, 'Webhook-Id': 'evt_2' }, body, { now }), unsigned);
  const later = { ...headers, 'Webhook-Timestamp': String(now / 1_000 + 1) };
  assert.throws(() => verifyWebhook(secret, later, body, { now }), unsigned);
  assert.throws(() => verifyWebhook(secret, { ...headers, 'Webhook-Signature': 'v1,' }, body, { now }), unsigned);
});

test('a call with a timestamp outside the tolerance, in the past or future, is refused', () => {
  for (const seconds of [-300, 300])
    assert.ok(verifyWebhook(secret, signed(secret, now + seconds * 1_000), body, { now }));
  for (const seconds of [-301, 301]) {
    assert.throws(
      () => verifyWebhook(secret, signed(secret, now + seconds * 1_000), body, { now }),
      /within 300 seconds/,
    );
  }
  assert.throws(
    () => verifyWebhook(secret, signed(secret, now - 11_000), body, { now, toleranceSeconds: 10 }),
    /within 10/,
  );
  assert.throws(() => verifyWebhook(secret, { ...signed(), 'Webhook-Timestamp': 'now' }, body, { now }), /no time/);
});

test('a missing header is named in the error, and an invalid secret throws a TypeError', () => {
  for (const name of ['Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature']) {
    const headers = { ...signed(), [name]: undefined };
    assert.throws(() => verifyWebhook(secret, headers, body, { now }), new RegExp(`no header ${name.toLowerCase()}`));
  }
  for (const wrong of ['', 'secret', 'whsec_', 'whsec_AAAA', `whpk_${Buffer.alloc(31).toString('base64')}`]) {
    assert.throws(() => verifyWebhook(wrong, signed(), body, { now }), TypeError);
  }
});

test('a v1a signature is accepted with its public key, and refused with a secret', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`;
  const signature = sign(null, Buffer.from(`evt_1.${now / 1_000}.${body}`), privateKey).toString('base64');
  const headers = { ...signed(), 'Webhook-Signature': `v1a,${signature}` };
  assert.equal(verifyWebhook(key, headers, body, { now }).id, 'evt_1');
  assert.throws(() => verifyWebhook(key, headers, `${body} `, { now }), { name: 'WebhookError' });
  assert.throws(() => verifyWebhook(key, signed(), body, { now }), { name: 'WebhookError' });
  assert.throws(() => verifyWebhook(secret, headers, body, { now }), { name: 'WebhookError' });
});
