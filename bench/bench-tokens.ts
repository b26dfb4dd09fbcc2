import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { SignJWT } from 'jose';
import { createAuthorizationServer } from '../src/auth/authorization-server.ts';
import { createTokenChecker } from '../src/auth/check-token.ts';
import { newClient } from '../src/auth/client.ts';
import { createClientCache } from '../src/auth/client-cache.ts';
import { parseClientKeys } from '../src/auth/client-keys.ts';
import { insertClient } from '../src/auth/client-store.ts';
import { createFetchedClientKeys } from '../src/auth/fetched-client-keys.ts';
import { createMissingSigningKeys, openSigningKeys } from '../src/auth/signing-key-store.ts';
import { rootKeyFromBytes } from '../src/crypto/root-key.ts';
import type { Database } from '../src/db/database.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { BenchFailed } from './bench-failed.ts';
import { makeBenchFolder } from './bench-folder.ts';
import { median } from './measure.ts';
import type { BenchResult, GoalCheck } from './result.ts';

const publicUrl = 'https://api.example.gov';
const scopes = ['documents:read'];
const goalMicroseconds = 5;
const cachedChecks = 50_000;
const firstChecks = 200;
const assertions = 400;
const concurrency = 32;

/** Measures issuing a token, its first check and its cached check, in this process with its own SQLite database. */
export async function benchTokens(rounds: number): Promise<BenchResult[]> {
  const dataDir = makeBenchFolder('cs-bench-tokens-');
  const db = await openDatabase({ dataDir, clock: systemClock });
  try {
    const keyDeps = { db, root: rootKeyFromBytes(systemRandom(32)), clock: systemClock };
    await createMissingSigningKeys(keyDeps, systemRandom);
    const keys = await openSigningKeys(keyDeps);
    const { clientId, privateKey } = await addBenchClient(db);
    const server = createAuthorizationServer({
      db,
      clock: systemClock,
      random: systemRandom,
      publicUrl,
      scopes,
      trustedIssuers: [],
      keys,
      secrets: false,
      clientKeys: createFetchedClientKeys({ httpFetch: fetch, clock: systemClock, onFault: console.error }),
      report: console.error,
      // The bench measures the endpoint, and not its quota.
      quotas: { take: () => ({ headers: {} }), charge: () => undefined, remaining: () => 1 },
      onRefused: console.error,
    });
    const clients = createClientCache(db.read, systemClock);
    const newChecker = () => createTokenChecker({ clock: systemClock, publicUrl, keys, clients, trusted: [] });
    const token = () => server.issueAccessToken(clientId, scopes);
    const sign = () => signBenchAssertion(clientId, privateKey);
    return [
      await measureRounds(['tokens bought', 'private_key_jwt, over HTTP'], rounds, () =>
        measureTokenRequests(server.handler, sign),
      ),
      await measureRounds(['token checked', 'for the first time'], rounds, () =>
        measureFirstCheck(newChecker(), token),
      ),
      await measureRounds(
        ['token checked', 'again'],
        rounds,
        () => measureCachedCheck(newChecker(), token),
        goalMicroseconds,
      ),
    ];
  } finally {
    await db.close();
  }
}

async function addBenchClient(db: Pick<Database, 'write'>) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = parseClientKeys(JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
  if ('fault' in jwks) throw new BenchFailed(jwks.fault);
  const clientInput = { name: 'Bench', kind: 'live', scopes, credential: { by: 'keys', jwks } } as const;
  const created = newClient(clientInput, systemClock, systemRandom);
  if ('fault' in created) throw new BenchFailed(created.fault);
  await db.write([insertClient(created.client)]);
  return { clientId: created.client.clientId, privateKey };
}

/** The median microseconds of these rounds, after one round of warm-up. */
async function measureRounds(
  [work, server]: readonly [string, string],
  rounds: number,
  once: () => Promise<number>,
  goal?: number,
): Promise<BenchResult> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const microseconds = await once();
    if (round > 0) times.push(microseconds);
  }
  const rate = median(times) ?? Number.NaN;
  const checks: GoalCheck[] = goal === undefined ? [] : [{ what: 'µs', figure: rate, goal, by: 'at most' }];
  return { work, server, unit: 'µs', rate, lowest: Math.min(...times), highest: Math.max(...times), checks };
}

type Checker = ReturnType<typeof createTokenChecker>;

async function check(checker: Checker, authorization: string): Promise<void> {
  const caller = await checker.authenticate(authorization);
  if (!('clientId' in caller)) throw new BenchFailed(`expected the token to be valid: ${caller.detail}`);
}

async function measureFirstCheck(checker: Checker, token: () => Promise<string>): Promise<number> {
  const tokens = await Promise.all(Array.from({ length: firstChecks }, token));
  const before = performance.now();
  for (const one of tokens) await check(checker, `Bearer ${one}`);
  return ((performance.now() - before) * 1_000) / firstChecks;
}

async function measureCachedCheck(checker: Checker, token: () => Promise<string>): Promise<number> {
  const authorization = `Bearer ${await token()}`;
  await check(checker, authorization);
  const before = performance.now();
  for (let index = 0; index < cachedChecks; index += 1) await check(checker, authorization);
  return ((performance.now() - before) * 1_000) / cachedChecks;
}

/** The microseconds for each token of 32 concurrent requests. */
async function measureTokenRequests(
  handler: Parameters<typeof createServer>[1],
  sign: () => Promise<string>,
): Promise<number> {
  const http = createServer(handler);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  if (typeof address !== 'object' || address === null) throw new BenchFailed('the server has no port');
  const forms = await Promise.all(Array.from({ length: assertions }, sign));
  const before = performance.now();
  const one = async () => {
    for (let form = forms.pop(); form !== undefined; form = forms.pop()) {
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_assertion: form,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      });
      const response = await fetch(`http://127.0.0.1:${address.port}/oauth2/token`, { method: 'POST', body });
      if (response.status !== 200)
        throw new BenchFailed(`expected 200 from the token endpoint, received ${response.status}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
  const microseconds = ((performance.now() - before) * 1_000) / assertions;
  http.closeAllConnections();
  http.close();
  return microseconds;
}

function signBenchAssertion(clientId: string, key: Parameters<SignJWT['sign']>[0]): Promise<string> {
  return new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(publicUrl)
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(key);
}
