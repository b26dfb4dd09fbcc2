import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { newClient } from '../../src/auth/client.ts';
import { insertClient } from '../../src/auth/client-store.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { type CleanupScope, makeServerFixture, type ServerFixture } from './server-process.ts';

/** An external authorization server on loopback, with metadata and keys. */
export type ExternalIssuer = {
  readonly url: string;
  /** Signs an access token (RFC 9068) for five minutes; these claims replace the usual ones. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
};

/** Starts an issuer that stops after the test. */
export async function startExternalIssuer(t: CleanupScope): Promise<ExternalIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'outside', use: 'sig', alg: 'ES256' }];
  const server = createServer((request, response) => {
    const documents: Readonly<Record<string, unknown>> = {
      '/.well-known/oauth-authorization-server': { issuer: url(), jwks_uri: `${url()}/keys` },
      '/keys': { keys },
    };
    const document = documents[request.url ?? ''];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  // A TCP server that listens has an address of this form.
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return {
    url: url(),
    sign: (claims) =>
      new SignJWT({ iss: url(), jti: 'outside-1', ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'outside' })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
  };
}

/**
 * Creates a client for citizens whose tokens that issuer signs, and returns its id. No server may run. The command line is
 * not used, since it accepts only issuers with https.
 */
export async function addCitizenClient(home: ServerFixture, issuer: ExternalIssuer): Promise<string> {
  const credential = { by: 'issuer', issuer: issuer.url } as const;
  const wanted = {
    name: 'Citizens’ Portal',
    kind: 'test',
    scopes: ['citizen:self', 'documents:read'],
    credential,
  } as const;
  const made = newClient(wanted, systemClock, systemRandom);
  if ('fault' in made) assert.fail(made.fault);
  const db = await home.openDb();
  await db.write([insertClient(made.client)]);
  await db.close();
  return made.client.clientId;
}

/** The data folder of a stopped demo that trusts an external issuer, with a client for its citizens. */
export async function makeDemoWithExternalIssuer(t: CleanupScope, settings: Readonly<Record<string, string>> = {}) {
  const issuer = await startExternalIssuer(t);
  const home = await makeServerFixture(t, { settings: { ...settings, TRUSTED_ISSUERS: issuer.url } });
  await (await home.start('demo')).stop('SIGTERM');
  return { issuer, home, citizensClient: await addCitizenClient(home, issuer) };
}
