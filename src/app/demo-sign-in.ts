import { hash } from 'node:crypto';
import type { MountedHandler } from '../api/page-route.ts';
import { newClient } from '../auth/client.ts';
import { findClient, insertClient } from '../auth/client-store.ts';
import { createReplayDetector } from '../auth/used-proof-store.ts';
import { demoCitizens, demoShows } from '../cli/demo-data.ts';
import { personaCases } from '../cli/personas.ts';
import type { Settings } from '../config/settings.ts';
import { newSigningSeed, signingKeyFromSeed } from '../crypto/signing-key.ts';
import { hmac } from '../kernel/hashing.ts';
import { Secret } from '../kernel/secret.ts';
import { createDemoIssuer, type DemoPerson, demoIssuerPath } from '../web/demo-issuer.ts';
import { citizenPageScopes } from '../web/sign-in-config.ts';
import { citizenPaths } from '../web/sign-in-flow.ts';
import type { AppContext } from './app-context.ts';
import { demoMarkOf } from './mode-settings.ts';

/** The own issuer of a demo, and the settings that name it. */
export type DemoSignIn = { readonly settings: Settings; readonly mounts: readonly MountedHandler[] };

/**
 * Creates the issuer of a demo whose settings name none, and the client of its citizens if it does not exist. The keys are
 * derived from the root key, so that all threads of a process have the same.
 */
export async function createDemoSignIn(app: AppContext, publicUrl: string): Promise<DemoSignIn | undefined> {
  const { settings, root, clock, random } = app;
  if (settings.signInIssuer !== undefined) return undefined;
  const issuer = `${publicUrl}${demoIssuerPath}`;
  const key = root.derive('citizen-sessions');
  const derive = (purpose: string) => hmac('sha256', key, `demo ${purpose}`);
  const id = `demo-citizens-${hash('sha256', issuer, 'hex').slice(0, 8)}`;
  const secret = derive('secret').toString('base64url');
  await ensureClient(app, { clientId: id, issuer });
  const mounts = createDemoIssuer({
    issuer,
    clock,
    random,
    people: demoPeople(),
    demo: demoMarkOf(settings),
    codeKey: derive('codes'),
    isFirstUse: createReplayDetector(app, 'ReplayDetection'),
    client: { id, secret, returnUrl: `${publicUrl}${citizenPaths.returned}` },
    signingKey: signingKeyFromSeed('access-token', newSigningSeed('access-token', derivedSeeds(derive))),
  });
  return {
    settings: {
      ...settings,
      signInIssuer: issuer,
      signInClientId: id,
      signInClientSecret: new Secret(secret),
      trustedIssuers: [...settings.trustedIssuers, issuer],
    },
    mounts,
  };
}

/** All citizens in the register of the demo: those with messages or documents first, and the people for tests last. */
function demoPeople(): readonly DemoPerson[] {
  const shown = Object.entries(demoShows).flatMap(([id, shows]) =>
    demoCitizens.filter(({ citizenId }) => citizenId === id).map((one) => personOf(one, { shows })),
  );
  const others = demoCitizens.filter(({ citizenId }) => !Object.hasOwn(demoShows, citizenId));
  return [
    ...shown,
    ...others.map((one) => personOf(one, {})),
    ...personaCases.flatMap(({ about, people }) => people.map((one) => personOf(one, { tests: about }))),
  ];
}

function personOf(
  { citizenId, givenName = '', familyName = '' }: (typeof personaCases)[number]['people'][number],
  more: Pick<DemoPerson, 'shows' | 'tests'>,
): DemoPerson {
  return { citizenId, name: `${String(givenName)} ${String(familyName)}`.trim(), ...more };
}

/** A new seed for each call: not every seed is a key. */
function derivedSeeds(derive: (purpose: string) => Buffer): () => Buffer {
  let tries = 0;
  return () => derive(`key ${++tries}`);
}

class DemoClientRefused extends Error {
  override readonly name = 'DemoClientRefused';
}

async function ensureClient(
  { db, clock, random, commit, createId }: AppContext,
  { clientId, issuer }: { readonly clientId: string; readonly issuer: string },
): Promise<void> {
  if ((await findClient(db.read, clientId)) !== undefined) return;
  const scopes = [...citizenPageScopes];
  const credential = { by: 'issuer', issuer } as const;
  const created = newClient({ name: 'Pages of citizens', kind: 'demo', scopes, credential }, clock, random);
  if ('fault' in created) throw new DemoClientRefused(created.fault);
  const head = { id: createId('event'), at: clock.now(), actor: { process: 'demo' } } as const;
  await commit({
    events: [{ type: 'client.created', ...head, clientId, scopes }],
    statements: [insertClient({ ...created.client, clientId })],
  });
}
