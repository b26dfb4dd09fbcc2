import { parseArgs } from 'node:util';
import { findClient } from '../auth/client-store.ts';
import { applyClientUpdate } from '../auth/client-update.ts';
import { parseRegistrationCertificate } from '../auth/registration-certificate.ts';
import { readArgumentFile } from './argument-file.ts';
import type { ClientsContext } from './client-flags.ts';
import { storeClientChange } from './client-update.ts';
import { type Command, CommandFailed, type ExitCode, type Terminal, UsageError, wrongArgument } from './command.ts';
import type { WithContext } from './command-context.ts';

const certificateFlag = '--registration-certificate';

const notes = `ID is the id of the client, as "clients list" prints it. PURPOSE is one of its purposes. The server sends the certificate with each request to a wallet for this purpose. "clients update --purposes" removes the certificates of purposes that are not in its list.`;

/** `clients purposes`. */
export function clientPurposesCommand(withContext: WithContext<ClientsContext>, terminal: Terminal): Command {
  return {
    name: 'clients purposes',
    usage: `clients purposes ID PURPOSE ${certificateFlag} FILE|none`,
    summary: 'Sets the registration certificate that wallets see for a purpose.',
    options: [
      {
        form: `${certificateFlag} FILE|none`,
        meaning:
          'A JWT of the national register of relying parties (ETSI TS 119 475) for this purpose. "none": removes it.',
      },
    ],
    notes,
    example: `clients purposes permits-1 residence-permit ${certificateFlag} permit.jwt`,
    run: async (args) => {
      const { values, positionals } = parseArgs({
        args,
        allowPositionals: true,
        options: { 'registration-certificate': { type: 'string' } },
      });
      const { 'registration-certificate': file } = values;
      const [clientId, purpose, ...others] = positionals;
      if (clientId === undefined || purpose === undefined || others.length > 0)
        throw wrongArgument('the id of one client and one of its purposes', positionals);
      if (file === undefined)
        throw new UsageError(`Expected ${certificateFlag} FILE or none, received no such option.`);
      const text = file === 'none' ? undefined : await readArgumentFile(terminal.cwd, file);
      return await withContext((context) => setCertificate(context, { clientId, purpose, file, text }, terminal));
    },
  };
}

type CertificateChange = {
  readonly clientId: string;
  readonly purpose: string;
  readonly file: string;
  /** Undefined removes the certificate. */
  readonly text: string | undefined;
};

async function setCertificate(
  context: ClientsContext,
  { clientId, purpose, file, text }: CertificateChange,
  terminal: Terminal,
): Promise<ExitCode> {
  const before = await findClient(context.read, clientId);
  if (before === undefined || before.disabledAt !== undefined)
    throw new CommandFailed(
      `There is no active client ${clientId}. For all clients, run "citizen-services clients list".`,
    );
  if (before.purposes?.includes(purpose) !== true)
    throw new UsageError(
      `Expected a purpose of ${clientId} (${before.purposes?.join(', ') ?? 'it has no list of purposes'}), received ${JSON.stringify(purpose)}. To add a purpose, run "citizen-services clients update ${clientId} --purposes a,b".`,
    );
  const parsed = text === undefined ? { jwt: undefined } : parseRegistrationCertificate(text, context.clock.now());
  if ('fault' in parsed) throw new UsageError(`${certificateFlag} ${file}: ${parsed.fault}`);
  const after = applyClientUpdate(before, { registrationCertificate: { purpose, jwt: parsed.jwt } });
  if ('fault' in after) throw new UsageError(after.fault);
  return await storeClientChange(context, { command: 'clients purposes', before, after }, terminal);
}
