import { userInfo } from 'node:os';
import { allClients } from '../auth/client-store.ts';
import { openSigningKeys } from '../auth/signing-key-store.ts';
import type { DocumentsContext } from '../cli/documents.ts';
import { operatorName } from '../cli/operator-name.ts';
import type { IdentityPorts } from '../identity/verification/ports.ts';
import { checkpointSigners, monitorKeys } from '../ledger/checkpoint-keys.ts';
import { readTreeHead } from '../ledger/ledger-store.ts';
import { createLogView } from '../ledger/log-view.ts';
import { createSystemKeys } from '../ledger/system-keys.ts';
import type { TlogPolicy } from '../ledger/tlog/tlog-policy.ts';
import type { AppContext } from './app-context.ts';

// Contexts for commands of the command line. Each loads only the parts of the slices that its commands use.

/** The operator who runs a command, as the ledger names them. */
export function currentOperator(): string {
  return operatorName(userInfo, process.getuid?.());
}

/** For the commands about documents. */
export async function loadDocumentsContext(app: AppContext): Promise<DocumentsContext> {
  const { createDocumentAlarm } = await import('../documents/create-documents.ts');
  const { openBlobs, readOnlyBlobs } = await import('../documents/open-blobs.ts');
  const ports = {
    blobs: await openBlobs(app, readOnlyBlobs),
    citizenKeys: app.citizenKeys,
    citizenExists: (citizenId: string) => app.register.exists(citizenId),
    alarm: createDocumentAlarm(app.log),
  };
  return { ...app, read: app.db.read, ports, operator: currentOperator() };
}

/** For the commands about the ledger, which have no public address and need none. */
export function createLedgerContext(app: AppContext) {
  const { db, root, clock, citizenKeys, settings } = app;
  const systemKeys = createSystemKeys(root);
  return {
    ...app,
    read: db.read,
    log: createLogView(db.read, citizenKeys, systemKeys, { witnessed: settings.ledgerWitnesses !== undefined }),
    checkpointKeys: async () => {
      const head = await readTreeHead(db.read);
      if (head === undefined) return undefined;
      return checkpointSigners(await openSigningKeys({ db, root, clock }), head.origin, settings.ledgerMlDsa);
    },
  };
}

/** The keys by which the log of this database is known; undefined where nothing was numbered yet. */
export async function loadLogPolicy({ db, root, clock }: AppContext): Promise<TlogPolicy | undefined> {
  const head = await readTreeHead(db.read);
  return head === undefined ? undefined : monitorKeys(await openSigningKeys({ db, root, clock }), head.origin).policy();
}

/** For the commands about single citizens, with the names of the organisations. */
export async function loadCitizensContext(app: AppContext) {
  const { createVerificationExplainer } = await import('../identity/create-identity.ts');
  const { createServiceLookup } = await import('../notifications/notification/sending-service.ts');
  const clients = new Map((await allClients(app.db.read)).map((client) => [client.clientId, client]));
  const serviceOf = createServiceLookup(clients, app.settings.registerName);
  return {
    log: createLedgerContext(app).log,
    organisationOf: (clientId: string) => serviceOf(clientId).name,
    explanationOf: createVerificationExplainer(app),
  };
}

/** Notifies citizens that staff has lifted their citizen lock, for the command that does so. */
export async function loadLockNotice(app: AppContext): Promise<NonNullable<IdentityPorts['lockChangeNotice']>> {
  const { cascadeOf } = await import('../notifications/cascade/cascade-file.ts');
  const { createContactLookup, createNotices } = await import('../notifications/notices.ts');
  const { createContactDetails } = await import('../identity/register/contact-details.ts');
  const contactOf = createContactLookup(app, createContactDetails(app.register));
  return createNotices({ ...app, contactOf, cascade: cascadeOf(app.settings, false) }).lockChanged;
}
