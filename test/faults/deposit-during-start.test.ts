import assert from 'node:assert/strict';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type PartialUpload, startPartialUpload } from '../support/partial-upload.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

test('an upload that begins as soon as the server listens is not taken for one that a crash has left', async (t) => {
  const home = await makeServerFixture(t, {});
  const before = await home.start();
  const authorization = `Bearer ${await home.fetchAccessToken()}`;
  await before.stop('SIGTERM');
  // What a crash did leave tells when the sweep of the start has been there.
  const left = join(home.dataDir, 'documents', 'incoming', 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC42');
  writeFileSync(left, 'half');
  utimesSync(left, 1_000, 1_000);
  // So large that its first half is enough for two of the spans in which an upload has to go on.
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
