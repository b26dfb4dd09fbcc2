import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createTokenChecker, type TokenChecker } from '../../src/auth/check-token.ts';
import { type ClientOptions, type NewClient, newClient } from '../../src/auth/client.ts';
import { createClientCache } from '../../src/auth/client-cache.ts';
import { insertClient } from '../../src/auth/client-store.ts';
import { createDpopNonces, type DpopNonces } from '../../src/auth/dpop-nonces.ts';
import {
  createMissingSigningKeys,
  openSigningKeys,
  replaceSigningKeyStatements,
  type SigningKeyDeps,
  type SigningKeys,
} from '../../src/auth/signing-key-store.ts';
import type { TrustedIssuer } from '../../src/auth/trusted-issuer.ts';
import { createReplayDetector } from '../../src/auth/used-proof-store.ts';
import { rootKeyFromBytes } from '../../src/crypto/root-key.ts';
import { type SigningUse, signBytes } from '../../src/crypto/signing-key.ts';
import type { Database } from '../../src/db/database.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { type Engine, engines } from './database-engines.ts';

export const publicUrl = 'https://api.example.gov';

/** Keys, clients and the token check on a fresh database, with a frozen clock and one client with a secret. */
export type TokenApp = {
  readonly db: Database;
  /** Counts the queries to the database. */
  readonly queryCounter: { count: number };
  readonly clock: { at: number; now(): number };
  readonly signingKeyDeps: SigningKeyDeps;
  readonly keys: SigningKeys;
  readonly checker: TokenChecker;
  readonly client: NewClient;
  readonly nonces: DpopNonces | undefined;
  readonly addClient: (wanted: ClientOptions) => Promise<NewClient>;
};

export type TokenAppOptions = {
  readonly engine?: Engine | undefined;
  readonly trustedIssuers?: readonly TrustedIssuer[];
  /** Requires nonces in DPoP proofs. */
  readonly withNonces?: boolean;
};

/** Opens a `TokenApp`, whose database is closed after the test. */
export async function openTokenApp(
  t: TestContext,
  { engine = engines[0], trustedIssuers = [], withNonces = false }: TokenAppOptions = {},
): Promise<TokenApp> {
  assert.ok(engine);
  const opened = await engine.open(t);
  const queryCounter = { count: 0 };
  const db: Database = {
    ...opened,
    write: (unit) => opened.write(unit),
    close: () => opened.close(),
    read: (sql, args) => {
      queryCounter.count += 1;
      return opened.read(sql, args);
    },
  };
  const clock = { at: Math.floor(Date.now() / 1_000) * 1_000, now: () => clock.at };
  const nonces = withNonces ? createDpopNonces(new Uint8Array(32).fill(4), clock) : undefined;
  const signingKeyDeps = { db, root: rootKeyFromBytes(new Uint8Array(32).fill(3)), clock };
  await createMissingSigningKeys(signingKeyDeps, systemRandom);
  const keys = await openSigningKeys(signingKeyDeps);
  const clients = createClientCache(db.read, clock);
  const addClient = async (wanted: ClientOptions) => {
    const made = newClient(wanted, clock, systemRandom);
    assert.ok('client' in made, 'fault' in made ? made.fault : '');
    await db.write([insertClient(made.client)]);
    clients.invalidate();
    return made;
  };
  const client = await addClient({
    name: 'Tax Office',
    kind: 'test',
    scopes: ['documents:read', 'notifications:send'],
    credential: 'secret',
  });
  const isFirstUse = createReplayDetector({ db, clock, stopwatch: clock.now }, 'DPoP');
  const binding = { clock, publicUrl, isFirstUse, nonces };
  const checker = createTokenChecker({ clock, publicUrl, keys, clients, trusted: trustedIssuers, binding });
  return { db, queryCounter, clock, signingKeyDeps, keys, checker, client, addClient, nonces };
}

/** Replaces the key of a use like `keys rotate`, without the ledger event. */
export async function rotateTestSigningKey(signingKeyDeps: SigningKeyDeps, use: SigningUse): Promise<void> {
  await signingKeyDeps.db.write(replaceSigningKeyStatements(signingKeyDeps, { use }, systemRandom).statements);
}

/** The claims of a valid token at this time. */
export function validTokenClaims({ clock, client }: Pick<TokenApp, 'clock' | 'client'>): Record<string, unknown> {
  const now = Math.floor(clock.at / 1_000);
  const { clientId } = client.client;
  return {
    iss: publicUrl,
    aud: `${publicUrl}/v1`,
    sub: clientId,
    client_id: clientId,
    scope: 'documents:read',
    iat: now,
    exp: now + 600,
    jti: 'vZ4eQ0',
  };
}

const encode = (text: string) => Buffer.from(text).toString('base64url');

/** A compact JWS with any header, payload and signature; for attacks. */
export function makeJws(header: object | string, payload: object | string, sign: (input: Buffer) => Buffer): string {
  const text = (part: object | string) => (typeof part === 'string' ? part : JSON.stringify(part));
  const input = `${encode(text(header))}.${encode(text(payload))}`;
  return `${input}.${sign(Buffer.from(input)).toString('base64url')}`;
}

/** Signs with the access token key of the server, as an attacker with a stolen key could. */
export function signWithServerKey({ keys }: Pick<TokenApp, 'keys'>): (input: Buffer) => Buffer {
  return (input) => signBytes(keys.current('access-token'), input);
}
