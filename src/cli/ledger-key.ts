import { parseArgs } from 'node:util';
import { signingKeyReplacement } from '../access/signing-key-store.ts';
import { type Clock, type Random, toInstant } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import type { RootKey } from '../keys/root-key.ts';
import type { Commit } from '../ledger/commit.ts';
import type { NoteSigner } from '../ledger/note.ts';
import { type Command, demandNoArguments, type ExitCode, type Terminal, UsageError } from './command.ts';

/** A key that signs checkpoints now, and the instant at which it retires; undefined: it goes on until it is replaced. */
export type LogKey = NoteSigner & { readonly retireAt: number | undefined };

/** What the commands about the keys of the ledger need. */
export type LedgerKeyRoom = {
  readonly commit: Commit;
  readonly clock: Clock;
  readonly random: Random;
  readonly mint: Mint;
  readonly root: RootKey;
  readonly operator: string;
  /** The keys that sign now, under the name of this log, the newest first; undefined before its first start. */
  checkpointKeys(): Promise<readonly LogKey[] | undefined>;
};

export type OpenLedgerKeyRoom = <T>(use: (room: LedgerKeyRoom) => Promise<T>) => Promise<T>;

const dayMs = 86_400_000;
const usualOverlapDays = 90;
const mostOverlapDays = 3_650;

/** `ledger key` and `ledger rotate-key`. */
export function ledgerKeyCommands(openRoom: OpenLedgerKeyRoom, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'ledger key',
      usage: 'ledger key',
      summary: 'Prints the public keys of the log, one a line, the newest first, for whoever is to verify it.',
      run: async (args) => {
        demandNoArguments(args);
        return await openRoom((room) => printKeys(room, terminal));
      },
    },
    {
      name: 'ledger rotate-key',
      usage: 'ledger rotate-key [--overlap-days N | --now]',
      summary: `Makes a new key of the log: both sign every checkpoint for ${usualOverlapDays} days, so that whoever verifies has time to take the new one. --now, for a key that others may have, ends the old one at once.`,
      run: async (args) => {
        const options = { 'overlap-days': { type: 'string' }, now: { type: 'boolean' } } as const;
        const { values } = parseArgs({ args: [...args], options });
        if (values.now === true && values['overlap-days'] !== undefined)
          throw new UsageError('choose --overlap-days or --now');
        const written = values['overlap-days'] ?? String(usualOverlapDays);
        const days = Number(written);
        if (!/^\d{1,5}$/.test(written) || days < 1 || days > mostOverlapDays)
          throw new UsageError(`--overlap-days is a number from 1 to ${mostOverlapDays}`);
        return await openRoom((room) => rotate(room, values.now === true ? 0 : days * dayMs, terminal));
      },
    },
  ];
}

async function printKeys(room: LedgerKeyRoom, terminal: Terminal): Promise<ExitCode> {
  const keys = await room.checkpointKeys();
  if (keys === undefined) {
    terminal.stderr('The log has not begun: start the server once.\n');
    return 1;
  }
  for (const { vkey, keyId, retireAt } of keys) {
    terminal.stdout(`${vkey}\n`);
    if (retireAt !== undefined) terminal.stderr(`${keyId} signs until ${toInstant(retireAt)}.\n`);
  }
  return 0;
}

async function rotate(room: LedgerKeyRoom, overlapMs: number, terminal: Terminal): Promise<ExitCode> {
  const replacement = { use: 'checkpoint', atOnce: overlapMs === 0, overlapMs } as const;
  const { kid, statements } = signingKeyReplacement(room, replacement, room.random);
  const head = { id: room.mint('event'), at: room.clock.now(), actor: { operator: room.operator } };
  const event = { type: 'signing-key.replaced', ...head, use: 'checkpoint', kid, atOnce: overlapMs === 0 } as const;
  await room.commit({ events: [event], statements });
  terminal.stderr(
    overlapMs === 0
      ? 'Within a minute the new key signs alone. Tell everybody who verifies this log: they must take it now.\n'
      : `Within a minute both keys sign. Tell everybody who verifies this log, witnesses first, before ${toInstant(head.at + overlapMs)}.\n`,
  );
  return await printKeys(room, terminal);
}
