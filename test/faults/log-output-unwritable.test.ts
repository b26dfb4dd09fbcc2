import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { fetchOnce } from '../support/http-client.ts';
import { openBrokenPipe } from '../support/os-pipe.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const nowhere = {
  'the disk is full': () => openSync('/dev/full', 'w'),
  'the reader of the pipe has ended': openBrokenPipe,
} as const;

for (const [because, open] of Object.entries(nowhere)) {
  test(`a server that cannot write its log because ${because} still responds and stops`, async (t) => {
    const stderr = open();
    t.after(() => closeSync(stderr));
    const home = await makeServerFixture(t, { stderr, settings: { LOG_LEVEL: 'info' } });
    const server = await home.start('demo');
    // More log lines than one write holds, and for longer than the flush interval.
    for (let call = 0; call < 100; call += 1) assert.equal((await fetchOnce(`${home.url}/v1`)).status, 200);
    await home.fetchAccessToken();
    assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
    // This server writes its log for people, to standard error.
    const started = home.launchCommand('start');
    await waitUntil(async () => (await fetchOnce(`${home.url}/readyz`).catch(() => undefined))?.status === 200);
    assert.deepEqual(await started.stop('SIGTERM'), { code: 0, signal: null });
  });
}
