import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '../support/test-folder.ts';
import { callOnNewConnection, matchingClaims, startThreadedServer } from '../support/threaded-server.ts';

test('all threads use the settings of the start, even when the settings files change afterwards', async (t) => {
  const folder = makeTestFolder('settings');
  const file = join(folder, 'settings');
  const secret = join(folder, 'token');
  const policy = join(folder, 'policy');
  writeFileSync(file, 'REFUSE_CLAIMS_IN_URL=false\n');
  writeFileSync(secret, 'a token of sixteen letters');
  writeFileSync(policy, JSON.stringify({ steps: [{ channel: 'email', afterDays: 0 }] }));
  const settings = { SETTINGS_FILE: file, SMS_RECEIPT_TOKEN_FILE: secret, CASCADE_POLICY: policy };
  const { home, token } = await startThreadedServer(t, 'sqlite', settings);
  writeFileSync(file, 'REFUSE_CLAIMS_IN_URL=true\n');
  writeFileSync(secret, '');
  writeFileSync(policy, '{');
  const path = `/v1/identity/verify?${new URLSearchParams(matchingClaims(home))}`;
  const statuses = [];
  for (let times = 0; times < 40; times += 1)
    statuses.push((await callOnNewConnection(home.url, token, { path })).status);
  assert.deepEqual(statuses, new Array(40).fill(200));
});
