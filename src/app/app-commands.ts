import type { LockContext } from '../cli/citizen-lock.ts';
import type { UsageContext } from '../cli/client-usage.ts';
import type { Command, Terminal } from '../cli/command.ts';
import type { DocumentsContext } from '../cli/documents.ts';
import type { RotationContext } from '../cli/rotate-root-key.ts';
import type { Read } from '../db/database.ts';
import type { AppContext } from './app-context.ts';
import { rootKeyPath } from './first-root-key.ts';

/** Commands that start with one of `words`. They are loaded only if the command line starts with one of them too. */
export type CommandFamily = { readonly words: readonly string[]; readonly load: () => Promise<readonly Command[]> };

/** Calls a command with an app context: that of a running server, or one that is opened for it and closed afterwards. */
export type UseApp = <T>(use: (app: CommandApp) => Promise<T>) => Promise<T>;
type CommandApp = AppContext & { readonly isAlone: boolean };

/** The commands that need an app context. */
export function appCommandFamilies(useApp: UseApp, terminal: Terminal): readonly CommandFamily[] {
  const withContext = <T>(
    use: (context: CommandApp & { readonly read: Read; readonly operator: string }) => Promise<T>,
  ) =>
    useApp(async (app) => await use({ ...app, read: app.db.read, operator: (await loadContexts()).currentOperator() }));
  const withDocuments = <T>(use: (context: DocumentsContext & Pick<AppContext, 'root' | 'random'>) => Promise<T>) =>
    useApp(async (app) => await use(await (await loadContexts()).loadDocumentsContext(app)));
  const withRotation = <T>(use: (context: RotationContext) => Promise<T>) =>
    withContext(
      async (context) => await use({ ...context, write: context.db.write, rootKeyPath: rootKeyPath(context.settings) }),
    );
  const withLock = <T>(use: (context: LockContext) => Promise<T>) =>
    withContext(async (context) => {
      const notifyLockChange = await (await loadContexts()).loadLockNotice(context);
      return await use({ ...context, notifyLockChange });
    });
  const withUsage = <T>(use: (context: UsageContext) => Promise<T>) =>
    withContext(
      async (context) => await use({ ...context, hasOwnRegister: context.settings.registerUrl === undefined }),
    );
  const withLedger = <T>(
    use: (context: Omit<CommandApp, 'log'> & LedgerContext & { readonly operator: string }) => Promise<T>,
  ) => withContext(async (app) => await use({ ...app, ...(await loadContexts()).createLedgerContext(app) }));
  const of = (words: string, load: CommandFamily['load']): CommandFamily => ({ words: words.split(' '), load });
  return [
    of('keys', async () => (await import('../cli/keys.ts')).keyCommands(withRotation, terminal)),
    of('citizens', async () => (await import('../cli/import-citizens.ts')).importCommands(withContext, terminal)),
    of('policies', async () => (await import('../cli/policies.ts')).policyCommands(withContext, terminal)),
    of('citizens', async () => (await import('../cli/citizen-lock.ts')).lockCommands(withLock, terminal)),
    of('webhooks', async () => (await import('../cli/webhooks.ts')).webhookCommands(withContext, terminal)),
    of('backup', async () => (await import('../cli/backup-record.ts')).backupRecordCommands(withContext, terminal)),
    of('clock', async () => (await import('../cli/clock.ts')).clockCommands(withContext, terminal)),
    of('letters', async () => (await import('../cli/letters.ts')).letterCommands(withContext, terminal)),
    of('contacts', async () => (await import('../cli/contacts.ts')).contactCommands(withContext, terminal)),
    of('clients', async () => (await import('../cli/clients.ts')).clientCommands(withContext, terminal)),
    of('clients', async () => (await import('../cli/client-usage.ts')).usageCommands(withUsage, terminal)),
    of('documents', async () => (await import('../cli/documents.ts')).documentCommands(withDocuments, terminal)),
    of('documents', async () => (await import('../cli/documents-show.ts')).documentShowCommands(withContext, terminal)),
    of('notifications', async () =>
      (await import('../cli/notifications.ts')).notificationCommands(withContext, terminal),
    ),
    of('holds retention-classes', async () =>
      (await import('../cli/documents-retention.ts')).retentionCommands(withDocuments, terminal),
    ),
    {
      words: ['citizens', 'ledger'],
      load: async () =>
        (await import('../cli/citizens.ts')).citizenCommands(
          (use) =>
            withContext(async (app) => {
              const { loadCitizensContext } = await loadContexts();
              return await use({ ...app, ...(await loadCitizensContext(app)) });
            }),
          terminal,
        ),
    },
    of('ledger', async () => (await import('../cli/ledger.ts')).ledgerCommands(withLedger, terminal)),
    of('ledger keys', async () => (await import('../cli/ledger-key.ts')).ledgerKeyCommands(withLedger, terminal)),
  ];
}

/** Loads all of them, for a running server. */
export async function appCommands(useApp: UseApp, terminal: Terminal): Promise<readonly Command[]> {
  return (await Promise.all(appCommandFamilies(useApp, terminal).map(({ load }) => load()))).flat();
}

const loadContexts = () => import('./command-contexts.ts');
type LedgerContext = ReturnType<Awaited<ReturnType<typeof loadContexts>>['createLedgerContext']>;
