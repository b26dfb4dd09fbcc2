import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { fetchOnce } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

/** The status of a request with any method and path. */
function statusOf(url: string, method: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asked = request(url, { method, headers: { 'content-length': '0' } }, (answer) => {
    answer.resume().once('end', () => resolve(answer.statusCode));
  });
  asked.once('error', reject).end();
  return promise;
}

test("token requests and requests to unknown paths are counted and logged without the caller's input", async (t) => {
  const home = await makeServerFixture(t, { settings: { ADMIN_PORT: '0', LOG_LEVEL: 'info' } });
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const server = home.launchCommand('start');
  const said = () => `${server.stdout()}${server.stderr()}`;
  const addressOf = () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(said())?.[0];
  await waitUntil(async () => addressOf() !== undefined);
  const wrong = { headers: { authorization: `Basic ${btoa('nobody-1:guess')}` }, method: 'POST' };
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  assert.equal((await fetch(`${home.url}/oauth2/token`, { ...wrong, body })).status, 401);
  assert.equal(await statusOf(`${home.url}/received/dlv_secret.mark`, 'GET'), 404);
  assert.equal(await statusOf(`${home.url}/v1/secret-path`, 'GET'), 404);
  assert.equal(await statusOf(`${home.url}/v1/events`, 'DELETE'), 405);
  assert.equal(await statusOf(`${home.url}/v1/events`, 'PROPFIND'), 405);
  assert.equal(await statusOf(`${home.url}/${'long'.repeat(2_500)}`, 'GET'), 414);
  const counted = async () => {
    const text = await (await fetch(addressOf() ?? assert.fail())).text();
    return text.split('\n').filter((line) => line.startsWith('citizen_services_requests_total{'));
  };
  const name = 'citizen_services_requests_total';
  assert.deepEqual((await counted()).sort(), [
    `${name}{method="",route="",status="404",problem="not-found"} 1`,
    `${name}{method="",route="",status="405",problem="method-not-allowed"} 2`,
    `${name}{method="",route="",status="414",problem="uri-too-long"} 1`,
    `${name}{method="GET",route="/received/{token}",status="404",problem=""} 1`,
    `${name}{method="POST",route="/oauth2/token",status="401",problem=""} 1`,
  ]);
  assert.equal((await fetchOnce(`${home.url}/v1/events`)).status, 401);
  const text = await (await fetch(addressOf() ?? assert.fail())).text();
  const problems = [...text.matchAll(/^citizen_services_problems_total\{problem="([a-z-]+)"\} ([1-9]\d*)$/gm)];
  assert.deepEqual(Object.fromEntries(problems.map(([, problem, count]) => [problem, Number(count)])), {
    'not-found': 1,
    'method-not-allowed': 2,
    'uri-too-long': 1,
    'no-access-token': 1,
  });
  await waitUntil(async () => said().includes('"uri-too-long","msg":"refused"'));
  assert.match(said(), /"method":"POST","route":"\/oauth2\/token","status":401,"durationMs":[\d.]+,"msg":"request"/);
  for (const written of ['secret', 'nobody-1', 'guess', 'longlong']) assert.ok(!said().includes(written), written);
});
