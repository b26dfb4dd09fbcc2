import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { newClient } from '../../src/auth/client.ts';
import { insertClient } from '../../src/auth/client-store.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { type CleanupScope, makeServerFixture, type ServerFixture } from './server-process.ts';

/** Another authorization server, on loopback: its metadata, its keys, and what it signs. */
export type ExternalIssuer = {
  readonly url: string;
  /** An access token (RFC 9068) of it for five minutes, with these claims over the usual ones. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
};

/** Starts an issuer that is gone after the test. */
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
 * Makes a client for citizens whose tokens that issuer signs, and gives its id. While no server runs, and not through the
 * command line, which takes issuers behind https only.
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
  if (!('client' in made)) throw new Error('the client of citizens is refused');
  const db = await home.openDb();
  await db.write([insertClient(made.client)]);
  await db.close();
  return made.client.clientId;
}

/** The home of a demo that was filled and has ended, which trusts an issuer from outside and has a client for its citizens. */
export async function makeDemoWithExternalIssuer(t: CleanupScope, settings: Readonly<Record<string, string>> = {}) {
  const issuer = await startExternalIssuer(t);
  const home = await makeServerFixture(t, { settings: { ...settings, TRUSTED_ISSUERS: issuer.url } });
  await (await home.start('demo')).stop('SIGTERM');
  return { issuer, home, citizensClient: await addCitizenClient(home, issuer) };
}
