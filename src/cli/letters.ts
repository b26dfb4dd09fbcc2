import { parseArgs } from 'node:util';
import type { Claim } from '../jobs/claim.ts';
import type { Clock } from '../kernel/clock.ts';
import { type DeliveryId, type Mint, parseId } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import { learnLate } from '../notifications/callbacks/learn-late.ts';
import { findDeliveries } from '../notifications/delivery/delivery-store.ts';
import type { Read } from '../store/db.ts';
import { type Command, type ExitCode, type Terminal, UsageError } from './command.ts';

/** What the command needs; `operator` is who runs it, as the ledger will say. */
export type LettersRoom = {
  readonly read: Read;
  readonly commit: Commit;
  readonly claim: Claim;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly operator: string;
};

const usage = 'letters returned ID...';

/** `letters returned`. */
export function letterCommands(
  openRoom: <T>(use: (room: LettersRoom) => Promise<T>) => Promise<T>,
  terminal: Terminal,
): readonly Command[] {
  return [
    {
      name: 'letters returned',
      usage,
      summary: 'Notes letters that the post brought back; their senders are told.',
      details: 'ID is what is printed on the letter (ntf_…), or the name of its files (dlv_….1).',
      run: async (args) => {
        const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
        if (positionals.length === 0) throw new UsageError(`name the letters: ${usage}`);
        const wrong = positionals.find((text) => !isNamed(text));
        if (wrong !== undefined)
          throw new UsageError(`${wrong} is no id of a letter: expected ntf_… as it is printed, or dlv_… of its files`);
        return await openRoom((room) => noteAll(room, positionals, terminal));
      },
    },
  ];
}

function isNamed(text: string): boolean {
  return parseId('notification', text) !== undefined || deliveryIn(text) !== undefined;
}

/** The delivery in the name of a letter's files, with the number of the attempt or without. */
function deliveryIn(text: string): DeliveryId | undefined {
  return parseId('delivery', text.replace(/(?:\.\d{1,6})?(?:\.pdf|\.json)?$/, ''));
}

async function noteAll(room: LettersRoom, texts: readonly string[], { stderr }: Terminal): Promise<ExitCode> {
  let code: ExitCode = 0;
  for (const text of texts) {
    const isNoted = await note(room, text);
    if (!isNoted) code = 1;
    stderr(
      isNoted
        ? `${text}: noted as returned.\n`
        : `${text}: nothing to note. No letter of it has gone out, or it is noted already, or known to have arrived.\n`,
    );
  }
  return code;
}

async function note(room: LettersRoom, text: string): Promise<boolean> {
  const delivery = deliveryIn(text) ?? (await letterOf(room, text));
  if (delivery === undefined || !(await isLetter(room, delivery))) return false;
  const actor = { operator: room.operator };
  return await learnLate({ ...room, actor }, { delivery, ended: 'failed', reason: 'letter-returned' });
}

/** The letter of a notification that went out last. */
async function letterOf({ read }: LettersRoom, text: string): Promise<DeliveryId | undefined> {
  const id = parseId('notification', text);
  const deliveries = id === undefined ? [] : await findDeliveries(read, id);
  return deliveries.findLast(({ channel, state }) => channel === 'letter' && state.status === 'sent')?.id;
}

async function isLetter({ read }: LettersRoom, delivery: DeliveryId): Promise<boolean> {
  const rows = await read("select 1 as found from delivery where id = $1 and channel = 'letter' and status = 'sent'", [
    delivery,
  ]);
  return rows.length > 0;
}
