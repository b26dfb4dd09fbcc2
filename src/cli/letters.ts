import { parseArgs } from 'node:util';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import { type DeliveryId, parseId } from '../kernel/id.ts';
import { applyLateReport } from '../notifications/delivery/apply-late-report.ts';
import { findDeliveries } from '../notifications/notification/delivery-store.ts';
import { type Command, type ExitCode, type Terminal, wrongArgument } from './command.ts';
import type { CommandContext, WithContext } from './command-context.ts';

/** The dependencies of the command. */
export type LettersContext = Omit<CommandContext, 'random'> & { readonly claim: WriteWithoutEvent };

/** The command `letters record-returned`. */
export function letterCommands(withContext: WithContext<LettersContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'letters record-returned',
      usage: 'letters record-returned ID...',
      summary: 'Records letters that the postal service returned, and notifies their senders.',
      notes: 'ID is the id on the letter (ntf_…), or the name of its files (dlv_….1).',
      example: 'letters record-returned ntf_01JD3Y9Z8Q6W2V5T4R7N0M1KXC',
      run: async (args) => {
        const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
        if (positionals.length === 0) throw wrongArgument('the ids of one or more letters', positionals);
        const wrong = positionals.find((text) => !isLetterName(text));
        if (wrong !== undefined)
          throw wrongArgument('ids on letters (ntf_…) or the names of their files (dlv_…)', [wrong]);
        return await withContext((context) => recordReturnedLetters(context, positionals, terminal));
      },
    },
  ];
}

function isLetterName(text: string): boolean {
  return parseId('notification', text) !== undefined || parseDeliveryName(text) !== undefined;
}

/** The delivery id in the file name of a letter, with or without the number of the attempt. */
function parseDeliveryName(text: string): DeliveryId | undefined {
  return parseId('delivery', text.replace(/(?:\.\d{1,6})?(?:\.pdf|\.json)?$/, ''));
}

async function recordReturnedLetters(
  context: LettersContext,
  texts: readonly string[],
  { stderr }: Terminal,
): Promise<ExitCode> {
  let code: ExitCode = 0;
  for (const text of texts) {
    const isNoted = await recordReturnedLetter(context, text);
    if (!isNoted) code = 1;
    stderr(
      isNoted
        ? `${text}: recorded as returned.\n`
        : `${text}: not recorded. No letter with this id was sent, or its return or arrival is already recorded.\n`,
    );
  }
  return code;
}

async function recordReturnedLetter(context: LettersContext, text: string): Promise<boolean> {
  const delivery = parseDeliveryName(text) ?? (await findSentLetter(context, text));
  if (delivery === undefined || !(await isLetter(context, delivery))) return false;
  const actor = { operator: context.operator };
  return await applyLateReport({ ...context, actor }, { delivery, ended: 'failed', reason: 'letter-returned' });
}

/** The newest letter of a notification. */
async function findSentLetter({ read }: LettersContext, text: string): Promise<DeliveryId | undefined> {
  const id = parseId('notification', text);
  const deliveries = id === undefined ? [] : await findDeliveries(read, id);
  return deliveries.findLast(({ channel, state }) => channel === 'letter' && state.status === 'sent')?.id;
}

async function isLetter({ read }: LettersContext, delivery: DeliveryId): Promise<boolean> {
  const rows = await read("select 1 as found from delivery where id = $1 and channel = 'letter' and status = 'sent'", [
    delivery,
  ]);
  return rows.length > 0;
}
