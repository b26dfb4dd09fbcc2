import { parseArgs } from 'node:util';
import { replaceSigningKeyStatements, rotatableUses } from '../auth/signing-key-store.ts';
import { readClockState } from '../jobs/clock-check.ts';
import { type Command, CommandFailed, type ExitCode, requireCaller, type Terminal, UsageError } from './command.ts';
import { eventHead, type WithContext } from './command-context.ts';
import {
  finishRotation,
  isRotationPending,
  prepareRotation,
  type RotationContext,
  rewrapAll,
} from './rotate-root-key.ts';

/** `keys rotate` and `keys rotate-root`. */
export function keyCommands(withContext: WithContext<RotationContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'keys rotate',
      usage: 'keys rotate access-token|result|evidence [--now]',
      summary:
        'Replaces a signing key while the server runs. The new key is published now and signs after ten minutes; the old key verifies for another day. Use --now for a leaked key: it withdraws the old key in every process within a minute, and callers need new tokens.',
      run: async (args) => {
        const options = { now: { type: 'boolean' } } as const;
        const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
        const use = rotatableUses.find((one) => positionals.length === 1 && one === positionals[0]);
        if (use === undefined) throw new UsageError(`name one of ${rotatableUses.join(', ')}`);
        return await withContext((context) => replaceSigningKey(context, use, values.now === true, terminal));
      },
    },
    {
      name: 'keys rotate-root',
      usage: 'keys rotate-root [--prepare | --finish] [--json]',
      summary:
        'Replaces the root key and wraps all keys with the new one, while the server runs. If it was interrupted, run it again to continue. --prepare only adds the new root key to the file, so that you can copy the file to other hosts; --finish removes the old root key from the file.',
      run: async (args) => {
        const flags = { prepare: { type: 'boolean' }, finish: { type: 'boolean' }, json: { type: 'boolean' } } as const;
        const { values } = parseArgs({ args, options: flags });
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
  const event = { type: 'signing-key.replaced', ...eventHead(context), use, kid, atOnce } as const;
  await context.commit({ events: [event], statements });
  const then =
    use === 'evidence'
      ? 'evidence that the old key signed no longer verifies with the published keys: retrieve it again'
      : 'what the old key signed is then refused';
  stderr(
    atOnce
      ? `${kid} signs for ${use} in every process within a minute; ${then}.\n`
      : `${kid} is published, and signs for ${use} after ten minutes; the old key verifies for another day.\n`,
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
    terminal.stderr(
      `${context.rootKeyPath} now contains root key ${to} and the previous one, ${from}. Keep a copy elsewhere.\n`,
    );
  } else if (prepareOnly) terminal.stderr('A rotation is already prepared.\n');
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
  const counts = `${rotated.citizenKeys} citizen keys (${perSecond} per second) and ${rotated.signingKeys} signing keys`;
  terminal.stderr(`${terminal.isInteractive ? '\r' : ''}Root key ${rotated.to} now wraps ${counts}.\n`);
  terminal.stderr(
    'When every host has the new file, remove the old root key: citizen-services keys rotate-root --finish\n',
  );
  return 0;
}

async function finishRootRotation(context: RotationContext, terminal: Terminal): Promise<ExitCode> {
  const done = await finishRotation(context);
  if ('left' in done)
    throw new CommandFailed(
      `${done.left} keys are still wrapped by the old root key; run: citizen-services keys rotate-root`,
    );
  terminal.stderr(`Root key ${done.from} was removed from the file. Earlier backups of the database still need it.\n`);
  return 0;
}
