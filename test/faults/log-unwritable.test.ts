import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { openPipeToNobody } from '../pipe.ts';
import { until } from '../until.ts';
import { makeHome } from '../whole-server.ts';

const nowhere = {
  'the disk of its log is full': () => openSync('/dev/full', 'w'),
  'whoever read its log has ended': openPipeToNobody,
} as const;

for (const [because, open] of Object.entries(nowhere)) {
  test(`a server answers, and ends when it is told to, where ${because}`, async (t) => {
    const stderr = open();
    t.after(() => closeSync(stderr));
    const home = await makeHome(t, { stderr, settings: { LOG_LEVEL: 'info' } });
    const server = await home.start('demo');
    // More than is written at once, and than the time after which all that is there is written.
    for (let call = 0; call < 100; call += 1) assert.equal((await fetch(`${home.url}/v1`)).status, 200);
    await home.token();
    assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
    // What this one says goes to people, on standard error.
    const started = home.launch('start');
    await until(async () => (await fetch(`${home.url}/readyz`).catch(() => undefined))?.status === 200);
    assert.deepEqual(await started.end('SIGTERM'), { code: 0, signal: null });
  });
}
