import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { reviewedNodemailerVersion } from './nodemailer-internals.ts';

test('the installed nodemailer is the version whose internal modules were reviewed', () => {
  const entry = createRequire(import.meta.url).resolve('nodemailer');
  const folder = entry.slice(0, entry.lastIndexOf('/nodemailer/dist/'));
  const { version } = JSON.parse(readFileSync(`${folder}/nodemailer/package.json`, 'utf8')) as { version: string };
  assert.equal(version, reviewedNodemailerVersion, 'review nodemailer-internals.ts, then change its constant');
});
