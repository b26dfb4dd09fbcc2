import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readMarkdownPage, repositoryRoot } from '../support/markdown-pages.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

/** The script of the page, with folders of the test. */
function documentedScript(backups: string, metrics: string, name: string): string {
  const { fences } = readMarkdownPage('docs/operate/backup.md');
  const script = fences.find(({ text }) => text.startsWith('#!/bin/sh') && text.includes('cs backup create'));
  return (script?.text ?? assert.fail())
    .replaceAll('cd /opt/citizen-services', `cd ${repositoryRoot}`)
    .replaceAll('node_modules/.bin/node', process.execPath)
    .replaceAll('/var/lib/prometheus/node-exporter', metrics)
    .replaceAll('$(date +%Y-%m-%dT%H%M)', name)
    .replaceAll('/backup/', `${backups}/`)
    .replaceAll('find /backup', `find ${backups}`);
}

test('the documented script creates backups again after it was killed in an earlier night', async (t) => {
  const folder = makeTestFolder('cs-nights-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const home = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const [backups, metrics] = [join(folder, 'kept'), join(folder, 'metrics')];
  for (const path of [backups, metrics]) mkdirSync(path);
  const runNight = (name: string) => {
    const input = documentedScript(backups, metrics, name);
    const { status, stderr } = spawnSync('/bin/sh', ['-s'], { input, env: home.environment, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  };
  runNight('2026-11-01T0300');
  // Two nights in which the command was killed: the folder of the first one is older than a day.
  for (const name of ['2026-11-02T0300', '2026-11-03T0300']) {
    mkdirSync(join(backups, name));
    writeFileSync(join(backups, name, 'ledger-checkpoint'), 'x');
  }
  const twoDaysAgo = Date.now() / 1_000 - 3 * 86_400;
  utimesSync(join(backups, '2026-11-02T0300'), twoDaysAgo, twoDaysAgo);
  runNight('2026-11-04T0300');
  assert.deepEqual(readdirSync(backups).sort(), ['2026-11-01T0300', '2026-11-03T0300', '2026-11-04T0300']);
  assert.ok(existsSync(join(backups, '2026-11-04T0300', 'backup.json')));
  assert.match(
    readFileSync(join(metrics, 'citizen-services.prom'), 'utf8'),
    /^citizen_services_backup_verified_seconds \d+\n$/,
  );

  for (let day = 10; day < 26; day += 1) {
    mkdirSync(join(backups, `2026-10-${day}T0300`));
    writeFileSync(join(backups, `2026-10-${day}T0300`, 'backup.json'), '{}');
  }
  runNight('2026-11-05T0300');
  const whole = readdirSync(backups).filter((name) => existsSync(join(backups, name, 'backup.json')));
  assert.equal(whole.length, 14);
  assert.equal(whole.sort().at(-1), '2026-11-05T0300');
});
