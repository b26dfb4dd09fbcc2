import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../auth/client.ts';
import { allClients } from '../../auth/client-store.ts';
import { openSigningKeys } from '../../auth/signing-key-store.ts';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { SettingError, type Settings } from '../../config/settings.ts';
import { signingUses } from '../../crypto/signing-key.ts';
import type { ReadOnlyDatabase } from '../../db/open-read-only.ts';
import { findMissingDocuments, missingDocumentsFix, openBlobs, readOnlyBlobs } from '../../documents/open-blobs.ts';
import { loadDefaultPolicy } from '../../identity/policies/default-policy.ts';
import { anchorFileName, openAnchor } from '../../ledger/anchor.ts';
import { createLedgerHealth } from '../../ledger/ledger-health.ts';
import { readCheckpoint, readTreeHead } from '../../ledger/ledger-store.ts';
import { openTree } from '../../ledger/open-tree.ts';
import { refuseMismatchedSubkeys } from '../../ledger/refuse-mismatched-subkeys.ts';
import { createQueueMonitor, type QueueState } from '../../notifications/delivery/queue-monitor.ts';
import { countCalls, maxCallCount as mostCalls } from '../../notifications/webhooks/webhook-store.ts';
import { checkTimeoutMs } from './check-reachable.ts';
import {
  type DoctorContext,
  errorMessage,
  formatSeconds,
  isServerRunning,
  openMigratedDatabase,
  splitFix,
  withTimeout,
} from './doctor-context.ts';

/** What lies in the database: keys, people, clients, the ledger, and what waits to be done. */
export function contentChecks(context: DoctorContext): readonly DoctorCheck[] {
  const check = (
    name: string,
    look: (db: ReadOnlyDatabase) => Promise<readonly DoctorFinding[]>,
    fix: string,
  ): DoctorCheck => ({
    name,
    run: async () => {
      const db = await openMigratedDatabase(context);
      return db === undefined ? [] : await look(db);
    },
    onFailure: { is: 'fault', fix },
  });
  return [
    check('root-key', (db) => checkRootKeySubkeys(db, context), 'see docs/operating.md#the-root-key'),
    check('signing-keys', (db) => signingKeys(db, context), 'see docs/operating.md#signing-keys'),
    check('register', (db) => register(db, context), 'see docs/trouble.md#what-to-do-when'),
    check('clients', (db) => clients(db, context), 'see docs/operating.md#clients'),
    check('ledger', (db) => ledger(db, context), 'see docs/ledger.md#broken'),
    check('queues', (db) => queues(db, context), 'see docs/trouble.md#stuck-deliveries'),
    check('documents', (db) => documents(db, context), 'see docs/trouble.md#what-to-do-when'),
    check('webhooks', webhooks, 'see docs/trouble.md#what-to-do-when'),
  ];
}

async function checkRootKeySubkeys(
  { read }: ReadOnlyDatabase,
  { root }: DoctorContext,
): Promise<readonly DoctorFinding[]> {
  // The check of the file says why.
  if (root === undefined) return [];
  try {
    await refuseMismatchedSubkeys(read, root);
    return [];
  } catch (fault) {
    return [faultFinding(...splitFix(errorMessage(fault), ''))];
  }
}

async function signingKeys(db: ReadOnlyDatabase, { root, clock }: DoctorContext): Promise<readonly DoctorFinding[]> {
  // The check of the root key says why.
  if (root === undefined) return [];
  const keys = await openSigningKeys({ db, root, clock });
  const missing = signingUses.filter((use) => keys.inForce(use).length === 0);
  if (missing.length === 0) return [okFinding(`a key for each of ${signingUses.join(', ')}`)];
  const fix =
    missing.length === signingUses.length
      ? '`citizen-services keys create` makes them; else see that DATA_DIR and DATABASE_URL name the right database'
      : 'stop the server; `citizen-services keys create` makes them';
  return [faultFinding(`no key for ${missing.join(', ')}`, fix)];
}

