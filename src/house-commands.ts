import { userInfo } from 'node:os';
import type { LockRoom } from './cli/citizen-lock.ts';
import type { UsageRoom } from './cli/client-usage.ts';
import type { Command, Terminal } from './cli/command.ts';
import type { DocumentsRoom } from './cli/documents.ts';
import { operatorName } from './cli/operator-name.ts';
import type { RotationRoom } from './cli/rotate-root.ts';
import type { House } from './compose.ts';
import { rootKeyPath } from './first-root-key.ts';
import type { Read } from './store/db.ts';

/** Commands that are loaded when one of the words that they begin with is asked for. */
export type Family = { readonly words: readonly string[]; readonly load: () => Promise<readonly Command[]> };

/** Lends a house to one command: one opened for it and closed behind it, or that of a running server. */
export type UseHouse = <T>(use: (house: LentHouse) => Promise<T>) => Promise<T>;
export type LentHouse = House & { readonly isAlone: boolean };

/** The commands that work on an open house. */
export function houseFamilies(useHouse: UseHouse, terminal: Terminal): readonly Family[] {
  const lend = <T>(use: (room: LentHouse & { readonly read: Read; readonly operator: string }) => Promise<T>) =>
    useHouse(async (house) => await use({ ...house, read: house.db.read, operator: operator() }));
  const lendDocuments = <T>(use: (room: DocumentsRoom) => Promise<T>) =>
    useHouse(async (house) => await use(await documentsRoomOf(house)));
  const lendRotation = <T>(use: (room: RotationRoom) => Promise<T>) =>
    lend(async (room) => await use({ ...room, write: room.db.write, rootKeyPath: rootKeyPath(room.settings) }));
  const lendLock = <T>(use: (room: LockRoom) => Promise<T>) =>
    lend(async (room) => {
      const { lockTellerOf } = await import('./compose/lock-teller.ts');
      return await use({ ...room, tellOfLock: lockTellerOf(room) });
    });
  const lendUsage = <T>(use: (room: UsageRoom) => Promise<T>) =>
    lend(async (room) => await use({ ...room, knowsIds: room.settings.registerUrl === undefined }));
  const lendLedger = <T>(
    use: (room: Omit<LentHouse, 'log'> & LedgerRoom & { readonly operator: string }) => Promise<T>,
  ) => lend(async (house) => await use({ ...house, ...(await ledger()).ledgerRoomOf(house) }));
  const of = (word: string, load: Family['load']): Family => ({ words: [word], load });
  return [
    of('keys', async () => (await import('./cli/keys.ts')).keyCommands(lendRotation, terminal)),
    of('import', async () => (await import('./cli/import-citizens.ts')).importCommands(lend, terminal)),
    of('policies', async () => (await import('./cli/policies.ts')).policyCommands(lend, terminal)),
    of('citizens', async () => (await import('./cli/citizen-lock.ts')).lockCommands(lendLock, terminal)),
    of('webhooks', async () => (await import('./cli/webhooks.ts')).webhookCommands(lend, terminal)),
    of('letters', async () => (await import('./cli/letters.ts')).letterCommands(lend, terminal)),
    of('contacts', async () => (await import('./cli/contacts.ts')).contactCommands(lend, terminal)),
    of('clients', async () => (await import('./cli/clients.ts')).clientCommands(lend, terminal)),
    of('clients', async () => (await import('./cli/client-usage.ts')).usageCommands(lendUsage, terminal)),
    of('documents', async () => (await import('./cli/documents.ts')).documentCommands(lendDocuments, terminal)),
    of('documents', async () => (await import('./cli/documents-keeping.ts')).keepingCommands(lendDocuments, terminal)),
    {
      words: ['citizens', 'ledger'],
      load: async () =>
        (await import('./cli/citizens.ts')).citizenCommands(
          (use) =>
            lend(async (house) => {
              const { ports: documents } = await documentsRoomOf(house);
              return await use({ ...house, ...(await (await ledger()).citizensRoomOf(house)), documents });
            }),
          terminal,
        ),
    },
    of('ledger', async () => (await import('./cli/ledger.ts')).ledgerCommands(lendLedger, terminal)),
    of('ledger', async () => (await import('./cli/ledger-key.ts')).ledgerKeyCommands(lendLedger, terminal)),
  ];
}

/** All of them at once. */
export async function houseCommands(useHouse: UseHouse, terminal: Terminal): Promise<readonly Command[]> {
  return (await Promise.all(houseFamilies(useHouse, terminal).map(({ load }) => load()))).flat();
}

/** What the commands about documents work on. */
export async function documentsRoomOf(house: House): Promise<DocumentsRoom> {
  const { documentsRoom } = await import('./compose/documents.ts');
  return await documentsRoom(house, operator());
}

const ledger = () => import('./compose/ledger.ts');
type LedgerRoom = ReturnType<Awaited<ReturnType<typeof ledger>>['ledgerRoomOf']>;

/** Who runs a command, as the ledger will say. */
function operator(): string {
  return operatorName(userInfo, process.getuid?.());
}
