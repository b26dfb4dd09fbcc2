import { hash } from 'node:crypto';
import { newClient } from '../access/client.ts';
import { clientCreation, findClient } from '../access/client-store.ts';
import type { Mount } from '../api/server.ts';
import { demoCitizens } from '../cli/demo-town.ts';
import { personas } from '../cli/personas.ts';
import type { House } from '../compose.ts';
import type { Settings } from '../config/settings.ts';
import { hmac } from '../kernel/hashing.ts';
import { Secret } from '../kernel/secret.ts';
import { newSigningSeed, signingKeyFrom } from '../keys/signing-key.ts';
import { citizenPaths } from '../portal/citizen-session.ts';
import { demoIssuer, demoIssuerPath } from '../portal/demo-issuer.ts';
import { scopesOfPages } from './sign-in.ts';

/** The sign-in of a demo whose settings name none: its own issuer, and what the settings would say of it. */
export type DemoSignIn = { readonly settings: Settings; readonly mounts: readonly Mount[] };

/**
 * The issuer of a demo at that address, and the client for its citizens, which is made where it is not there yet. Its keys follow
 * from the root key, so that all threads of a process have the same.
 */
export async function demoSignIn(house: House, publicUrl: string): Promise<DemoSignIn | undefined> {
  const { settings, root, clock, random } = house;
  if (settings.signInIssuer !== undefined) return undefined;
  const issuer = `${publicUrl}${demoIssuerPath}`;
  const key = root.derive('citizen-sessions');
  const of = (what: string) => hmac('sha256', key, `demo ${what}`);
  const id = `demo-citizens-${hash('sha256', issuer, 'hex').slice(0, 8)}`;
  const secret = of('secret').toString('base64url');
  await ensureClient(house, { clientId: id, issuer });
  const mounts = demoIssuer({
    ...{ issuer, clock, random, people: demoPeople(), codeKey: of('codes') },
    client: { id, secret, returnUrl: `${publicUrl}${citizenPaths.returned}` },
    signingKey: signingKeyFrom('access-token', newSigningSeed('access-token', seeds(of))),
  });
  const trustedIssuers = [...settings.trustedIssuers, issuer];
  const named = { signInIssuer: issuer, signInClientId: id, signInClientSecret: new Secret(secret), trustedIssuers };
  return { settings: { ...settings, ...named }, mounts };
}

/** Everybody whom the demo's register has. */
function demoPeople() {
  const named = personas.map(({ citizenId, givenName = '', familyName = '' }) => {
    return { citizenId, givenName: String(givenName), familyName: String(familyName) };
  });
  return [...demoCitizens, ...named];
}

/** One seed after the other, since not every one is a key. */
function seeds(of: (what: string) => Buffer): () => Buffer {
  let tries = 0;
  return () => {
    tries += 1;
    return of(`key ${tries}`);
  };
}

async function ensureClient(
  { db, clock, random, commit, mint }: House,
  { clientId, issuer }: { readonly clientId: string; readonly issuer: string },
): Promise<void> {
  if ((await findClient(db.read, clientId)) !== undefined) return;
  const scopes = [...scopesOfPages];
  const credential = { by: 'issuer', issuer } as const;
  const made = newClient({ name: 'Pages of citizens', kind: 'demo', scopes, credential }, clock, random);
  if ('fault' in made) throw new Error(`the client of the demo's citizens could not be made: ${made.fault}`);
  const head = { id: mint('event'), at: clock.now(), actor: { process: 'demo' } } as const;
  await commit({
    events: [{ type: 'client.created', ...head, clientId, scopes }],
    statements: [clientCreation({ ...made.client, clientId })],
  });
}