/** Beyond that a count would cost more than it says. */
const maxCounted = 10_000;

async function register({ read }: ReadOnlyDatabase, { settings }: DoctorContext): Promise<readonly DoctorFinding[]> {
  try {
    await loadDefaultPolicy({ settings, db: { read } });
  } catch (fault) {
    if (!(fault instanceof SettingError)) throw fault;
    return [faultFinding(...splitFix(fault.message, ''))];
  }
  if (settings.registerUrl !== undefined) return [];
  const [row] = await read('select count(*) as persons from (select citizen_id from citizen limit $1) counted', [
    maxCounted + 1,
  ]);
  const persons = Number(row?.['persons']);
  if (persons === 0)
    return [warnFinding('nobody is in it', '`citizen-services import citizens FILE`; see docs/import.md')];
  return [okFinding(persons > maxCounted ? `more than ${maxCounted} persons` : `${persons} persons`)];
}

import { demoIssuerPath } from '../../web/demo-issuer.ts';

async function clients({ read }: ReadOnlyDatabase, { settings }: DoctorContext): Promise<readonly DoctorFinding[]> {
  const all = await allClients(read);
  const active = all.filter(({ disabledAt }) => disabledAt === undefined);
  if (active.length === 0)
    return [warnFinding('there is none: nobody can call', '`citizen-services clients create NAME --scopes …`')];
  const lacking = clientsWithoutSettings(active, settings);
  if (lacking.length > 0) return lacking;
  return [okFinding(`${active.length} clients, ${all.length - active.length} disabled`)];
}

/** Clients that prove themselves in a way which these settings do not take: each request of theirs is 401. */
function clientsWithoutSettings(active: readonly Client[], settings: Settings): readonly DoctorFinding[] {
  const rejectedClients = (which: readonly Client[], by: string, fix: string) =>
    which.length === 0
      ? []
      : [warnFinding(`not let in by these settings, ${by}: ${firstFew(which.map(({ clientId }) => clientId))}`, fix)];
  const { trustedIssuers, tlsClientCertificates, clientCertificateHeader } = settings;
  // The demo trusts an issuer of its own, which no setting names.
  const untrusted = active.filter(
    ({ credential, kind }) =>
      credential.by === 'issuer' &&
      !(kind === 'demo' && credential.issuer.endsWith(demoIssuerPath)) &&
      !trustedIssuers.includes(credential.issuer),
  );
  const takesCertificates = tlsClientCertificates || clientCertificateHeader !== undefined;
  const withCertificate = active.filter(
    ({ credential, binding }) => credential.by === 'certificate' || binding === 'mtls',
  );
  return [
    ...rejectedClients(untrusted, 'by the tokens of their issuer', 'name the issuer in TRUSTED_ISSUERS'),
    ...rejectedClients(
      takesCertificates ? [] : withCertificate,
      'by certificate',
      'set TLS_CLIENT_CERTIFICATES, or CLIENT_CERTIFICATE_HEADER behind a proxy that ends TLS',
    ),
  ];
}

/** The first of them, and how many more there are. */
function firstFew(all: readonly string[]): string {
  const more = all.length > 3 ? ` and ${all.length - 3} more` : '';
  return `${all.slice(0, 3).join(', ')}${more}`;
}

async function documents({ read }: ReadOnlyDatabase, { settings }: DoctorContext): Promise<readonly DoctorFinding[]> {
  // Of what is no folder, or cannot be looked into, another check says why.
  if (statSync(settings.documentStore, { throwIfNoEntry: false })?.isDirectory() === false) return [];
  const log = { fault: () => undefined };
  const look = async () =>
    await findMissingDocuments(settings, read, await openBlobs({ settings, log }, readOnlyBlobs));
  const absent = await withTimeout(checkTimeoutMs, look()).catch(() => undefined);
  return absent === undefined ? [] : [faultFinding(absent, missingDocumentsFix)];
}

