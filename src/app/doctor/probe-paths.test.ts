import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Setting } from '../../config/setting.ts';
import { settingSchemas } from '../../config/setting-schemas.ts';
import { readSettings } from '../../config/settings.ts';
import { findUnresponsivePath, pathsInSettings, settingFilePaths } from './probe-paths.ts';

test('each setting that is a path is probed, and the URL of a bucket is not', () => {
  const schemas: readonly Setting[] = Object.values(settingSchemas);
  const names = schemas.flatMap(({ name, type }) => (type.isPath && name !== 'DOCUMENT_STORE' ? [name] : []));
  assert.ok(names.length > 8);
  const settings = Object.fromEntries(names.map((name) => [name, `/srv/${name}`]));
  const paths = Object.fromEntries(
    pathsInSettings(readSettings({ ...settings, DOCUMENT_STORE: 's3://documents/x?region=r' })),
  );
  assert.deepEqual(paths, settings);
  const defaults = pathsInSettings(readSettings({ DATA_DIR: '/srv/data' }));
  assert.deepEqual(Object.fromEntries(defaults), { DATA_DIR: '/srv/data', DOCUMENT_STORE: '/srv/data/documents' });
});

test('the folder of a file with settings is probed, and not the file', () => {
  const paths = settingFilePaths({
    SETTINGS_FILE: '/etc/services/settings',
    SMTP_URL_FILE: '/run/secrets/relay',
    PORT_FILE: '/x',
  });
  assert.deepEqual(Object.fromEntries(paths), { SETTINGS_FILE: '/etc/services', SMTP_URL_FILE: '/run/secrets' });
});

test('a path that is missing or not a folder does not count as unresponsive', async () => {
  const paths = [
    ['DATA_DIR', '/nowhere/at/all'],
    ['TLS_KEY', '/dev/null'],
    ['ROOT_KEY_FILE', import.meta.filename],
  ] as const;
  assert.equal(await findUnresponsivePath(paths), undefined);
});
