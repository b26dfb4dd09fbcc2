import { parseArgs } from 'node:util';
import type { Client } from '../auth/client.ts';
import { insertAddedCredentials } from '../auth/client-credential-store.ts';
import { changedParts, findClient, updateClientRow } from '../auth/client-store.ts';
import { applyClientUpdate, type ClientUpdate } from '../auth/client-update.ts';
import { commitFromShell } from '../staff/commit-from-shell.ts';
import {
  type ClientsContext,
  clientFlags,
  parseClientFlags,
  parseCredentialFlags,
  parseScopes,
  requirePolicy,
  requirePublicJwksUri,
} from './client-flags.ts';
import { messageFlagsUsage, messageOptions } from './client-message-flags.ts';
import { type Command, CommandFailed, type ExitCode, singlePositional, type Terminal, UsageError } from './command.ts';
import { commitIfUnchanged, eventHead, type LoggedContext, type WithContext } from './command-context.ts';
import { printableClient } from './printable-client.ts';

const options: Command['options'] = [
  { form: '--name TEXT', meaning: 'The name that citizens see.' },
  {
    form: '--scopes a,b',
    meaning: 'The permissions of the client. A removed scope ends within a minute, also for existing tokens.',
  },
  {
    form: '--purposes a,b|any',
    meaning:
      'Each request must state one of these purposes. "any": the client needs no purpose. a=TEXT and a@de=TEXT set the text that citizens read instead of a.',
  },
  { form: '--legal-bases a,b|any', meaning: 'The same for legal bases.' },
  { form: '--policy NAME|none', meaning: 'The policy for its verifications. "none": VERIFY_POLICY.' },
  {
    form: '--return-address TEXT|none',
    meaning:
      'The address for undeliverable letters, in letters that are printed from now on. "none": LETTER_RETURN_ADDRESS.',
  },
  ...messageOptions,
  { form: '--quota N', meaning: 'Requests per second for each scope.' },
  { form: '--jwks FILE', meaning: 'New public keys for a client that already uses keys.' },
  { form: '--jwks-uri URL', meaning: 'An https URL with the public keys, for a client that already uses keys.' },
  {
    form: '--certificate FILE|dns:NAME',
    meaning: 'A new certificate, or a name in one, for a client that already uses a certificate.',
  },
];

const notes = `ID is the id of the client, as "clients list" prints it. Only the given values change. A list replaces the list of the client. The change takes effect within a minute. After a change of keys or certificate, the client gets no more tokens with the previous ones.`;

/** `clients update`. */
export function clientUpdateCommand(withContext: WithContext<ClientsContext>, terminal: Terminal): Command {
  return {
    name: 'clients update',
    usage:
      'clients update ID [--name TEXT] [--scopes a,b] [--purposes a,b|any] [--legal-bases a,b|any] [--policy NAME|none] [--return-address TEXT|none] ' +
      `${messageFlagsUsage} ` +
      '[--quota N] [--jwks FILE | --jwks-uri URL | --certificate FILE|dns:NAME]',
    summary: 'Changes the scopes, the keys or other values of a client.',
    options,
    notes,
    example: 'clients update tax-office-1 --quota 200',
    run: async (args) => {
      const { clientId, update } = await parseUpdateFlags(args, terminal.cwd);
      return await withContext(async (context) => {
        requirePublicJwksUri(context, update.credential);
        await requirePolicy(context.read, update.policy ?? undefined);
        return await updateClient(context, clientId, update, terminal);
      });
    },
  };
}

async function parseUpdateFlags(
  args: readonly string[],
  cwd: string,
): Promise<{ clientId: string; update: ClientUpdate }> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { name: { type: 'string' }, ...clientFlags },
  });
  const clientId = singlePositional(positionals, 'the id of one client');
  if (Object.keys(values).length === 0)
    throw new UsageError('Expected at least one option with a new value, received none.');
  const { name, scopes, jwks, 'jwks-uri': jwksUri, certificate } = values;
  const given = { jwks, 'jwks-uri': jwksUri, certificate };
  const hasCredential = Object.values(given).some((one) => one !== undefined);
  const credential = hasCredential ? await parseCredentialFlags(given, cwd) : undefined;
  const update = {
    name,
    scopes: scopes === undefined ? undefined : parseScopes(scopes),
    ...parseClientFlags(values),
    credential: credential === 'secret' ? undefined : credential,
  };
  return { clientId, update };
}

async function updateClient(
  context: LoggedContext,
  clientId: string,
  update: ClientUpdate,
  terminal: Terminal,
): Promise<ExitCode> {
  const before = await findClient(context.read, clientId);
  if (before === undefined || before.disabledAt !== undefined) {
    const why = before === undefined ? `There is no client ${clientId}` : `${clientId} is disabled permanently`;
    throw new CommandFailed(`${why}. For all clients, run "citizen-services clients list".`);
  }
  const after = applyClientUpdate(before, update);
  if ('fault' in after) throw new UsageError(after.fault);
  return await storeClientChange(context, { command: 'clients update', before, after }, terminal);
}

type ClientChange = { readonly command: string; readonly before: Client; readonly after: Client };

/** Stores a changed client with its event, and reports what has changed. Throws if another command changed it at the same time. */
export async function storeClientChange(
  context: LoggedContext,
  { command, before, after }: ClientChange,
  { stderr }: Terminal,
): Promise<ExitCode> {
  const { clientId } = before;
  const changed = changedParts(before, after);
  if (changed.length === 0) {
    stderr(`${clientId} already has these values. Nothing was changed.\n`);
    return 0;
  }
  const scopes = changed.includes('scopes') ? { scopes: after.scopes } : {};
  const head = eventHead(context);
  const commit = commitFromShell(context, {
    operation: command,
    before: printableClient(before),
    after: { ...printableClient(after), changed },
  });
  const isStored = await commitIfUnchanged(commit, {
    events: [{ type: 'client.changed', ...head, clientId, changed, ...scopes }],
    statements: [updateClientRow(before, after), ...insertAddedCredentials(before, after, head.at)],
  });
  if (!isStored)
    throw new CommandFailed(
      `Another command changed ${clientId} at the same time, so this command changed nothing. Check the client with "citizen-services clients list --json", and run the command again.`,
    );
  stderr(`Changed ${changed.join(', ')} of ${clientId}. This takes effect within a minute.\n`);
  return 0;
}
