import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createSyncedFolder } from '../db/sync-folder.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { isKeyName, type NoteSigner } from '../ledger/tlog/note.ts';
import {
  formatSignerKey,
  parseSignerKey,
  parseVkey,
  signatureTypes,
  type VerifierKey,
} from '../ledger/tlog/note-key.ts';
import { createWitness } from '../ledger/witness.ts';
import { serveWitness } from '../ledger/witness-server.ts';
import { type Command, CommandFailed, type ExitCode, messageOf, type Terminal, UsageError } from './command.ts';

/** The dependencies of the command. The witness ends when `stopped` resolves. */
export type WitnessCommandDeps = {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly stopped: Promise<unknown>;
};

const details = `Watches other logs: it cosigns a checkpoint only if the log grew from the one before, so that nobody can be shown
a second history. Two installations can watch each other.

  --data FOLDER  Where its key (made at the first start) and the last checkpoint of each log are kept.
  --name NAME    Its name at the first start, such as witness.city.example.
  --log VKEY     The public key of a log, as that log's \`ledger key\` prints it. Can be repeated.
  --ml-dsa       Makes an ML-DSA-44 key at the first start, instead of Ed25519.
  --host, --port Where it listens; default 127.0.0.1 and 8050.`;

/** The command `witness`, which runs until it is stopped. The dependencies are created after the arguments are parsed. */
export function witnessCommand(terminal: Terminal, deps: () => WitnessCommandDeps): Command {
  return {
    name: 'witness',
    usage: 'witness --data FOLDER --name NAME --log VKEY [--log VKEY] [--ml-dsa] [--host H] [--port N]',
    summary: 'Runs a witness for the ledgers of other installations.',
    details,
    run: async (args) => {
      const { values } = parseArgs({
        args,
        options: {
          data: { type: 'string' },
          name: { type: 'string' },
          log: { type: 'string', multiple: true },
          'ml-dsa': { type: 'boolean' },
          host: { type: 'string', default: '127.0.0.1' },
          port: { type: 'string', default: '8050' },
        },
      });
      const { data, name, log = [], host, port } = values;
      if (data === undefined || log.length === 0 || !isPort(port)) {
        throw new UsageError('--data, at least one --log, and a port number are needed');
      }
      const logs = log.map(parseLogKey);
      const { clock, random, stopped } = deps();
      const folder = resolve(terminal.cwd, data);
      const signer = await openWitnessKey(folder, { name, mlDsa: values['ml-dsa'] === true, random });
      const witness = await createWitness({ signer, logs, folder: join(folder, 'logs'), clock });
      const onFault = (fault: unknown) => terminal.stderr(`${messageOf(fault)}\n`);
      const served = await serveWitness(witness, { host, port: Number(port), onFault });
      terminal.stdout(`witness ${signer.name.replaceAll(/[^\w.-]/g, '-')} ${signer.vkey} ${served.url}\n`);
      terminal.stderr(
        'That line goes into the policy file of the log (LEDGER_WITNESSES), with the address that it can reach.\n',
      );
      await stopped;
      await served.close();
      return 0 satisfies ExitCode;
    },
  };
}

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535;

function parseLogKey(text: string): VerifierKey {
  const key = parseVkey(text);
  if (key === undefined) throw new UsageError(`--log ${text} is no public key of a log`);
  return key;
}

type WitnessKeyOptions = { readonly name: string | undefined; readonly mlDsa: boolean; readonly random: RandomBytes };

async function openWitnessKey(folder: string, { name, mlDsa, random }: WitnessKeyOptions): Promise<NoteSigner> {
  const path = join(folder, 'witness.key');
  if (!existsSync(path)) {
    if (name === undefined || !isKeyName(name))
      throw new UsageError('--name is needed at the first start, without blanks');
    await createSyncedFolder(folder);
    const type = mlDsa ? signatureTypes.mlDsaCosignature : signatureTypes.cosignature;
    writeFileSync(path, `${formatSignerKey(type, name, random(32))}\n`, { mode: 0o600, flag: 'wx', flush: true });
  }
  const signer = parseSignerKey(readFileSync(path, 'utf8').trim());
  if (signer === undefined) throw new CommandFailed(`${path} does not contain the key of a witness`);
  return signer;
}
