import { hash } from 'node:crypto';
import type { MountedHandler } from '../api/page-route.ts';
import { newClient } from '../auth/client.ts';
import { allClients, findClient, insertClient } from '../auth/client-store.ts';
import { createReplayDetector } from '../auth/used-proof-store.ts';
import { demoCitizens, demoShows } from '../cli/demo-data.ts';
import { personaCases } from '../cli/personas.ts';
import type { Settings } from '../config/settings.ts';
import { newSigningSeed, signingKeyFromSeed } from '../crypto/signing-key.ts';
import type { Read } from '../db/database.ts';
import { hmac } from '../kernel/hashing.ts';
import { Secret } from '../kernel/secret.ts';
import { createDemoIssuer, type DemoGroup, type DemoPerson } from '../web/demo-issuer.ts';
import { citizenPageScopes } from '../web/sign-in-config.ts';
import { citizenPaths } from '../web/sign-in-flow.ts';
import { staffPaths } from '../web/staff/staff-area.ts';
import type { AppContext } from './app-context.ts';
import { demoMarkOf } from './mode-settings.ts';

/** The own issuers of a demo, and the settings that name them. */
type DemoSignIn = { readonly settings: Settings; readonly mounts: readonly MountedHandler[] };

const citizenIssuerPath = '/demo/sign-in';
const staffIssuerPath = '/demo/staff-sign-in';

/**
 * Creates the issuers of a demo whose settings name none, and the client of its citizens if it does not exist. The keys are derived
 * from the root key, so that all threads of a process have the same.
 */
export async function createDemoSignIn(app: AppContext, publicUrl: string): Promise<DemoSignIn> {
  const citizens = app.settings.signInIssuer === undefined ? await openCitizenIssuer(app, publicUrl) : undefined;
  const staff = app.settings.staffIssuer === undefined ? openStaffIssuer(app, publicUrl) : undefined;
  return {
    settings: { ...app.settings, ...citizens?.settings, ...staff?.settings },
    mounts: [...(citizens?.mounts ?? []), ...(staff?.mounts ?? [])],
  };
}

async function openCitizenIssuer(app: AppContext, publicUrl: string) {
  const issuer = `${publicUrl}${citizenIssuerPath}`;
  const id = `demo-citizens-${hash('sha256', issuer, 'hex').slice(0, 8)}`;
  await ensureClient(app, { clientId: id, issuer });
  const { secret, mounts } = openIssuer(app, {
    issuer,
    path: citizenIssuerPath,
    client: { id, returnUrl: `${publicUrl}${citizenPaths.returned}` },
    intro: 'In a real installation, citizens use the sign-in service of their country.',
    groups: demoCitizenGroups(),
  });
  return {
    settings: {
      signInIssuer: issuer,
      signInClientId: id,
      signInClientSecret: secret,
      trustedIssuers: [...app.settings.trustedIssuers, issuer],
    },
    mounts,
  };
}

function openStaffIssuer(app: AppContext, publicUrl: string) {
  const issuer = `${publicUrl}${staffIssuerPath}`;
  const id = 'demo-staff';
  const { secret, mounts } = openIssuer(app, {
    issuer,
    path: staffIssuerPath,
    client: { id, returnUrl: `${publicUrl}${staffPaths.returned}` },
    intro: 'In a real installation, staff use the account of their organisation.',
    groups: [{ title: 'One person for each role', people: demoStaff(app) }],
  });
  return { settings: { staffIssuer: issuer, staffClientId: id, staffClientSecret: secret }, mounts };
}

type IssuerOptions = {
  readonly issuer: string;
  readonly path: string;
  readonly client: { readonly id: string; readonly returnUrl: string };
  readonly intro: string;
  readonly groups: readonly DemoGroup[];
};

function openIssuer(app: AppContext, { issuer, path, client, intro, groups }: IssuerOptions) {
  const { root, clock, random, settings } = app;
  const key = root.derive('citizen-sessions');
  const derive = (purpose: string) => hmac('sha256', key, `demo ${path} ${purpose}`);
  const secret = derive('secret').toString('base64url');
  const mounts = createDemoIssuer({
    issuer,
    path,
    clock,
    random,
    intro,
    groups,
    demo: demoMarkOf(settings),
    codeKey: derive('codes'),
    isFirstUse: createReplayDetector(app, 'ReplayDetection'),
    client: { ...client, secret },
    signingKey: signingKeyFromSeed('access-token', newSigningSeed('access-token', derivedSeeds(derive))),
  });
  return { secret: new Secret(secret), mounts };
}

/** One person for each role of STAFF_ROLES, in its default. The first two belong to the service of the demo. */
function demoStaff({ db }: AppContext): readonly DemoPerson[] {
  const people = [
    ['sam', 'Sam Support', 'support', 'Helps citizens: finds their messages.'],
    ['chris', 'Chris Caseworker', 'caseworker', 'Sends messages.'],
    ['alex', 'Alex Approver', 'approver', 'Approves what other people propose.'],
    ['olu', 'Olu Operator', 'operator', 'Sees what needs attention, and manages clients and channels.'],
    ['ada', 'Ada Auditor', 'auditor', 'Reads what staff did.'],
  ] as const;
  const inService: readonly string[] = ['support', 'caseworker'];
  return people.map(([subject, name, roles, about]) => ({
    subject,
    name,
    about,
    claims: async () => {
      const client = inService.includes(roles) ? await demoServiceOf(db.read) : undefined;
      return { name, roles, ...(client === undefined ? {} : { client }) };
    },
  }));
}

/** The client that the demo creates after its first start. */
async function demoServiceOf(read: Read): Promise<string | undefined> {
  const clients = await allClients(read);
  return clients.find(({ kind, credential }) => kind === 'demo' && credential.by === 'secret')?.clientId;
}

/** All citizens in the register of the demo: those with messages or documents first, and the people for tests last. */
function demoCitizenGroups(): readonly DemoGroup[] {
  const shown = Object.entries(demoShows).flatMap(([id, shows]) =>
    demoCitizens.filter(({ citizenId }) => citizenId === id).map((one) => demoCitizenOf(one, shows)),
  );
  const others = demoCitizens.filter(({ citizenId }) => !Object.hasOwn(demoShows, citizenId));
  const forTests = personaCases.flatMap(({ about, people }) => people.map((one) => demoCitizenOf(one, about)));
  return [
    { title: 'With messages or documents', people: shown },
    { title: 'Without messages or documents', people: others.map((one) => demoCitizenOf(one)) },
    { title: 'People for tests of identity verification', people: forTests, isFolded: true },
  ];
}

function demoCitizenOf(
  { citizenId, givenName = '', familyName = '' }: (typeof personaCases)[number]['people'][number],
  about?: string,
): DemoPerson {
  const name = `${String(givenName)} ${String(familyName)}`.trim();
  return { subject: citizenId, name, about, claims: async () => ({ citizen_id: citizenId }) };
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
