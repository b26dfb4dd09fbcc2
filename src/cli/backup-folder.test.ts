import assert from 'node:assert/strict';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDocumentFolder } from '../../test/support/document-app.ts';
import { databaseFile } from '../db/open-database.ts';
import { extractDatabase } from './backup-folder.ts';
import type { BackupManifest } from './backup-manifest.ts';

const bytes = 2 ** 28;
const manifest: BackupManifest = {
  format: 1,
  program: '1.0.0',
  begunAt: '',
  finishedAt: '',
  rootKeys: [],
  erasedMeanwhile: [],
  missing: [],
  database: { bytes, sha256: '' },
  anchor: null,
  documents: null,
  code: { rootKey: '', hmacSha256: '' },
};

test('a copy of a database that is aborted stops before its end', async (t) => {
  const folder = await makeDocumentFolder(t);
  const [source, copy] = [join(folder, databaseFile), join(folder, 'copy')];
  writeFileSync(source, '');
  truncateSync(source, bytes);
  const stop = new AbortController();
  const taking = extractDatabase(folder, manifest, { to: copy, stopped: stop.signal });
  const copied = () => statSync(copy, { throwIfNoEntry: false })?.size ?? 0;
  while (copied() === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await assert.rejects(taking, { name: 'AbortError' });
  assert.ok(copied() < bytes, `${copied()} bytes were copied`);
});
