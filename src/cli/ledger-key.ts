import { parseArgs } from 'node:util';
import { replaceSigningKeyStatements } from '../auth/signing-key-store.ts';
import type { RootKey } from '../crypto/root-key.ts';
import { formatInstant } from '../kernel/clock.ts';
import type { NoteSigner } from '../ledger/tlog/note.ts';
import {
  type Command,
  CommandFailed,
  type ExitCode,
  requireNoArguments,
  type Terminal,
  UsageError,
  wrongOption,
} from './command.ts';
import { type CommandContext, eventHead, type WithContext } from './command-context.ts';

/** A key that signs checkpoints. `retireAt` is in epoch ms; undefined if it signs until it is replaced. */
type LogSigner = NoteSigner & { readonly retireAt: number | undefined };

type LedgerKeyContext = Omit<CommandContext, 'read'> & {
  readonly root: RootKey;
  /** The keys that sign now, newest first; undefined before the first start. */
  checkpointKeys(): Promise<readonly LogSigner[] | undefined>;
};

const dayMs = 86_400_000;
const defaultOverlapDays = 90;
const maxOverlapDays = 3_650;

/** `ledger key` and `keys rotate ledger`. */
export function ledgerKeyCommands(withContext: WithContext<LedgerKeyContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'ledger key',
      usage: 'ledger key',
      summary: 'Prints the public keys that verify the ledger, one per line, newest first.',
      run: async (args) => {
        requireNoArguments(args);
        return await withContext((context) => printKeys(context, terminal));
      },
    },
    {
      name: 'keys rotate ledger',
      usage: 'keys rotate ledger [--overlap-days N | --now]',
      summary: 'Replaces the key that signs the ledger.',
      options: [
        {
          form: '--overlap-days N',
          meaning: 'The number of days in which both keys sign every checkpoint.',
          defaultValue: String(defaultOverlapDays),
        },
        { form: '--now', meaning: 'For a leaked key: the old key stops signing within a minute.' },
      ],
      notes:
        'Both keys sign for some time, so that verifiers can switch. It prints the public keys as "ledger key" does. Send the new key to everybody who verifies this ledger.',
      run: async (args) => {
        const options = { 'overlap-days': { type: 'string' }, now: { type: 'boolean' } } as const;
        const { values } = parseArgs({ args, options });
        if (values.now === true && values['overlap-days'] !== undefined)
          throw new UsageError('Expected --overlap-days or --now, received both.');
        const text = values['overlap-days'] ?? String(defaultOverlapDays);
        const days = Number(text);
        if (!/^\d{1,5}$/.test(text) || days < 1 || days > maxOverlapDays)
          throw wrongOption('--overlap-days', `a whole number from 1 to ${maxOverlapDays}`, text);
        return await withContext((context) => rotateLogKey(context, values.now === true ? 0 : days * dayMs, terminal));
      },
    },
  ];
}

async function printKeys(context: LedgerKeyContext, terminal: Terminal): Promise<ExitCode> {
  const keys = await context.checkpointKeys();
  if (keys === undefined)
    throw new CommandFailed('Expected a ledger with a key, found an empty one. Start the server once.');
  for (const { vkey, keyId, retireAt } of keys) {
    terminal.stdout(`${vkey}\n`);
    if (retireAt !== undefined) terminal.stderr(`${keyId} signs until ${formatInstant(retireAt)}.\n`);
  }
  return 0;
}

async function rotateLogKey(context: LedgerKeyContext, overlapMs: number, terminal: Terminal): Promise<ExitCode> {
  const replacement = { use: 'checkpoint', atOnce: overlapMs === 0, overlapMs } as const;
  const { kid, statements } = replaceSigningKeyStatements(context, replacement, context.random);
  const head = eventHead(context);
  const event = { type: 'signing-key.replaced', ...head, use: 'checkpoint', kid, atOnce: overlapMs === 0 } as const;
  await context.commit({ events: [event], statements });
  terminal.stderr(
    overlapMs === 0
      ? 'Within a minute, only the new key signs. Tell everybody who verifies this ledger to use the new key now.\n'
      : `Within a minute, both keys sign. Send the new key to everybody who verifies this ledger, witnesses first, before ${formatInstant(head.at + overlapMs)}.\n`,
  );
  return await printKeys(context, terminal);
}
