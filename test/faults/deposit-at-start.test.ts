import assert from 'node:assert/strict';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type HalfUpload, startUpload } from '../half-upload.ts';
import { until } from '../until.ts';
import { makeHome } from '../whole-server.ts';

test('an upload that begins as soon as the server listens is not taken for one that a crash has left', async (t) => {
  const home = await makeHome(t, {});
  const before = await home.start();
  const authorization = `Bearer ${await home.token()}`;
  await before.end('SIGTERM');
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
  let upload: HalfUpload | undefined;
  await until(async () => {
    upload = await startUpload(home.port, bytes, headers).catch(() => undefined);
    return upload !== undefined;
  });
  await starting;
  await until(async () => !existsSync(left));
  assert.match((await upload?.finish()) ?? '', /^HTTP\/1\.1 201 /);
});
