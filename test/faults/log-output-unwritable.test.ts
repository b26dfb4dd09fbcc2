import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { openBrokenPipe } from '../support/os-pipe.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const nowhere = {
  'the disk of its log is full': () => openSync('/dev/full', 'w'),
  'whoever read its log has ended': openBrokenPipe,
} as const;

for (const [because, open] of Object.entries(nowhere)) {
  test(`a server answers, and ends when it is told to, where ${because}`, async (t) => {
    const stderr = open();
    t.after(() => closeSync(stderr));
    const home = await makeServerFixture(t, { stderr, settings: { LOG_LEVEL: 'info' } });
    const server = await home.start('demo');
    // More than is written at once, and than the time after which all that is there is written.
    for (let call = 0; call < 100; call += 1) assert.equal((await fetch(`${home.url}/v1`)).status, 200);
    await home.fetchAccessToken();
    assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
    // What this one says goes to people, on standard error.
    const started = home.launchCommand('start');
    await waitUntil(async () => (await fetch(`${home.url}/readyz`).catch(() => undefined))?.status === 200);
    assert.deepEqual(await started.stop('SIGTERM'), { code: 0, signal: null });
  });
}
