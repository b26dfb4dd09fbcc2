import { parseArgs } from 'node:util';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import { isLetterName, recordReturnedLetter } from '../notifications/delivery/record-returned-letter.ts';
import { commitFromShell } from '../staff/commit-from-shell.ts';
import { type Command, type ExitCode, type Terminal, wrongArgument } from './command.ts';
import type { LoggedContext, WithContext } from './command-context.ts';

type LettersContext = LoggedContext & { readonly claim: WriteWithoutEvent };

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

async function recordReturnedLetters(
  context: LettersContext,
  texts: readonly string[],
  { stderr }: Terminal,
): Promise<ExitCode> {
  let code: ExitCode = 0;
  for (const text of texts) {
    const commit = commitFromShell(context, {
      operation: 'letters record-returned',
      reference: text,
      after: { returned: true },
    });
    const isNoted = await recordReturnedLetter({ ...context, commit, actor: { operator: context.operator } }, text);
    if (!isNoted) code = 1;
    stderr(
      isNoted
        ? `${text}: recorded as returned.\n`
        : `${text}: not recorded. No letter with this id was sent, or its return or arrival is already recorded.\n`,
    );
  }
  return code;
}
