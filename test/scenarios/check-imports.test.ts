import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTestFolder } from '../support/test-folder.ts';

// `npm run check` alone would not show that a rule reports nothing.

/** The faults that `scripts/check-imports.ts` reports in a tree of these files. */
function faultsOf(t: TestContext, files: Readonly<Record<string, string>>): string[] {
  const root = makeTestFolder('tree-');
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

test('files that follow the rules have no fault', (t) => {
  const files = {
    'src/kernel/thing.ts': `/** No process.env, Date.now() or Math.random(). */\n// nor @ts-ignore\n${thing}`,
    'src/db/sqlite/open-sqlite.ts': "import { thing } from '../kernel/thing.ts';\nexport const own = thing.length;",
    'src/db/open-database.ts': "export const open = () => import('./sqlite/open-sqlite.ts');",
    'src/ledger/verify-chain.ts': "import { own } from '../db/rows.ts';\nexport const chain = { own };",
    'src/notifications/create-notifications.ts': "import { x } from './channels/x.ts';\nimport './ports.ts';\nx();",
    'src/identity/verification/decide.ts': "import { x } from '../match/x.ts';\nx();",
    'src/config/settings.ts': 'export const settings = process.env;',
    'src/main.ts': "import './db/sqlite/open-sqlite.ts';\nimport './ledger/chain.ts';",
    'client/src/client.ts': "import { jwtVerify } from 'jose';\nimport { own } from './own.ts';\njwtVerify(own);",
    'client/src/client.test.ts': "import { Webhook } from 'standardwebhooks';",
    'test/thing.test.ts': "import '../src/db/sqlite/open-sqlite.ts';\nexport const now = Date.now();",
  };
  assert.deepEqual(faultsOf(t, files), []);
});

test('each broken rule is reported with the file and the fault', (t) => {
  const broken: Readonly<Record<string, readonly [text: string, fault: string]>> = {
    'src/kernel/up.ts': ["import { x } from '../api/x.ts';\nx();", 'imports api/x.ts, in a higher layer'],
    'src/kernel/up-for-effect.ts': ["import '../api/x.ts';\nx();", 'imports api/x.ts, in a higher layer'],
    'src/kernel/up-for-type.ts': ["import type { X } from '../api/x.ts';\nx();", 'imports api/x.ts, in a higher layer'],
    'src/kernel/up-later.ts': ["const x = () => import('../api/x.ts');", 'imports api/x.ts, in a higher layer'],
    'src/ledger/beside.ts': ["import { x } from '../jobs/x.ts';\nx();", 'imports jobs/x.ts, in the same layer'],
    'src/api/out.ts': ["import { x } from '../../test/x.ts';\nx();", 'imports ../test/x.ts'],
    'src/api/client.ts': ["import { x } from '../../client/src/client.ts';\nx();", 'imports ../client/src/client.ts'],
    'client/src/server.ts': [
      "import type { X } from '../../src/api/x.ts';\nexport const x: X = 1;",
      'imports ../../src/api/x.ts',
    ],
    'client/src/package.ts': ["import {\n  fetch,\n} from 'undici';\nfetch();", 'imports undici'],
    'src/notifications/text/words.ts': [
      "import type { X } from '../cascade/x.ts';\nexport const x: X = 1;",
      'imports notifications/cascade/x.ts, later in the order of the slice',
    ],
    'src/notifications/channels/sms.ts': [
      "import { x } from '../ports.ts';\nx();",
      'imports notifications/ports.ts, later in the order of the slice',
    ],
    'src/identity/verify-it.ts': [
      "import { x } from './create-identity.ts';\nx();",
      'imports identity/create-identity.ts, later in the order of the slice',
    ],
    'src/identity/extra/thing.ts': [thing, 'a folder without a place in its slice'],
    'src/ledger/adapter.ts': [
      "import { x } from '../db/sqlite/sqlite-writer.ts';\nx();",
      'imports the adapter db/sqlite/sqlite-writer.ts',
    ],
    'src/extra/thing.ts': [thing, 'a folder without a layer'],
    'src/kernel/long.ts': [`${thing}\n`.repeat(400), '401 lines'],
    'src/kernel/utils.ts': [thing, 'a name that says nothing'],
    'src/kernel/barrel.ts': ["export { a } from './a.ts';\nexport type { B } from './b.ts';", 'only re-exports'],
    'src/kernel/barrel-of-two.ts': ["import { a } from './a.ts';\nexport { a };", 'only re-exports'],
    'src/api/any-type.ts': ["const any = '*/*';\nconst now = Date.now();\n/** Of any. */", 'takes time or randomness'],
    'src/api/today.ts': ['const now = new Date();', 'takes time or randomness'],
    'src/api/chance.ts': ['const n = Math.random();', 'takes time or randomness'],
    'src/api/setting.ts': ["const url = process.env['URL'];", 'reads process.env'],
    'src/api/setting-of.ts': ['const { env } = process;', 'reads process.env'],
    'src/api/setting-from.ts': ["import { env } from 'node:process';\nenv();", 'reads process.env'],
    'src/api/silenced.ts': ['//@ts-ignore', 'a suppressed type error'],
    'bench/silenced.ts': ['  /* @ts-expect-error */', 'a suppressed type error'],
  };
  const files = Object.fromEntries(Object.entries(broken).map(([path, [text]]) => [path, text]));
  const circle = {
    'src/jobs/first.ts': "import { b } from './second.ts';\nb();",
    'src/jobs/second.ts': "import type { A } from './first.ts';\nexport const b: A = 1;",
  };
  const expected = Object.entries(broken).map(([path, [, fault]]) => `${path}: ${fault}`);
  const cycle = 'src/jobs/first.ts: an import cycle: src/jobs/first.ts → src/jobs/second.ts → src/jobs/first.ts';
  assert.deepEqual(faultsOf(t, { ...files, ...circle }), [...expected, cycle].sort());
});
