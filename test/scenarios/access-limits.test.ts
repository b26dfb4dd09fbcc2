import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startAll, twoProcesses } from '../two-processes.ts';
import { type Credentials, makeHome, type ServerHome } from '../whole-server.ts';

async function newClient(home: ServerHome, quota: number): Promise<Credentials> {
  const made = await home.run(
    ...['clients', 'create', 'x', '--scopes', 'notifications:read', '--secret', '--quota', String(quota), '--json'],
  );
  assert.equal(made.code, 0, made.stderr);
  return JSON.parse(made.stdout) as Credentials;
}

const list = async (url: string, token: string) => {
  const response = await fetch(`${url}/v1/notifications`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response;
};

test('[R61] two processes grant one quota together, and the headers of each tell what is left of it', async (t) => {
  const homes = await twoProcesses(t);
  const client = await newClient(homes[0], 5);
  await startAll(homes);
  const token = await homes[0].token([], client);
  const startedAt = performance.now();
  const said: number[] = [];
  for (let sent = 0; sent < 6; sent += 1) {
    const response = await list(homes[sent % 2 === 0 ? 0 : 1].url, token);
    assert.equal(response.status, 200);
    said.push(Number(response.headers.get('x-ratelimit-remaining')));
  }
  const more = await Promise.all(
    Array.from({ length: 60 }, (_, index) => list(homes[index % 2 === 0 ? 0 : 1].url, token)),
  );
  const flowed = ((performance.now() - startedAt) / 1_000) * 5;
  const ok = 6 + more.filter(({ status }) => status === 200).length;
  assert.ok(ok >= 10 && ok <= 10 + Math.ceil(flowed), `${ok} of 66 requests succeeded, ${flowed} flowed in`);
  for (const refused of more.filter(({ status }) => status !== 200)) {
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  }
  // Each process counts on from where the other one was; what flows in between only ever adds.
  for (const [index, remaining] of said.entries()) {
    assert.ok(remaining >= 9 - index && remaining <= 9 - index + Math.ceil(flowed), `${said}`);
  }
});

const p99 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;

test('[R63] a client at ten times its quota moves the p99 of another by less than 2x, and never its answers', async (t) => {
  const home = await makeHome(t, { engine: 'postgres' });
  assert.equal((await home.run('keys', 'create')).code, 0);
  const [quiet, loud] = [await newClient(home, 1_000), await newClient(home, 20)];
  await home.start('start');
  const [quietToken, loudToken] = [await home.token([], quiet), await home.token([], loud)];
  const window = async (attacked: boolean, forMs: number) => {
    const times: number[] = [];
    const end = performance.now() + forMs;
    const attack = async () => {
      const seen = new Set<number>();
      while (attacked && performance.now() < end) {
        seen.add((await list(home.url, loudToken)).status);
        await pause(10);
      }
      return [...seen].every((status) => status === 200 || status === 429);
    };
    const work = async () => {
      while (performance.now() < end) {
        const from = performance.now();
        assert.equal((await list(home.url, quietToken)).status, 200);
        times.push(performance.now() - from);
        await pause(10);
      }
      return true;
    };
    // Two at a time, each up to a hundred requests a second less its answers: ten times 20.
    const [one, two] = await Promise.all([attack(), attack(), work(), work()]);
    assert.ok(one && two);
    return times;
  };
  await window(true, 500);
  const alone: number[] = [];
  const beside: number[] = [];
  // Turn about, so that what else the machine does falls on both; more turns while it is not clear.
  for (let turn = 0; turn < 25; turn += 1) {
    alone.push(...(await window(false, 400)));
    beside.push(...(await window(true, 400)));
    if (turn >= 3 && p99(beside) < 2 * p99(alone)) break;
  }
  t.diagnostic(`p99 alone ${p99(alone).toFixed(1)} ms, beside ${p99(beside).toFixed(1)} ms`);
  assert.ok(p99(beside) < 2 * p99(alone), `p99 ${p99(alone)} ms alone, ${p99(beside)} ms beside`);
});
