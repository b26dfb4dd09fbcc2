import { parseArgs } from 'node:util';
import { replaceSigningKeyStatements, rotatableUses } from '../auth/signing-key-store.ts';
import { readClockState } from '../jobs/clock-check.ts';
import { type Command, type ExitCode, requireCaller, type Terminal, UsageError } from './command.ts';
import {
  finishRotation,
  isRotationPending,
  prepareRotation,
  type RotationContext,
  rewrapAll,
} from './rotate-root-key.ts';

/** A house that is opened for one command, and closed behind it. */
export type WithRotationContext = <T>(use: (context: RotationContext) => Promise<T>) => Promise<T>;

/** `keys rotate` and `keys rotate-root`. */
export function keyCommands(withContext: WithRotationContext, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'keys rotate',
      usage: 'keys rotate access-token|result|evidence [--now]',
      summary:
        'Replaces a signing key while the server runs: the new one is published now and signs after ten minutes, the old one verifies for another day. --now, for a key that others may have, withdraws the old one: every process follows within a minute, and callers need new tokens.',
      run: async (args) => {
        const options = { now: { type: 'boolean' } } as const;
        const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
        const use = rotatableUses.find((one) => positionals.length === 1 && one === positionals[0]);
        if (use === undefined) throw new UsageError(`name one of ${rotatableUses.join(', ')}`);
        return await withContext((context) => replaceSigningKey(context, use, values.now === true, terminal));
      },
    },
    {
      name: 'keys rotate-root',
      usage: 'keys rotate-root [--prepare | --finish] [--json]',
      summary:
        'Puts a new root key in the place of the old one and wraps all keys anew, while the server runs; run again, it goes on where it was stopped. --prepare stops before the wrapping, so that the file can be copied to other hosts; --finish takes the old root out of the file.',
      run: async (args) => {
        const flags = { prepare: { type: 'boolean' }, finish: { type: 'boolean' }, json: { type: 'boolean' } } as const;
        const { values } = parseArgs({ args: [...args], options: flags });
        if (values.prepare === true && values.finish === true) throw new UsageError('choose --prepare or --finish');
        return await withContext((context) => {
          if (values.finish === true) return finishRootRotation(context, terminal);
          return rotateRootKey(context, { prepareOnly: values.prepare === true, json: values.json === true }, terminal);
        });
      },
    },
  ];
}

async function replaceSigningKey(
  context: RotationContext,
  use: (typeof rotatableUses)[number],
  atOnce: boolean,
  { stderr }: Terminal,
): Promise<ExitCode> {
  // While the clock may be ahead, keys that it shows as retired can be in force again later.
  const leaptFrom = atOnce ? (await readClockState(context.read))?.jump?.from : undefined;
  const { kid, statements } = replaceSigningKeyStatements(context, { use, atOnce, leaptFrom }, context.random);
  const head = { id: context.mint('event'), at: context.clock.now(), actor: { operator: context.operator } };
  await context.commit({ events: [{ type: 'signing-key.replaced', ...head, use, kid, atOnce }], statements });
  const then =
    use === 'evidence'
      ? 'evidence that the old key signed verifies with the published keys no more, and has to be read anew'
      : 'what the old key signed is refused then';
  stderr(
    atOnce
      ? `${kid} signs for ${use} in every process within a minute; ${then}.\n`
      : `${kid} is published, and signs for ${use} from ten minutes on; the old key verifies for another day.\n`,
  );
  return 0;
}

async function rotateRootKey(
  context: RotationContext,
  { prepareOnly, json }: { readonly prepareOnly: boolean; readonly json: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  if (!isRotationPending(context.rootKeyPath)) {
    const { from, to } = await prepareRotation(context);
    terminal.stderr(`${context.rootKeyPath} now holds root key ${to}, and ${from} beside it. Keep a copy elsewhere.\n`);
  } else if (prepareOnly) terminal.stderr('A rotation is prepared already.\n');
  if (prepareOnly) {
    terminal.stderr('Copy the file to every host of this installation, then run: citizen-services keys rotate-root\n');
    return 0;
  }
  const startedAt = context.clock.now();
  const rotated = await rewrapAll(context, (done) => {
    requireCaller(terminal);
    if (terminal.isInteractive) terminal.stderr(`\r${done} citizen keys`);
  });
  const seconds = Math.max(context.clock.now() - startedAt, 1) / 1_000;
  const perSecond = Math.round(rotated.citizenKeys / seconds);
  if (json) terminal.stdout(`${JSON.stringify({ ...rotated, seconds, perSecond })}\n`);
  const counts = `${rotated.citizenKeys} citizen keys (${perSecond} a second) and ${rotated.signingKeys} signing keys`;
  terminal.stderr(`${terminal.isInteractive ? '\r' : ''}Root key ${rotated.to} wraps ${counts} anew.\n`);
  terminal.stderr(
    'When every host has the new file, take the old root out: citizen-services keys rotate-root --finish\n',
  );
  return 0;
}

async function finishRootRotation(context: RotationContext, terminal: Terminal): Promise<ExitCode> {
  const done = await finishRotation(context);
  if ('left' in done) {
    terminal.stderr(`${done.left} keys are still wrapped by the old root; run: citizen-services keys rotate-root\n`);
    return 1;
  }
  terminal.stderr(`Root key ${done.from} is out of the file. Backups of the database from before still need it.\n`);
  return 0;
}
