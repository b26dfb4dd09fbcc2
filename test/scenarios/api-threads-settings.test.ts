import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  callOnNewConnection,
  loadUntilSecondThread,
  matchingClaims,
  startThreadedServer,
} from '../support/server-load.ts';
import { makeTestFolder } from '../support/test-folder.ts';

test('a thread that begins later goes by the settings of the start, whatever their files hold since', async (t) => {
  const folder = makeTestFolder('settings');
  const [file, secret, policy] = ['settings', 'token', 'policy'].map((name) => join(folder, name));
  assert.ok(file !== undefined && secret !== undefined && policy !== undefined);
  writeFileSync(file, 'REFUSE_CLAIMS_IN_URL=false\n');
  writeFileSync(secret, 'a token of sixteen letters');
  writeFileSync(policy, JSON.stringify({ steps: [{ channel: 'email', afterDays: 0 }] }));
  const settings = { SETTINGS_FILE: file, SMS_RECEIPT_TOKEN_FILE: secret, CASCADE_POLICY: policy };
  const busy = await startThreadedServer(t, 'sqlite', settings);
  // For a start to come; what is taken away, or not finished, is no reason to refuse the thread.
  writeFileSync(file, 'REFUSE_CLAIMS_IN_URL=true\n');
  writeFileSync(secret, '');
  writeFileSync(policy, '{');
  await loadUntilSecondThread(busy);
  const path = `/v1/identity/verify?${new URLSearchParams(matchingClaims(busy.home))}`;
  const answers = [];
  for (let times = 0; times < 40; times += 1)
    answers.push((await callOnNewConnection(busy.home.url, busy.token, { path })).status);
  assert.deepEqual(answers, new Array(40).fill(200));
});
