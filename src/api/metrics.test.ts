import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAdminServer } from './admin-server.ts';
import { createMetrics } from './metrics.ts';

test('a gauge has one number for each known value of its label, and none for an unknown value', async (t) => {
  const [metrics, admin] = [await createMetrics(), createAdminServer()];
  t.after(() => admin.close());
  let waits: ReadonlyMap<string, number> = new Map();
  let size: number | undefined = 3;
  metrics.gauges([
    { name: 'test_waiting', help: 'Waiting items.', label: 'channel', read: () => waits },
    { name: 'test_size', help: 'Size.', read: () => size },
  ]);
  const port = await admin.listen({ host: '127.0.0.1', port: 0 }, [metrics.page()]);
  const lines = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return text.split('\n').filter((line) => line.startsWith('test_'));
  };
  assert.deepEqual(await lines(), ['test_size 3']);
  waits = new Map([
    ['email', 2],
    ['sms', 0],
  ]);
  size = 4;
  assert.deepEqual(await lines(), ['test_waiting{channel="email"} 2', 'test_waiting{channel="sms"} 0', 'test_size 4']);
  // An unknown value must not show as 0, which alarms compare with.
  waits = new Map([['sms', 1]]);
  size = undefined;
  assert.deepEqual(await lines(), ['test_waiting{channel="sms"} 1']);
});

test('every kind of fault in the source starts at 0 in the metrics', async (t) => {
  const src = join(import.meta.dirname, '..');
  const logged = globSync('**/*.ts', { cwd: src, exclude: ['**/*.test.ts'] }).flatMap((file) =>
    [
      ...readFileSync(join(src, file), 'utf8').matchAll(
        /\b(?:log\.fault|minutely|alarm|raiseAlarm|lost)\(\s*'([a-z-]+)'/g,
      ),
    ].map(([, kind]) => kind),
  );
  const admin = createAdminServer();
  t.after(() => admin.close());
  const port = await admin.listen({ host: '127.0.0.1', port: 0 }, [(await createMetrics()).page()]);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  assert.match(text, /^process_resident_memory_bytes \d+$/m, 'the metrics of the process are shown');
  const counted = text.matchAll(/^citizen_services_faults_total\{kind="([a-z-]+)"\} 0$/gm);
  assert.deepEqual([...counted].map(([, kind]) => kind).sort(), [...new Set(logged)].sort());
});
