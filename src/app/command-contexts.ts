import { userInfo } from 'node:os';
import { allClients } from '../auth/client-store.ts';
import { openSigningKeys } from '../auth/signing-key-store.ts';
import type { DocumentsContext } from '../cli/documents.ts';
import type { IdentityPorts } from '../identity/verification/ports.ts';
import { checkpointSigners, monitorKeys } from '../ledger/checkpoint-keys.ts';
import { readTreeHead } from '../ledger/ledger-store.ts';
import { createLogView } from '../ledger/log-view.ts';
import { createSystemKeys } from '../ledger/system-keys.ts';
import type { TlogPolicy } from '../ledger/tlog/tlog-policy.ts';
import type { AppContext } from './app-context.ts';
import type { WholeErasureOptions } from './erasure.ts';

// The contexts of commands. Each loads only the parts of the slices that its commands use.

/** The name of the user of this process, or its number if the system has no name, such as in a container with any user. */
export function operatorName(user: () => { readonly username: string }, uid: number | undefined): string {
  try {
    return user().username;
  } catch (cause) {
    if (uid === undefined) throw cause;
    return `uid ${uid}`;
  }
}

/** The operator who runs a command, as the ledger names them. */
export function currentOperator(): string {
  return operatorName(userInfo, process.getuid?.());
}

/** For the commands about documents. */
export async function loadDocumentsContext(
  app: AppContext,
): Promise<DocumentsContext & Pick<AppContext, 'root' | 'random'>> {
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

/** For the commands about the ledger. */
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

/** The keys that verify the log of this database; undefined if the log has no entries. */
export async function loadLogPolicy({ db, root, clock }: AppContext): Promise<TlogPolicy | undefined> {
  const head = await readTreeHead(db.read);
  return head === undefined ? undefined : monitorKeys(await openSigningKeys({ db, root, clock }), head.origin).policy();
}

/** For the commands about one citizen. */
export async function loadCitizensContext(app: AppContext) {
  const { createVerificationExplainer } = await import('../identity/create-identity.ts');
  const { createServiceLookup } = await import('../notifications/notification/sending-service.ts');
  const clients = new Map((await allClients(app.db.read)).map((client) => [client.clientId, client]));
  const serviceOf = createServiceLookup(clients, app.settings.registerName);
  return {
    erase: async (citizenId: string, { commit, ...options }: WholeErasureOptions & Pick<AppContext, 'commit'>) => {
      const { eraseWholeCitizen, loadErasureDeps } = await import('./erasure.ts');
      return await eraseWholeCitizen({ ...(await loadErasureDeps(app)), commit }, citizenId, options);
    },
    hasOtherRegister: app.settings.registerUrl !== undefined,
    log: createLedgerContext(app).log,
    organisationOf: (clientId: string) => serviceOf(clientId).name,
    explanationOf: createVerificationExplainer(app),
  };
}

/** Notifies citizens that staff has removed their citizen lock. */
export async function loadLockNotice(app: AppContext): Promise<NonNullable<IdentityPorts['lockChangeNotice']>> {
  const { cascadeOf } = await import('../notifications/cascade/cascade-file.ts');
  const { createContactLookup, createNotices } = await import('../notifications/notices.ts');
  const { createContactDetails } = await import('../identity/register/contact-details.ts');
  const contactOf = createContactLookup(app, createContactDetails(app.register, app.settings));
  return createNotices({ ...app, contactOf, cascade: cascadeOf(app.settings, false) }).lockChanged;
}
