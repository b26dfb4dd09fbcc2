import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedChannels } from './masked-address.ts';

test('a masked address shows enough to compare it, and not the whole', () => {
  const channels = maskedChannels({
    email: 'anna.smith@example.org',
    phone: '+46701740607',
    postalLines: ['ul. Wymyślona 14', '80-831 Gdańsk', 'POLAND'],
    declined: ['sms'],
    verified: ['email'],
  });
  assert.deepEqual(channels, [
    { channel: 'inbox', address: null, declined: false, verified: false },
    { channel: 'email', address: 'a…@example.org', declined: false, verified: true },
    { channel: 'sms', address: '…07', declined: true, verified: false },
    { channel: 'letter', address: '…, 80-831 Gdańsk, POLAND', declined: false, verified: false },
  ]);
});

test('a citizen without addresses is reached by the inbox alone, and odd addresses show nothing', () => {
  assert.deepEqual(
    maskedChannels({}).map(({ channel }) => channel),
    ['inbox'],
  );
  const odd = maskedChannels({ email: '@', postalLines: ['One line'] });
  assert.deepEqual(
    odd.map(({ address }) => address),
    [null, '…', '…'],
  );
});
