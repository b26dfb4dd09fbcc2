import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Setting } from '../../config/setting.ts';
import { settingSchemas } from '../../config/setting-schemas.ts';
import { readSettings } from '../../config/settings.ts';
import { findUnresponsivePaths, pathsInSettings, settingFilePaths } from './probe-places.ts';

test('each setting that is a path is a place, and a bucket is none', () => {
  const schemas: readonly Setting[] = Object.values(settingSchemas);
  const paths = schemas.flatMap(({ name, type }) => (type.isPath && name !== 'DOCUMENT_STORE' ? [name] : []));
  assert.ok(paths.length > 8);
  const given = Object.fromEntries(paths.map((name) => [name, `/srv/${name}`]));
  const places = Object.fromEntries(
    pathsInSettings(readSettings({ ...given, DOCUMENT_STORE: 's3://house/x?region=r' })),
  );
  assert.deepEqual(places, given);
  const alone = pathsInSettings(readSettings({ DATA_DIR: '/srv/data' }));
  assert.deepEqual(Object.fromEntries(alone), { DATA_DIR: '/srv/data', DOCUMENT_STORE: '/srv/data/documents' });
});

test('of what settings are read from, it is the folder that is asked', () => {
  const places = settingFilePaths({
    SETTINGS_FILE: '/etc/house/settings',
    SMTP_URL_FILE: '/run/secrets/relay',
    PORT_FILE: '/x',
  });
  assert.deepEqual(Object.fromEntries(places), { SETTINGS_FILE: '/etc/house', SMTP_URL_FILE: '/run/secrets' });
});

/** The time that a place has to answer is never over: on a busy machine a process begins late. */
function withoutHurry(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setTimeout'] });
}

test('what is not there, or is shut, has answered', async (t) => {
  withoutHurry(t);
  const places = new Map([
    ['DATA_DIR', '/nowhere/at/all'],
    ['TLS_KEY', '/dev/null'],
    ['ROOT_KEY_FILE', import.meta.filename],
  ]);
  assert.deepEqual(await findUnresponsivePaths(places), []);
});

test('an answer counts that is read when who gave it is gone', async (t) => {
  withoutHurry(t);
  const program = join(import.meta.dirname, 'probe-place-process.ts');
  for (let times = 0; times < 2; times += 1) {
    const asked = findUnresponsivePaths([['DATA_DIR', import.meta.dirname]]);
    // Nothing is read meanwhile, and those that begin behind the first end behind it.
    for (let more = 0; more < 2; more += 1) spawnSync(process.execPath, [program, import.meta.dirname]);
    assert.deepEqual(await asked, []);
  }
});
