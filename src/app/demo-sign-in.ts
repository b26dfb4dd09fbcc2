import { hash } from 'node:crypto';
import type { MountedHandler } from '../api/page-route.ts';
import { newClient } from '../auth/client.ts';
import { findClient, insertClient } from '../auth/client-store.ts';
import { demoCitizens } from '../cli/demo-data.ts';
import { personas } from '../cli/personas.ts';
import type { Settings } from '../config/settings.ts';
import { newSigningSeed, signingKeyFromSeed } from '../crypto/signing-key.ts';
import { hmac } from '../kernel/hashing.ts';
import { Secret } from '../kernel/secret.ts';
import { createDemoIssuer, demoIssuerPath } from '../web/demo-issuer.ts';
import { citizenPageScopes } from '../web/sign-in-config.ts';
import { citizenPaths } from '../web/sign-in-flow.ts';
import type { AppContext } from './app-context.ts';

/** The sign-in of a demo whose settings name none: its own issuer, and what the settings would say of it. */
export type DemoSignIn = { readonly settings: Settings; readonly mounts: readonly MountedHandler[] };

/**
 * The issuer of a demo at that address, and the client for its citizens, which is made where it is not there yet. Its keys follow
 * from the root key, so that all threads of a process have the same.
 */
export async function createDemoSignIn(app: AppContext, publicUrl: string): Promise<DemoSignIn | undefined> {
  const { settings, root, clock, random } = app;
  if (settings.signInIssuer !== undefined) return undefined;
  const issuer = `${publicUrl}${demoIssuerPath}`;
  const key = root.derive('citizen-sessions');
  const of = (what: string) => hmac('sha256', key, `demo ${what}`);
  const id = `demo-citizens-${hash('sha256', issuer, 'hex').slice(0, 8)}`;
  const secret = of('secret').toString('base64url');
  await ensureClient(app, { clientId: id, issuer });
  const mounts = createDemoIssuer({
    ...{ issuer, clock, random, people: demoPeople(), codeKey: of('codes') },
    client: { id, secret, returnUrl: `${publicUrl}${citizenPaths.returned}` },
    signingKey: signingKeyFromSeed('access-token', newSigningSeed('access-token', derivedSeeds(of))),
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
function derivedSeeds(of: (what: string) => Buffer): () => Buffer {
  let tries = 0;
  return () => {
    tries += 1;
    return of(`key ${tries}`);
  };
}

async function ensureClient(
  { db, clock, random, commit, createId }: AppContext,
  { clientId, issuer }: { readonly clientId: string; readonly issuer: string },
): Promise<void> {
  if ((await findClient(db.read, clientId)) !== undefined) return;
  const scopes = [...citizenPageScopes];
  const credential = { by: 'issuer', issuer } as const;
  const made = newClient({ name: 'Pages of citizens', kind: 'demo', scopes, credential }, clock, random);
  if ('fault' in made) throw new Error(`the client of the demo's citizens could not be made: ${made.fault}`);
  const head = { id: createId('event'), at: clock.now(), actor: { process: 'demo' } } as const;
  await commit({
    events: [{ type: 'client.created', ...head, clientId, scopes }],
    statements: [insertClient({ ...made.client, clientId })],
  });
}
