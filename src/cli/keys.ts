import { parseArgs } from 'node:util';
import { replaceSigningKeyStatements, rotatableUses } from '../auth/signing-key-store.ts';
import { readClockState } from '../jobs/clock-check.ts';
import {
  type Command,
  CommandFailed,
  type ExitCode,
  jsonOption,
  requireCaller,
  type Terminal,
  UsageError,
} from './command.ts';
import { eventHead, type WithContext } from './command-context.ts';
import {
  finishRotation,
  isRotationPending,
  prepareRotation,
  type RotationContext,
  rewrapAll,
} from './rotate-root-key.ts';

type RotatableUse = (typeof rotatableUses)[number];

/** The data that the key of each use signs, and the effect of `--now`. */
const signatures: Readonly<Record<RotatableUse, { readonly over: string; readonly afterNow: string }>> = {
  'access-token': { over: 'access tokens', afterNow: 'Clients then need new tokens.' },
  result: { over: 'verification results', afterNow: 'Results that the old key signed are then refused.' },
  evidence: {
    over: 'the evidence of notifications',
    afterNow: 'Evidence that the old key signed then no longer verifies with the published keys: retrieve it again.',
  },
};

/** `keys rotate` for each kind of signing key, except the ledger key, and for the root key. */
export function keyCommands(withContext: WithContext<RotationContext>, terminal: Terminal): readonly Command[] {
  const signingKeys = rotatableUses.map(
    (use): Command => ({
      name: `keys rotate ${use}`,
      usage: `keys rotate ${use} [--now]`,
      summary: `Replaces the key that signs ${signatures[use].over}.`,
      options: [
        {
          form: '--now',
          meaning: `For a leaked key: withdraws the old key in every process within a minute. ${signatures[use].afterNow}`,
        },
      ],
      notes:
        'The server can run meanwhile. The new key is published at once and signs after ten minutes. The old key verifies for one more day, unless you use --now.',
      run: async (args) => {
        const { values } = parseArgs({ args, options: { now: { type: 'boolean' } } });
        return await withContext((context) => replaceSigningKey(context, use, values.now === true, terminal));
      },
    }),
  );
  return [...signingKeys, rootKeyCommand(withContext, terminal)];
}

function rootKeyCommand(withContext: WithContext<RotationContext>, terminal: Terminal): Command {
  return {
    name: 'keys rotate root',
    usage: 'keys rotate root [--prepare | --finish] [--json]',
    summary: 'Replaces the root key, and encrypts all data keys with the new one.',
    options: [
      {
        form: '--prepare',
        meaning: 'Only adds the new root key to the file, so that you can copy the file to other hosts.',
      },
      { form: '--finish', meaning: 'Removes the old root key from the file.' },
      jsonOption,
    ],
    notes:
      'The server can run meanwhile. If the command was interrupted, run it again to continue. When every host has the new file, use --finish.',
    run: async (args) => {
      const flags = { prepare: { type: 'boolean' }, finish: { type: 'boolean' }, json: { type: 'boolean' } } as const;
      const { values } = parseArgs({ args, options: flags });
      if (values.prepare === true && values.finish === true)
        throw new UsageError('Expected --prepare or --finish, received both.');
      return await withContext((context) => {
        if (values.finish === true) return finishRootRotation(context, terminal);
        return rotateRootKey(context, { prepareOnly: values.prepare === true, json: values.json === true }, terminal);
      });
    },
  };
}

async function replaceSigningKey(
  context: RotationContext,
  use: RotatableUse,
  atOnce: boolean,
  { stderr }: Terminal,
): Promise<ExitCode> {
  // While the clock may be ahead, keys that it shows as retired can be in force again later.
  const leaptFrom = atOnce ? (await readClockState(context.read))?.jump?.from : undefined;
  const { kid, statements } = replaceSigningKeyStatements(context, { use, atOnce, leaptFrom }, context.random);
  const event = { type: 'signing-key.replaced', ...eventHead(context), use, kid, atOnce } as const;
  await context.commit({ events: [event], statements });
  const { over, afterNow } = signatures[use];
  stderr(
    atOnce
      ? `The new key ${kid} signs ${over} in every process within a minute. ${afterNow}\n`
      : `The new key ${kid} is published, and signs ${over} after ten minutes. The old key verifies for one more day.\n`,
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
      `${context.rootKeyPath} now contains the new root key ${to} and the old root key ${from}. Keep a copy on another machine.\n`,
    );
  } else if (prepareOnly) terminal.stderr('The new root key is already in the file.\n');
  if (prepareOnly) {
    terminal.stderr(
      'Copy the file to every host of this installation. Then run "citizen-services keys rotate root".\n',
    );
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
  terminal.stderr(`${terminal.isInteractive ? '\r' : ''}Root key ${rotated.to} now encrypts ${counts}.\n`);
  terminal.stderr(
    'When every host has the new file, remove the old root key with "citizen-services keys rotate root --finish".\n',
  );
  return 0;
}

async function finishRootRotation(context: RotationContext, terminal: Terminal): Promise<ExitCode> {
  const done = await finishRotation(context);
  if ('left' in done)
    throw new CommandFailed(
      `Expected that the new root key encrypts all keys, but the old one still encrypts ${done.left} keys. Run "citizen-services keys rotate root".`,
    );
  terminal.stderr(
    `The old root key ${done.from} is removed from the file. Earlier backups of the database still need it.\n`,
  );
  return 0;
}
