import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeDemoEnvironments } from './demo-environments.ts';

const demo = { baseUrl: 'http://127.0.0.1:3000', clients: [{ clientId: 'demo-1', clientSecret: 's-1' }] };
const expected = { baseUrl: demo.baseUrl, clientId: 'demo-1', clientSecret: 's-1' };

type Variable = { readonly name?: string; readonly key?: string; readonly value: string };

test('both environment files have address, id and secret, and only their owner can read them', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-environments-'));
  t.after(() => rmSync(folder, { recursive: true }));
  // A file of an earlier start, which everyone could read.
  writeFileSync(join(folder, 'demo.bruno_environment.json'), '{}', { mode: 0o644 });
  writeDemoEnvironments(folder, demo);
  assert.deepEqual(readdirSync(folder).sort(), ['demo.bruno_environment.json', 'demo.postman_environment.json']);
  for (const [file, list] of [
    ['demo.postman_environment.json', 'values'],
    ['demo.bruno_environment.json', 'variables'],
  ] as const) {
    const content = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, readonly Variable[]>;
    const values = content[list]?.map(({ name, key = name, value }) => [key, value]);
    assert.deepEqual(Object.fromEntries(values ?? []), expected, file);
    assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file);
  }
});
