import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { busyUntilTwo, call, claimsIn, startServer } from '../busy-server.ts';
import { makeTestFolder } from '../test-folder.ts';

test('a thread that begins later goes by the settings of the start, whatever their files hold since', async (t) => {
  const folder = makeTestFolder('settings');
  const [file, secret] = [join(folder, 'settings'), join(folder, 'token')];
  writeFileSync(file, 'REFUSE_CLAIMS_IN_URL=false\n');
  writeFileSync(secret, 'a token of sixteen letters');
  const busy = await startServer(t, 'sqlite', { SETTINGS_FILE: file, SMS_RECEIPT_TOKEN_FILE: secret });
  // For a start to come; and a secret that is taken away is no reason to refuse the thread.
  writeFileSync(file, 'REFUSE_CLAIMS_IN_URL=true\n');
  writeFileSync(secret, '');
  await busyUntilTwo(busy);
  const path = `/v1/identity/verify?${new URLSearchParams(claimsIn(busy.home))}`;
  const answers = [];
  for (let times = 0; times < 40; times += 1) answers.push((await call(busy.home.url, busy.token, { path })).status);
  assert.deepEqual(answers, new Array(40).fill(200));
});
