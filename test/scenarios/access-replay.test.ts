import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { runCommandInProcess } from '../support/run-command.ts';
import { assertionForm } from '../support/token-app.ts';
import { makeTwoServerHomes, startServers } from '../support/two-server-processes.ts';

test('[R44] [R51] an assertion or proof that was used at one process is refused by all others, even concurrently', async (t) => {
  const homes = await makeTwoServerHomes(t);
  const [home] = homes;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  writeFileSync(join(home.dataDir, 'jwks.json'), JSON.stringify({ keys: [jwk] }));
  const made = await runCommandInProcess(
    home,
    ...['clients', 'create', 'x', '--kind', 'live', '--scopes', 'notifications:read'],
    ...['--jwks', join(home.dataDir, 'jwks.json'), '--binding', 'dpop', '--json'],
  );
  const { clientId } = JSON.parse(made.stdout) as { clientId: string };
  await startServers(homes);
  const { publicUrl: issuer } = homes[0];
  const assertion = () =>
    new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(issuer)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey);
  const proof = (htm: string, path: string, token?: string) =>
    new SignJWT({
      htm,
      htu: `${issuer}${path}`,
      jti: randomUUID(),
      ...(token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: { ...jwk } })
      .setIssuedAt()
      .sign(privateKey);
  const buy = async (at: number, signed: string, dpop: string) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...assertionForm(signed) });
    const answer = await fetch(`${homes[at % 2 === 0 ? 0 : 1].url}/oauth2/token`, {
      method: 'POST',
      body,
      headers: { dpop },
    });
    const said = (await answer.json()) as { access_token?: string; error?: string };
    return { status: answer.status, ...said };
  };
  const call = async (at: number, token: string, dpop: string) => {
    const headers = { authorization: `DPoP ${token}`, dpop };
    return (await fetch(`${homes[at % 2 === 0 ? 0 : 1].url}/v1/notifications`, { headers })).status;
  };

  const signed = await assertion();
  const first = await buy(0, signed, await proof('POST', '/oauth2/token'));
  assert.equal(first.status, 200, JSON.stringify(first));
  const again = await buy(1, signed, await proof('POST', '/oauth2/token'));
  assert.deepEqual([again.status, again.error], [401, 'invalid_client']);
  const used = await proof('POST', '/oauth2/token');
  const both = await Promise.all([0, 1].map(async (at) => (await buy(at, await assertion(), used)).status));
  assert.deepEqual(both.sort(), [200, 400]);

  const token = first.access_token ?? '';
  const one = await proof('GET', '/v1/notifications', token);
  assert.deepEqual([await call(0, token, one), await call(1, token, one), await call(0, token, one)], [200, 401, 401]);
  const other = await proof('GET', '/v1/notifications', token);
  const statuses = await Promise.all([0, 1, 2, 3].map((at) => call(at, token, other)));
  assert.deepEqual(statuses.sort(), [200, 401, 401, 401]);
});