/** An event waits a fraction of a second for its number, and a leader that is gone is replaced after five. */
const maxWaitSeconds = 30;

async function ledger(db: ReadOnlyDatabase, { settings, clock }: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { read } = db;
  const anchor = openAnchor(join(settings.dataDir, anchorFileName));
  const head = await readTreeHead(read);
  const anchored = await anchor.read();
  if (head === undefined) {
    if (anchored === undefined) return [okFinding('not begun: the first start does')];
    return [
      faultFinding(
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
    return [faultFinding(...splitFix(errorMessage(fault), 'see docs/ledger.md#broken'))];
  }
  const watch = createLedgerHealth({
    ...{ read, clock, hasWitnesses: settings.ledgerWitnesses !== undefined },
    onAlarm: () => undefined,
    onAlarmCleared: () => undefined,
  });
  await watch.check();
  const { waiting, oldestSeconds, signed, cosigned } = watch.state();
  const at = (await readCheckpoint(read, 'signed'))?.at;
  const age = at === undefined ? '' : `, the last ${formatSeconds((clock.now() - at) / 1_000)} ago`;
  const found = `${head.size} entries, ${signed} signed${age}`;
  if (oldestSeconds >= maxWaitSeconds) {
    const wait = `${waiting} events wait for their number, the first for ${formatSeconds(oldestSeconds)}`;
    if (!(await isServerRunning(db)))
      return [warnFinding(wait, 'they are numbered when a server runs: `citizen-services start`')];
    return [faultFinding(wait, 'see that a process with the role sequencer runs; see docs/trouble.md#ledger-alarms')];
  }
  if (cosigned !== undefined && cosigned < signed)
    return [
      warnFinding(
        `${found}, ${cosigned} cosigned by the witnesses`,
        'the log of the server says which witness gave none, and why',
      ),
    ];
  return [okFinding(found)];
}

/** From when a wait is worth a word, as docs/alerts.yaml has it. */
const maxDueSeconds = { inbox: 60, email: 600, sms: 600, letter: 600 };
const maxCallDueSeconds = 300;

async function queues(db: ReadOnlyDatabase, { clock }: DoctorContext): Promise<readonly DoctorFinding[]> {
  const watch = createQueueMonitor(db.read, clock);
  await watch.refresh();
  const late: string[] = [];
  let due = 0;
  const judge = (name: string, state: QueueState | undefined, most: number) => {
    due += state?.due ?? 0;
    if (state !== undefined && state.oldestSeconds > most)
      late.push(`${name}: ${state.due} due, the first for ${formatSeconds(state.oldestSeconds)}`);
  };
  for (const [channel, state] of watch.deliveries()) judge(channel, state, maxDueSeconds[channel]);
  judge('webhooks', watch.calls(), maxCallDueSeconds);
  if (late.length === 0) return [okFinding(`${due} due`)];
  const fix = (await isServerRunning(db))
    ? 'see that a process with the role worker runs; see docs/trouble.md#stuck-deliveries'
    : 'they leave when a server runs: `citizen-services start`';
  return [warnFinding(late.join('; '), fix)];
}

async function webhooks({ read }: ReadOnlyDatabase): Promise<readonly DoctorFinding[]> {
  const found: string[] = [];
  const rows = await read("select id, status from webhook where status <> 'removed' order by id");
  for (const { id } of rows) {
    const { dead } = await countCalls(read, String(id) as Parameters<typeof countCalls>[1]);
    if (dead > 0) found.push(`${dead < mostCalls ? dead : `${mostCalls} and more`} calls of ${id}`);
  }
  if (found.length === 0) return rows.length === 0 ? [] : [okFinding(`${rows.length}, no call was given up`)];
  return [
    warnFinding(
      `${firstFew(found)} were given up`,
      'mend their receivers; `citizen-services webhooks redeliver ID` calls them again',
    ),
  ];
}
