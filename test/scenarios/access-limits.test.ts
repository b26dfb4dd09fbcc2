import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommandInProcess } from '../support/run-command.ts';
import { type ClientSecretCredentials, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { makeTwoServerHomes, startServers } from '../support/two-server-processes.ts';
import { waitUntil } from '../support/wait-until.ts';

async function newClient(home: ServerFixture, quota: number): Promise<ClientSecretCredentials> {
  const made = await runCommandInProcess(
    home,
    ...['clients', 'create', 'x', '--scopes', 'notifications:read', '--secret', '--quota', String(quota), '--json'],
  );
  assert.equal(made.code, 0, made.stderr);
  return JSON.parse(made.stdout) as ClientSecretCredentials;
}

const list = async (url: string, token: string) => {
  const response = await fetch(`${url}/v1/notifications`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response;
};

test('[R61] two processes share one quota, and the headers of both state the remaining requests', async (t) => {
  const homes = await makeTwoServerHomes(t);
  const client = await newClient(homes[0], 5);
  await startServers(homes);
  const token = await homes[0].fetchAccessToken([], client);
  const startedAt = performance.now();
  const reported: number[] = [];
  for (let sent = 0; sent < 6; sent += 1) {
    const response = await list(homes[sent % 2 === 0 ? 0 : 1].url, token);
    assert.equal(response.status, 200);
    reported.push(Number(response.headers.get('x-ratelimit-remaining')));
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
  // Each process continues from the count of the other one; the refill can only add.
  for (const [index, remaining] of reported.entries()) {
    assert.ok(remaining >= 9 - index && remaining <= 9 - index + Math.ceil(flowed), `${reported}`);
  }
});

test('[R63] a client at ten times its quota is refused, and another client is not affected', async (t) => {
  const home = await makeServerFixture(t, { engine: 'postgres' });
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const [quiet, loud] = [await newClient(home, 1_000), await newClient(home, 20)];
  await home.start('start');
  const [quietToken, loudToken] = [await home.fetchAccessToken([], quiet), await home.fetchAccessToken([], loud)];
  // `npm run bench -- quota` measures the response times of the other client.
  const [refused, answered] = [new Map<number, number>(), new Map<number, number>()];
  const ask = async (seen: Map<number, number>, token: string) => {
    for (let sent = 0; sent < 100; sent += 1) {
      const { status, headers } = await list(home.url, token);
      seen.set(status, (seen.get(status) ?? 0) + 1);
      if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1);
    }
  };
  await Promise.all([
    ...[loudToken, loudToken, loudToken, loudToken].map((token) => ask(refused, token)),
    ...[quietToken, quietToken].map((token) => ask(answered, token)),
  ]);
  assert.deepEqual([...answered], [[200, 200]]);
  assert.deepEqual([...refused.keys()].sort(), [200, 429]);
});

test('[R59] a client with many requests for unknown ids gets too-many-failed-requests, and another client does not', async (t) => {
  const home = await makeServerFixture(t, { engine: 'sqlite' });
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const [probing, other] = [await newClient(home, 4), await newClient(home, 4)];
  await home.start('start');
  const [token, otherToken] = [await home.fetchAccessToken([], probing), await home.fetchAccessToken([], other)];
  const readUnknown = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${home.url}/v1/notifications/ntf_00000000000000000000000000`, { headers });
    const { type } = (await response.json()) as { type: string };
    return type.split('/').at(-1);
  };
  const slugs = new Set<string | undefined>();
  // Until it happens: the number of requests within the quota depends on the speed of the machine.
  await waitUntil(async () => {
    for (const slug of await Promise.all(Array.from({ length: 12 }, readUnknown))) slugs.add(slug);
    return slugs.has('too-many-failed-requests');
  });
  slugs.delete('quota-exceeded');
  assert.deepEqual([...slugs].sort(), ['notification-not-found', 'too-many-failed-requests']);
  assert.equal((await list(home.url, otherToken)).status, 200);
});
