import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createTokenChecker, type TokenChecker } from '../../src/access/check-token.ts';
import { type NewClient, newClient, type WantedClient } from '../../src/access/client.ts';
import { clientCreation } from '../../src/access/client-store.ts';
import { createClientView } from '../../src/access/client-view.ts';
import { createDpopNonces, type DpopNonces } from '../../src/access/dpop-nonces.ts';
import {
  createMissingSigningKeys,
  type KeyRoom,
  openSigningKeys,
  type SigningKeys,
  signingKeyReplacement,
} from '../../src/access/signing-key-store.ts';
import type { TrustedIssuer } from '../../src/access/trusted-issuer.ts';
import { createUsedProofs } from '../../src/access/used-proofs.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { rootKeyFrom } from '../../src/keys/root-key.ts';
import { type SigningUse, signBytes } from '../../src/keys/signing-key.ts';
import type { Db } from '../../src/store/db.ts';
import { type Engine, engines } from '../engines.ts';

export const publicUrl = 'https://api.example.gov';

/** A house of access on a fresh database: keys made, a clock that stands still until it is set, one client. */
export type TokenHouse = {
  readonly db: Db;
  /** Counts the queries that went to the database. */
  readonly reads: { count: number };
  readonly clock: { at: number; now(): number };
  readonly room: KeyRoom;
  readonly keys: SigningKeys;
  readonly checker: TokenChecker;
  readonly client: NewClient;
  readonly nonces: DpopNonces | undefined;
  readonly add: (wanted: WantedClient) => Promise<NewClient>;
};

export type HouseWanted = {
  readonly engine?: Engine | undefined;
  readonly trusted?: readonly TrustedIssuer[];
  /** Whether DPoP proofs need a nonce. */
  readonly withNonces?: boolean;
};

export async function openTokenHouse(
  t: TestContext,
  { engine = engines[0], trusted = [], withNonces = false }: HouseWanted = {},
): Promise<TokenHouse> {
  assert.ok(engine);
  const opened = await engine.open(t);
  const reads = { count: 0 };
  const db: Db = {
    ...opened,
    write: (unit) => opened.write(unit),
    close: () => opened.close(),
    read: (sql, args) => {
      reads.count += 1;
      return opened.read(sql, args);
    },
  };
  const clock = { at: Math.floor(Date.now() / 1_000) * 1_000, now: () => clock.at };
  const nonces = withNonces ? createDpopNonces(new Uint8Array(32).fill(4), clock) : undefined;
  const room = { db, root: rootKeyFrom(new Uint8Array(32).fill(3)), clock };
  await createMissingSigningKeys(room, systemRandom);
  const keys = await openSigningKeys(room);
  const clients = createClientView(db.read, clock);
  const add = async (wanted: WantedClient) => {
    const made = newClient(wanted, clock, systemRandom);
    assert.ok('client' in made, 'fault' in made ? made.fault : '');
    await db.write([clientCreation(made.client)]);
    clients.forget();
    return made;
  };
  const client = await add({
    name: 'Tax Office',
    kind: 'test',
    scopes: ['documents:read', 'notifications:send'],
    credential: 'secret',
  });
  const isFirst = createUsedProofs({ db, clock, stopwatch: clock.now }, 'DPoP');
  const binding = { clock, publicUrl, isFirst, nonces };
  const checker = createTokenChecker({ clock, publicUrl, keys, clients, trusted, binding });
  return { db, reads, clock, room, keys, checker, client, add, nonces };
}

/** Replaces the key of a use as `keys rotate` does, without its event. */
export async function rotateSigningKey(room: KeyRoom, use: SigningUse): Promise<void> {
  await room.db.write(signingKeyReplacement(room, { use }, systemRandom).statements);
}

/** The claims that a good token has now. */
export function goodClaims({ clock, client }: Pick<TokenHouse, 'clock' | 'client'>): Record<string, unknown> {
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

/** A compact JWS of any header and payload text, signed by what is given: the attacks are made of these. */
export function craft(header: object | string, payload: object | string, sign: (input: Buffer) => Buffer): string {
  const text = (part: object | string) => (typeof part === 'string' ? part : JSON.stringify(part));
  const input = `${encode(text(header))}.${encode(text(payload))}`;
  return `${input}.${sign(Buffer.from(input)).toString('base64url')}`;
}

/** Signs with the access token key of the house: what only a stolen key or a fault of ours could do. */
export function signedByUs({ keys }: Pick<TokenHouse, 'keys'>): (input: Buffer) => Buffer {
  return (input) => signBytes(keys.current('access-token'), input);
}
