import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../access/client.ts';
import { allClients } from '../access/client-store.ts';
import { openSigningKeys } from '../access/signing-key-store.ts';
import { type Check, type Finding, faulty, ok, warn } from '../cli/doctor.ts';
import { absentDocuments, onlyLooking, openBlobs, whereDocumentsBelong } from '../compose/documents.ts';
import { standingPolicy } from '../compose/identity.ts';
import { SettingError, type Settings } from '../config/settings.ts';
import { signingUses } from '../keys/signing-key.ts';
import { anchorFile, openAnchor } from '../ledger/anchor.ts';
import { refuseOtherLasting } from '../ledger/lasting-keys.ts';
import { readCheckpoint, readHead } from '../ledger/ledger-store.ts';
import { createLedgerWatch } from '../ledger/ledger-watch.ts';
import { openTree } from '../ledger/open-tree.ts';
import { createQueueWatch, type QueueState } from '../notifications/delivery/queue-watch.ts';
import { countCalls, mostCounted as mostCalls } from '../notifications/webhooks/webhook-store.ts';
import type { LookedAt } from '../store/open-to-look.ts';
import { patienceMs } from './reach.ts';
import { type DoctorRoom, inTwo, isServed, messageOf, readyDatabase, spanOf, within } from './room.ts';

/** What lies in the database: keys, people, clients, the ledger, and what waits to be done. */
export function contentChecks(room: DoctorRoom): readonly Check[] {
  const check = (name: string, look: (db: LookedAt) => Promise<readonly Finding[]>, fix: string): Check => ({
    name,
    look: async () => {
      const db = await readyDatabase(room);
      return db === undefined ? [] : await look(db);
    },
    otherwise: { is: 'fault', fix },
  });
  return [
    check('root-key', (db) => lastingKeys(db, room), 'see docs/operating.md#the-root-key'),
    check('signing-keys', (db) => signingKeys(db, room), 'see docs/operating.md#signing-keys'),
    check('register', (db) => register(db, room), 'see docs/trouble.md#what-to-do-when'),
    check('clients', (db) => clients(db, room), 'see docs/operating.md#clients'),
    check('ledger', (db) => ledger(db, room), 'see docs/ledger.md#broken'),
    check('queues', (db) => queues(db, room), 'see docs/trouble.md#stuck-deliveries'),
    check('documents', (db) => documents(db, room), 'see docs/trouble.md#what-to-do-when'),
    check('webhooks', webhooks, 'see docs/trouble.md#what-to-do-when'),
  ];
}

async function lastingKeys({ read }: LookedAt, { root }: DoctorRoom): Promise<readonly Finding[]> {
  // The check of the file says why.
  if (root === undefined) return [];
  try {
    await refuseOtherLasting(read, root);
    return [];
  } catch (fault) {
    return [faulty(...inTwo(messageOf(fault), ''))];
  }
}

async function signingKeys(db: LookedAt, { root, clock }: DoctorRoom): Promise<readonly Finding[]> {
  // The check of the root key says why.
  if (root === undefined) return [];
  const keys = await openSigningKeys({ db, root, clock });
  const missing = signingUses.filter((use) => keys.inForce(use).length === 0);
  if (missing.length === 0) return [ok(`a key for each of ${signingUses.join(', ')}`)];
  const fix =
    missing.length === signingUses.length
      ? '`citizen-services keys create` makes them; else see that DATA_DIR and DATABASE_URL name the right database'
      : 'stop the server; `citizen-services keys create` makes them';
  return [faulty(`no key for ${missing.join(', ')}`, fix)];
}

/** Beyond that a count would cost more than it says. */
const mostCounted = 10_000;

async function register({ read }: LookedAt, { settings }: DoctorRoom): Promise<readonly Finding[]> {
  try {
    await standingPolicy({ settings, db: { read } });
  } catch (fault) {
    if (!(fault instanceof SettingError)) throw fault;
    return [faulty(...inTwo(fault.message, ''))];
  }
  if (settings.registerUrl !== undefined) return [];
  const [row] = await read('select count(*) as persons from (select citizen_id from citizen limit $1) counted', [
    mostCounted + 1,
  ]);
  const persons = Number(row?.['persons']);
  if (persons === 0) return [warn('nobody is in it', '`citizen-services import citizens FILE`; see docs/import.md')];
  return [ok(persons > mostCounted ? `more than ${mostCounted} persons` : `${persons} persons`)];
}

import { demoIssuerPath } from '../portal/demo-issuer.ts';

async function clients({ read }: LookedAt, { settings }: DoctorRoom): Promise<readonly Finding[]> {
  const all = await allClients(read);
  const active = all.filter(({ disabledAt }) => disabledAt === undefined);
  if (active.length === 0)
    return [warn('there is none: nobody can call', '`citizen-services clients create NAME --scopes …`')];
  const lacking = settingsLacking(active, settings);
  if (lacking.length > 0) return lacking;
  return [ok(`${active.length} clients, ${all.length - active.length} disabled`)];
}

