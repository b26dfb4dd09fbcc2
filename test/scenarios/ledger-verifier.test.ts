import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { engines } from '../support/database-engines.ts';
import { fetchOnce } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const requests = 150;

for (const { name: engine } of engines) {
  test(`${engine}: a verifier with only the public key verifies all receipts, all pairs of checkpoints and the chain of a citizen`, async (t) => {
    const home = await makeServerFixture(t, { engine });
    const server = await home.start('demo');
    const folder = makeTestFolder('verifier-');
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of ['receipts', 'checkpoints']) mkdirSync(join(folder, name));
    const headers = { authorization: `Bearer ${await home.fetchAccessToken()}` };
    const [person = assert.fail()] = home.readDemoFile().citizens;
    const { citizenId, givenName, familyName, birthDate } = person;

    const use = async (): Promise<string> => {
      const body = JSON.stringify({ citizenId, givenName, familyName, birthDate });
      const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
      const answer = await fetch(`${server.url}/v1/identity/verify`, init);
      const { receipt } = (await answer.json()) as { receipt: string };
      return receipt;
    };
    const receipts: string[] = [];
    let slowest = 0;
    for (let round = 0; round < 5; round += 1) {
      receipts.push(...(await Promise.all(Array.from({ length: requests / 5 }, use))));
      const asked = performance.now();
      for (const path of receipts.slice(-requests / 5)) {
        while ((await fetch(`${server.url}${path}`, { headers })).status !== 200) await pause(10);
      }
      slowest = Math.max(slowest, performance.now() - asked);
      const note = await (await fetchOnce(`${server.url}/ledger/checkpoint`)).text();
      writeFileSync(join(folder, 'checkpoints', String(round)), note);
    }
    for (const [at, path] of receipts.entries()) {
      const { proof } = (await (await fetch(`${server.url}${path}`, { headers })).json()) as { proof: string };
      writeFileSync(join(folder, 'receipts', `${at}.tlog-proof`), proof);
    }
    writeFileSync(
      join(folder, 'access-log.jsonl'),
      (await runCommandInProcess(home, 'ledger', 'access-log', citizenId)).stdout,
    );
    const key = (await runCommandInProcess(home, 'ledger', 'key')).stdout.trim();

    const file = join(import.meta.dirname, './ledger-verifier-process.ts');
    const child = spawn(process.execPath, [file, key, `${server.url}/ledger`, folder], { env: {}, stdio: 'pipe' });
    const [out, faults] = [text(child.stdout), text(child.stderr)];
    await once(child, 'exit');
    assert.equal(await faults, '');
    const found = JSON.parse(await out);
    t.diagnostic(`slowest receipt ${Math.round(slowest)} ms; ${JSON.stringify(found)}`);
    assert.deepEqual([found.faults, found.receipts, found.opened, found.pairs], [[], requests, requests, 15]);
    assert.ok(found.uses >= requests);

    const other = await fetch(`${server.url}${receipts[0]}`, { headers: { authorization: 'Bearer nobody' } });
    assert.equal(other.status, 401);
  });
}
