import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DemoFile } from '../src/cli/demo.ts';
import { buildImage, imageSkipReason, waitForExit } from './support/container-image.ts';
import { freePort } from './support/free-port.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from './support/http-client.ts';
import { makeTestFolder } from './support/test-folder.ts';
import { waitUntil } from './support/wait-until.ts';

// `npm run test:image` runs this file. It takes minutes, so `npm test` leaves it out.

test('the image serves as an unprivileged user on a read-only root, reports its health, and ends on SIGTERM', async (t) => {
  assert.equal(imageSkipReason(), undefined);
  const { config, files, run } = await buildImage(t);
  assert.equal(config.User, '10001:10001');
  assert.deepEqual(globSync('**/*.test.*', { cwd: join(files, 'opt/citizen-services/dist') }), []);
  const data = makeTestFolder('cs-image-data-');
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const spool = join(data, 'letters');
  mkdirSync(spool);
  const address = 'Long Road 17,0150,Oslo,NO';
  const columns = 'citizenId,givenName,familyName,birthDate,streetAddress,postalCode,locality,country';
  writeFileSync(join(data, 'people.csv'), `${columns}\nida,Ida,Berg,1980-01-01,${address}\n`);
  writeFileSync(join(data, 'cascade.json'), '{"steps":[{"channel":"letter"}],"letterLeadDays":5}');
  const [port, adminPort] = [await freePort(), await freePort()];
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    CLAMAV: 'off',
    LETTER_SPOOL: '/data/letters',
    CASCADE_POLICY: '/data/cascade.json',
  };
  const launch = (...args: readonly string[]) => run([...config.Entrypoint, ...args], data, settings);
  const health = async () => await waitForExit(run(config.Healthcheck?.Test.slice(1) ?? [], data, settings));

  const unready = await waitForExit(launch(...config.Cmd));
  assert.deepEqual([unready.code, /keys create/.test(unready.said)], [1, true], unready.said);

  const demo = launch('demo');
  t.after(() => demo.kill('SIGKILL'));
  const ended = waitForExit(demo);
  const ask = createHttpClient(`http://127.0.0.1:${port}`);
  await waitUntil(async () => existsSync(join(data, 'demo.json')) && (await health()).code === 0, 120_000);
  assert.deepEqual(await health(), { code: 0, said: '{"status":"UP","ledger":"ok"}\n' });
  // The demo wrote this file.
  const { tokenUrl, clients, documents } = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8')) as DemoFile;
  const [client, document] = [clients[0] ?? assert.fail(), documents[0] ?? assert.fail()];
  const tokenRequest = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });
  const token = String(
    ((await (await fetch(tokenUrl, { method: 'POST', body: tokenRequest })).json()) as { access_token: string })
      .access_token,
  );
  const imported = await waitForExit(launch('import', 'citizens', '/data/people.csv'));
  assert.equal(imported.code, 0, imported.said);
  const claims = { citizenId: 'ida', givenName: 'Ida', familyName: 'Berg', birthDate: '1980-01-01' };
  assert.equal(parseJsonBody(await ask(postJson(token, '/v1/identity/verify', claims)))['decision'], 'match');
  assert.equal((await ask({ path: `/v1/documents/${document.id}`, headers: bearerHeaders(token) })).status, 200);
  assert.equal(
    (await ask(postJson(token, '/v1/notifications/send', { citizenId: 'ida', message: 'It is ready.' }))).status,
    202,
  );
  await waitUntil(async () => readdirSync(spool).some((name) => name.endsWith('.pdf')), 60_000);

  demo.kill('SIGTERM');
  const { code, said } = await ended;
  assert.equal(code, 0, said);
  assert.equal((await health()).code, 1);
});
