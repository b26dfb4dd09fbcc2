import assert from 'node:assert/strict';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type PartialUpload, startPartialUpload } from '../support/http-client.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

test('an upload that begins when the server listens is not removed as an incomplete upload', async (t) => {
  const home = await makeServerFixture(t, {});
  const before = await home.start();
  const authorization = `Bearer ${await home.fetchAccessToken()}`;
  await before.stop('SIGTERM');
  // A leftover of a crash shows when the sweep of the start has run.
  const left = join(home.dataDir, 'documents', 'incoming', 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC42');
  writeFileSync(left, 'half');
  utimesSync(left, 1_000, 1_000);
  // Large enough that its first half lasts for two upload progress intervals.
  const bytes = Buffer.alloc(400_000, 'x');
  const headers = {
    authorization,
    'content-type': 'text/plain',
    'citizen-id': 'demo-mary',
    'document-title': 'x',
  };
  const starting = home.start();
  let upload: PartialUpload | undefined;
  await waitUntil(async () => {
    upload = await startPartialUpload(home.port, bytes, headers).catch(() => undefined);
    return upload !== undefined;
  });
  await starting;
  await waitUntil(async () => !existsSync(left));
  assert.match((await upload?.finish()) ?? '', /^HTTP\/1\.1 201 /);
});