/** Clients that prove themselves in a way which these settings do not take: each request of theirs is 401. */
function settingsLacking(active: readonly Client[], settings: Settings): readonly Finding[] {
  const shut = (which: readonly Client[], by: string, fix: string) =>
    which.length === 0
      ? []
      : [warn(`not let in by these settings, ${by}: ${fewOf(which.map(({ clientId }) => clientId))}`, fix)];
  const { trustedIssuers, tlsClientCertificates, clientCertificateHeader } = settings;
  // The demo trusts an issuer of its own, which no setting names.
  const strangers = active.filter(
    ({ credential, kind }) =>
      credential.by === 'issuer' &&
      !(kind === 'demo' && credential.issuer.endsWith(demoIssuerPath)) &&
      !trustedIssuers.includes(credential.issuer),
  );
  const takesCertificates = tlsClientCertificates || clientCertificateHeader !== undefined;
  const certified = active.filter(({ credential, binding }) => credential.by === 'certificate' || binding === 'mtls');
  return [
    ...shut(strangers, 'by the tokens of their issuer', 'name the issuer in TRUSTED_ISSUERS'),
    ...shut(
      takesCertificates ? [] : certified,
      'by certificate',
      'set TLS_CLIENT_CERTIFICATES, or CLIENT_CERTIFICATE_HEADER behind a proxy that ends TLS',
    ),
  ];
}

/** The first of them, and how many more there are. */
function fewOf(all: readonly string[]): string {
  const more = all.length > 3 ? ` and ${all.length - 3} more` : '';
  return `${all.slice(0, 3).join(', ')}${more}`;
}

async function documents({ read }: LookedAt, { settings }: DoctorRoom): Promise<readonly Finding[]> {
  // Of what is no folder, or cannot be looked into, another check says why.
  if (statSync(settings.documentStore, { throwIfNoEntry: false })?.isDirectory() === false) return [];
  const log = { fault: () => undefined };
  const look = async () => await absentDocuments(settings, read, await openBlobs({ settings, log }, onlyLooking));
  const absent = await within(patienceMs, look()).catch(() => undefined);
  return absent === undefined ? [] : [faulty(absent, whereDocumentsBelong)];
}

/** An event waits a fraction of a second for its number, and a leader that is gone is replaced after five. */
const longestWaitSeconds = 30;

async function ledger(db: LookedAt, { settings, clock }: DoctorRoom): Promise<readonly Finding[]> {
  const { read } = db;
  const anchor = openAnchor(join(settings.dataDir, anchorFile));
  const head = await readHead(read);
  const anchored = await anchor.read();
  if (head === undefined) {
    if (anchored === undefined) return [ok('not begun: the first start does')];
    return [
      faulty(
        `the database has no ledger, and ${anchored.size} entries were signed here`,
        'see that it is the right database; see docs/ledger.md#broken',
      ),
    ];
  }
  // Only a ledger that is not begun would be written.
  const write = () => Promise.reject(new Error('the ledger is gone'));
  try {
    await openTree({ read, write }, anchor, head);
  } catch (fault) {
    return [faulty(...inTwo(messageOf(fault), 'see docs/ledger.md#broken'))];
  }
  const watch = createLedgerWatch({
    ...{ read, clock, witnessed: settings.ledgerWitnesses !== undefined },
    onAlarm: () => undefined,
    onEnded: () => undefined,
  });
  await watch.look();
  const { waiting, oldestSeconds, signed, cosigned } = watch.state();
  const at = (await readCheckpoint(read, 'signed'))?.at;
  const age = at === undefined ? '' : `, the last ${spanOf((clock.now() - at) / 1_000)} ago`;
  const found = `${head.size} entries, ${signed} signed${age}`;
  if (oldestSeconds >= longestWaitSeconds) {
    const wait = `${waiting} events wait for their number, the first for ${spanOf(oldestSeconds)}`;
    if (!(await isServed(db))) return [warn(wait, 'they are numbered when a server runs: `citizen-services start`')];
    return [faulty(wait, 'see that a process with the role sequencer runs; see docs/trouble.md#ledger-alarms')];
  }
  if (cosigned !== undefined && cosigned < signed)
    return [
      warn(
        `${found}, ${cosigned} cosigned by the witnesses`,
        'the log of the server says which witness gave none, and why',
      ),
    ];
  return [ok(found)];
}

/** From when a wait is worth a word, as docs/alerts.yaml has it. */
const longestDueSeconds = { inbox: 60, email: 600, sms: 600, letter: 600 };
const longestCallSeconds = 300;

async function queues(db: LookedAt, { clock }: DoctorRoom): Promise<readonly Finding[]> {
  const watch = createQueueWatch(db.read, clock);
  await watch.look();
  const late: string[] = [];
  let due = 0;
  const judge = (name: string, state: QueueState | undefined, most: number) => {
    due += state?.due ?? 0;
    if (state !== undefined && state.oldestSeconds > most)
      late.push(`${name}: ${state.due} due, the first for ${spanOf(state.oldestSeconds)}`);
  };
  for (const [channel, state] of watch.deliveries()) judge(channel, state, longestDueSeconds[channel]);
  judge('webhooks', watch.calls(), longestCallSeconds);
  if (late.length === 0) return [ok(`${due} due`)];
  const fix = (await isServed(db))
    ? 'see that a process with the role worker runs; see docs/trouble.md#stuck-deliveries'
    : 'they leave when a server runs: `citizen-services start`';
  return [warn(late.join('; '), fix)];
}

async function webhooks({ read }: LookedAt): Promise<readonly Finding[]> {
  const found: string[] = [];
  const rows = await read("select id, status from webhook where status <> 'removed' order by id");
  for (const { id } of rows) {
    const { dead } = await countCalls(read, String(id) as Parameters<typeof countCalls>[1]);
    if (dead > 0) found.push(`${dead < mostCalls ? dead : `${mostCalls} and more`} calls of ${id}`);
  }
  if (found.length === 0) return rows.length === 0 ? [] : [ok(`${rows.length}, no call was given up`)];
  return [
    warn(
      `${fewOf(found)} were given up`,
      'mend their receivers; `citizen-services webhooks redeliver ID` calls them again',
    ),
  ];
}
