import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { SignJWT } from 'jose';
import { createAuthorizationServer } from '../src/access/authorization-server.ts';
import { createTokenChecker } from '../src/access/check-token.ts';
import { newClient } from '../src/access/client.ts';
import { readClientKeys } from '../src/access/client-keys.ts';
import { clientCreation } from '../src/access/client-store.ts';
import { createClientView } from '../src/access/client-view.ts';
import { createMissingSigningKeys, openSigningKeys } from '../src/access/signing-key-store.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { rootKeyFrom } from '../src/keys/root-key.ts';
import { openDatabase } from '../src/store/open.ts';
import { makeBenchFolder } from './bench-folder.ts';
import { median } from './measure.ts';
import type { Check, Result } from './result.ts';

const publicUrl = 'https://api.example.gov';
const scopes = ['documents:read'];
const goalMicroseconds = 5;
const cachedChecks = 50_000;
const firstChecks = 200;
const assertions = 400;
const together = 32;

/** What a token costs, in this process, on an SQLite database of its own: bought, checked for the first time, checked again. */
export async function benchTokens(rounds: number): Promise<Result[]> {
  const dataDir = makeBenchFolder('cs-bench-tokens-');
  const db = await openDatabase({ dataDir, clock: systemClock });
  try {
    const room = { db, root: rootKeyFrom(systemRandom(32)), clock: systemClock };
    await createMissingSigningKeys(room, systemRandom);
    const keys = await openSigningKeys(room);
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwks = readClientKeys(JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
    if ('fault' in jwks) throw new Error(jwks.fault);
    const made = newClient(
      { name: 'Bench', kind: 'live', scopes, credential: { by: 'keys', jwks } },
      systemClock,
      systemRandom,
    );
    if ('fault' in made) throw new Error(made.fault);
    await db.write([clientCreation(made.client)]);
    const { clientId } = made.client;
    const server = createAuthorizationServer({
      ...{ db, clock: systemClock, random: systemRandom, publicUrl, scopes, trustedIssuers: [], keys, secrets: false },
      report: (fault) => {
        throw fault;
      },
    });
    const clients = createClientView(db.read, systemClock);
    const newChecker = () => createTokenChecker({ clock: systemClock, publicUrl, keys, clients, trusted: [] });
    const token = () => server.issueAccessToken(clientId, scopes);
    const sign = () => assertionOf(clientId, privateKey);
    return [
      await each(['tokens bought', 'private_key_jwt, over HTTP'], rounds, () => buy(server.handler, sign)),
      await each(['token checked', 'for the first time'], rounds, () => checkFirst(newChecker(), token)),
      await each(['token checked', 'again'], rounds, () => checkAgain(newChecker(), token), goalMicroseconds),
    ];
  } finally {
    await db.close();
  }
}

/** The median microseconds of some rounds; the first is warm-up. */
async function each(
  [work, server]: readonly [string, string],
  rounds: number,
  once: () => Promise<number>,
  goal?: number,
): Promise<Result> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const microseconds = await once();
    if (round > 0) times.push(microseconds);
  }
  const rate = median(times) ?? Number.NaN;
  const checks: Check[] = goal === undefined ? [] : [{ what: 'µs', figure: rate, goal, by: 'at most' }];
  return { work, server, unit: 'µs', rate, lowest: Math.min(...times), highest: Math.max(...times), checks };
}

type Checker = ReturnType<typeof createTokenChecker>;

async function check(checker: Checker, authorization: string): Promise<void> {
  const caller = await checker.authenticate(authorization);
  if (!('clientId' in caller)) throw new Error(`a good token was refused: ${caller.detail}`);
}

async function checkFirst(checker: Checker, token: () => Promise<string>): Promise<number> {
  const tokens = await Promise.all(Array.from({ length: firstChecks }, token));
  const before = performance.now();
  for (const one of tokens) await check(checker, `Bearer ${one}`);
  return ((performance.now() - before) * 1_000) / firstChecks;
}

async function checkAgain(checker: Checker, token: () => Promise<string>): Promise<number> {
  const authorization = `Bearer ${await token()}`;
  await check(checker, authorization);
  const before = performance.now();
  for (let index = 0; index < cachedChecks; index += 1) await check(checker, authorization);
  return ((performance.now() - before) * 1_000) / cachedChecks;
}

/** The microseconds of a token, thirty-two of them bought together. */
async function buy(handler: Parameters<typeof createServer>[1], sign: () => Promise<string>): Promise<number> {
  const http = createServer(handler);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const forms = await Promise.all(Array.from({ length: assertions }, sign));
  const before = performance.now();
  const one = async () => {
    for (let form = forms.pop(); form !== undefined; form = forms.pop()) {
      const body = new URLSearchParams({
        ...{ grant_type: 'client_credentials', client_assertion: form },
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      });
      const answer = await fetch(`http://127.0.0.1:${address.port}/oauth2/token`, { method: 'POST', body });
      if (answer.status !== 200) throw new Error(`the token endpoint answered ${answer.status}`);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: together }, one));
  const microseconds = ((performance.now() - before) * 1_000) / assertions;
  http.closeAllConnections();
  http.close();
  return microseconds;
}

function assertionOf(clientId: string, key: Parameters<SignJWT['sign']>[0]): Promise<string> {
  return new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(publicUrl)
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(key);
}
