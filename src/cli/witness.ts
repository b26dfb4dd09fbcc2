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
import { type Command, CommandFailed, type ExitCode, messageOf, type Terminal, wrongOption } from './command.ts';

/** The dependencies of the command. The witness ends when `stopped` resolves. */
type WitnessCommandDeps = {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly stopped: Promise<unknown>;
};

const options: Command['options'] = [
  {
    form: '--data FOLDER',
    meaning: 'The folder for the key of the witness and the last checkpoint of each ledger. Required.',
  },
  {
    form: '--name NAME',
    meaning: 'The name of the witness, such as witness.city.example. Required at the first start.',
  },
  {
    form: '--log VKEY',
    meaning:
      'The public key of a ledger, as "ledger key" of that installation prints it. Required. You can repeat the option.',
  },
  { form: '--ml-dsa', meaning: 'Creates an ML-DSA-44 key at the first start, instead of an Ed25519 key.' },
  { form: '--host H', meaning: 'The address to listen on.', defaultValue: '127.0.0.1' },
  { form: '--port N', meaning: 'The port to listen on.', defaultValue: '8050' },
];

const notes = `It cosigns a checkpoint of another ledger only if the ledger has grown from the checkpoint before. So nobody can be shown a second history. Two installations can watch each other.`;

/** The command `witness`, which runs until it is stopped. The dependencies are created after the arguments are parsed. */
export function witnessCommand(terminal: Terminal, deps: () => WitnessCommandDeps): Command {
  return {
    name: 'witness',
    usage: 'witness --data FOLDER --name NAME --log VKEY [--log VKEY] [--ml-dsa] [--host H] [--port N]',
    summary: 'Runs a witness for the ledgers of other installations.',
    options,
    notes,
    example: 'witness --data witness --name witness.city.example --log VKEY',
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
      if (data === undefined) throw wrongOption('--data', 'a folder', undefined);
      if (log.length === 0) throw wrongOption('--log', 'the public key of a ledger', undefined);
      if (!isPort(port)) throw wrongOption('--port', 'a port number from 0 to 65535', port);
      const logs = log.map(parseLogKey);
      const { clock, random, stopped } = deps();
      const folder = resolve(terminal.cwd, data);
      const signer = await openWitnessKey(folder, { name, mlDsa: values['ml-dsa'] === true, random });
      const witness = await createWitness({ signer, logs, folder: join(folder, 'logs'), clock });
      const onFault = (fault: unknown) => terminal.stderr(`${messageOf(fault)}\n`);
      const served = await serveWitness(witness, { host, port: Number(port), onFault });
      terminal.stdout(`witness ${signer.name.replaceAll(/[^\w.-]/g, '-')} ${signer.vkey} ${served.url}\n`);
      terminal.stderr(
        'Add this line to the policy file of the ledger (LEDGER_WITNESSES). Replace the address with one that its server can reach.\n',
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
  if (key === undefined) throw wrongOption('--log', 'the public key of a ledger (name+id+key)', text);
  return key;
}

type WitnessKeyOptions = { readonly name: string | undefined; readonly mlDsa: boolean; readonly random: RandomBytes };

async function openWitnessKey(folder: string, { name, mlDsa, random }: WitnessKeyOptions): Promise<NoteSigner> {
  const path = join(folder, 'witness.key');
  if (!existsSync(path)) {
    if (name === undefined || !isKeyName(name))
      throw wrongOption('--name', 'a name without spaces and plus signs at the first start', name);
    await createSyncedFolder(folder);
    const type = mlDsa ? signatureTypes.mlDsaCosignature : signatureTypes.cosignature;
    writeFileSync(path, `${formatSignerKey(type, name, random(32))}\n`, { mode: 0o600, flag: 'wx', flush: true });
  }
  const signer = parseSignerKey(readFileSync(path, 'utf8').trim());
  if (signer === undefined)
    throw new CommandFailed(
      `Expected the key of a witness in ${path}, found another content. Use another --data folder.`,
    );
  return signer;
}
