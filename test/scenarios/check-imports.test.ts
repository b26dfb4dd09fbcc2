import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTestFolder } from '../support/test-folder.ts';

// A rule that no file can break keeps nothing: `npm run check` alone would not show it.

/** What `scripts/check-imports.ts` says of a house of these files. */
function faultsOf(t: TestContext, files: Readonly<Record<string, string>>): string[] {
  const root = makeTestFolder('house-');
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const script = join(root, 'scripts/check-imports.ts');
  cpSync(resolve(import.meta.dirname, '../../scripts/check-imports.ts'), script);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  const faults = stderr.split('\n').filter((line) => /^\S+: /.test(line) && !line.startsWith('check-imports: '));
  assert.equal(status, faults.length === 0 ? 0 : 1, stderr);
  return faults.sort();
}

const thing = "export const thing = '1';";

test('a house in order has no fault', (t) => {
  const files = {
    'src/kernel/thing.ts': `/** No process.env, Date.now() or Math.random(). */\n// nor @ts-ignore\n${thing}`,
    'src/db/sqlite/open-sqlite.ts': "import { thing } from '../kernel/thing.ts';\nexport const own = thing.length;",
    'src/db/open-database.ts': "export const open = () => import('./sqlite.ts');",
    'src/ledger/verify-chain.ts': "import { own } from '../store/rows.ts';\nexport const chain = { own };",
    'src/config/settings.ts': 'export const settings = process.env;',
    'src/main.ts': "import './store/sqlite.ts';\nimport './ledger/chain.ts';",
    'client/src/client.ts': "import { jwtVerify } from 'jose';\nimport { own } from './own.ts';\njwtVerify(own);",
    'client/src/client.test.ts': "import { Webhook } from 'standardwebhooks';",
    'test/thing.test.ts': "import '../src/store/sqlite.ts';\nexport const now = Date.now();",
  };
  assert.deepEqual(faultsOf(t, files), []);
});

test('each rule of the house can be broken, and says so', (t) => {
  const broken: Readonly<Record<string, readonly [text: string, fault: string]>> = {
    'src/kernel/up.ts': ["import { x } from '../api/x.ts';\nx();", 'imports api/x.ts, which stands above it'],
    'src/kernel/up-for-effect.ts': ["import '../api/x.ts';\nx();", 'imports api/x.ts, which stands above it'],
    'src/kernel/up-for-type.ts': [
      "import type { X } from '../api/x.ts';\nx();",
      'imports api/x.ts, which stands above it',
    ],
    'src/kernel/up-later.ts': ["const x = () => import('../api/x.ts');", 'imports api/x.ts, which stands above it'],
    'src/ledger/beside.ts': ["import { x } from '../jobs/x.ts';\nx();", 'imports jobs/x.ts, which stands beside it'],
    'src/api/out.ts': ["import { x } from '../../test/x.ts';\nx();", 'imports ../test/x.ts'],
    'src/api/client.ts': ["import { x } from '../../client/src/client.ts';\nx();", 'imports ../client/src/client.ts'],
    'client/src/server.ts': [
      "import type { X } from '../../src/api/x.ts';\nexport const x: X = 1;",
      'imports ../../src/api/x.ts',
    ],
    'client/src/package.ts': ["import {\n  fetch,\n} from 'undici';\nfetch();", 'imports undici'],
    'src/ledger/adapter.ts': [
      "import { x } from '../store/sqlite-lane.ts';\nx();",
      'imports the adapter store/sqlite-lane.ts',
    ],
    'src/extra/thing.ts': [thing, 'a folder without a rank'],
    'src/kernel/long.ts': [`${thing}\n`.repeat(300), '301 lines'],
    'src/kernel/utils.ts': [thing, 'a drawer'],
    'src/kernel/barrel.ts': ["export { a } from './a.ts';\nexport type { B } from './b.ts';", 'a barrel'],
    'src/kernel/barrel-of-two.ts': ["import { a } from './a.ts';\nexport { a };", 'a barrel'],
    'src/api/any-type.ts': ["const any = '*/*';\nconst now = Date.now();\n/** Of any. */", 'takes time or randomness'],
    'src/api/today.ts': ['const now = new Date();', 'takes time or randomness'],
    'src/api/chance.ts': ['const n = Math.random();', 'takes time or randomness'],
    'src/api/setting.ts': ["const url = process.env['URL'];", 'reads process.env'],
    'src/api/setting-of.ts': ['const { env } = process;', 'reads process.env'],
    'src/api/setting-from.ts': ["import { env } from 'node:process';\nenv();", 'reads process.env'],
    'src/api/silenced.ts': ['//@ts-ignore', 'a silenced type'],
    'bench/silenced.ts': ['  /* @ts-expect-error */', 'a silenced type'],
  };
  const files = Object.fromEntries(Object.entries(broken).map(([path, [text]]) => [path, text]));
  const circle = {
    'src/jobs/first.ts': "import { b } from './second.ts';\nb();",
    'src/jobs/second.ts': "import { a } from './first.ts';\na();",
  };
  const expected = Object.entries(broken).map(([path, [, fault]]) => `${path}: ${fault}`);
  const cycle = 'src/jobs/first.ts: a cycle: src/jobs/first.ts → src/jobs/second.ts → src/jobs/first.ts';
  assert.deepEqual(faultsOf(t, { ...files, ...circle }), [...expected, cycle].sort());
});
