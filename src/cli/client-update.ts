import { parseArgs } from 'node:util';
import { changedParts, findClient, updateClientRow } from '../auth/client-store.ts';
import { applyClientUpdate, type ClientUpdate } from '../auth/client-update.ts';
import { clientFlags, parseClientFlags, parseCredentialFlags, parseScopes, requirePolicy } from './client-flags.ts';
import { type Command, CommandFailed, type ExitCode, singlePositional, type Terminal, UsageError } from './command.ts';
import { type CommandContext, commitIfUnchanged, eventHead, type WithContext } from './command-context.ts';

const details = `Only the given values change. A list replaces the list of the client.

  --name TEXT         The name that citizens see.
  --scopes a,b        What the client may do. A removed scope ends within a minute, also for existing tokens.
  --purposes a,b|any  Each request must state one of these purposes. any: no purpose is required.
                      a='Text' and a@de='Text' set what citizens read instead of a.
  --legal-bases a,b|any
  --policy NAME|none  The policy for its verifications; none: VERIFY_POLICY.
  --return-address TEXT|none
                      The address for undeliverable letters, in letters that are printed from now on;
                      none: LETTER_RETURN_ADDRESS.
  --quota N           Requests per second for each scope.
  --jwks FILE, --certificate FILE|dns:NAME
                      New keys or a new certificate for a client that already uses keys or a certificate. The old ones get no
                      more tokens.`;

/** `clients update`. */
export function clientUpdateCommand(withContext: WithContext<CommandContext>, terminal: Terminal): Command {
  return {
    name: 'clients update',
    usage:
      'clients update ID [--name TEXT] [--scopes a,b] [--purposes a,b|any] [--legal-bases a,b|any] [--policy NAME|none] [--return-address TEXT|none] [--quota N] [--jwks FILE | --certificate FILE|dns:NAME]',
    summary: 'Changes a client. The change takes effect within a minute.',
    details,
    run: async (args) => {
      const { clientId, update } = await parseUpdateFlags(args, terminal.cwd);
      return await withContext(async (context) => {
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
  const options = { name: { type: 'string' }, ...clientFlags } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const clientId = singlePositional(positionals, 'name one client by its id');
  if (Object.keys(values).length === 0) throw new UsageError('name at least one value to change');
  const { name, scopes, jwks, certificate } = values;
  const hasCredential = jwks !== undefined || certificate !== undefined;
  const credential = hasCredential ? await parseCredentialFlags({ jwks, certificate }, cwd) : undefined;
  const update = {
    name,
    scopes: scopes === undefined ? undefined : parseScopes(scopes),
    ...parseClientFlags(values),
    credential: credential === 'secret' ? undefined : credential,
  };
  return { clientId, update };
}

async function updateClient(
  context: CommandContext,
  clientId: string,
  update: ClientUpdate,
  { stderr }: Terminal,
): Promise<ExitCode> {
  const before = await findClient(context.read, clientId);
  if (before === undefined || before.disabledAt !== undefined) {
    const why = before === undefined ? `There is no client ${clientId}` : `${clientId} is disabled permanently`;
    throw new CommandFailed(`${why}; see: citizen-services clients list`);
  }
  const after = applyClientUpdate(before, update);
  if ('fault' in after) throw new UsageError(after.fault);
  const changed = changedParts(before, after);
  if (changed.length === 0) {
    stderr(`${clientId} already has these values; nothing was changed.\n`);
    return 0;
  }
  const scopes = changed.includes('scopes') ? { scopes: after.scopes } : {};
  const isStored = await commitIfUnchanged(context.commit, {
    events: [{ type: 'client.changed', ...eventHead(context), clientId, changed, ...scopes }],
    statements: [updateClientRow(before, after)],
  });
  if (!isStored)
    throw new CommandFailed(
      `Another command changed ${clientId} at the same time; this one changed nothing. Check it with citizen-services clients list --json, and repeat.`,
    );
  stderr(`Changed ${changed.join(', ')} of ${clientId}. This takes effect within a minute.\n`);
  return 0;
}
