import { parseArgs } from 'node:util';
import { changedParts, findClient, updateClientRow } from '../auth/client-store.ts';
import { applyClientUpdate, type ClientUpdate } from '../auth/client-update.ts';
import { WriteRefused } from '../db/database.ts';
import {
  parseCredentialFlags,
  parseListOrAny,
  parseQuota,
  parseReturnAddressFlag,
  parseScopes,
  requirePolicy,
} from './client-flags.ts';
import type { ClientsContext, WithClientsContext } from './clients-context.ts';
import { type Command, type ExitCode, singlePositional, type Terminal, UsageError } from './command.ts';

const details = `Only the given values change. A list replaces the list of the client.

  --name TEXT         The name that citizens see.
  --scopes a,b        What the client may do. A removed scope ends within a minute, also for existing tokens.
  --purposes a,b|any  Each request must state one of these purposes. any: no purpose is required.
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
export function clientUpdateCommand(withContext: WithClientsContext, terminal: Terminal): Command {
  return {
    name: 'clients update',
    usage:
      'clients update ID [--name TEXT] [--scopes a,b] [--purposes a,b|any] [--legal-bases a,b|any] [--policy NAME|none] [--return-address TEXT|none] [--quota N] [--jwks FILE | --certificate FILE|dns:NAME]',
    summary: 'Changes a client. The change takes effect within a minute.',
    details,
    run: async (args) => {
      const { clientId, wanted: update } = await parseUpdateFlags(args, terminal.cwd);
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
): Promise<{ readonly clientId: string; readonly wanted: ClientUpdate }> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      scopes: { type: 'string' },
      purposes: { type: 'string' },
      'legal-bases': { type: 'string' },
      policy: { type: 'string' },
      'return-address': { type: 'string' },
      quota: { type: 'string' },
      jwks: { type: 'string' },
      certificate: { type: 'string' },
    },
  });
  const clientId = singlePositional(positionals, 'name one client by its id');
  if (Object.keys(values).length === 0) throw new UsageError('name at least one value to change');
  const { name, scopes, purposes, policy, 'return-address': returnAddress, quota, jwks, certificate } = values;
  const hasCredential = jwks !== undefined || certificate !== undefined;
  const credential = hasCredential ? parseCredentialFlags({ jwks, certificate }, cwd) : undefined;
  const update = {
    name,
    scopes: scopes === undefined ? undefined : parseScopes(scopes),
    purposes: parseListOrAny('--purposes', purposes),
    legalBases: parseListOrAny('--legal-bases', values['legal-bases']),
    policy: policy === 'none' ? null : policy,
    returnAddress: returnAddress === undefined ? undefined : parseReturnAddressFlag(returnAddress),
    quota: quota === undefined ? undefined : parseQuota(quota),
    credential: credential === 'secret' ? undefined : credential,
  };
  return { clientId, wanted: update };
}

async function updateClient(
  { read, commit, clock, createId, operator }: ClientsContext,
  clientId: string,
  update: ClientUpdate,
  { stderr }: Terminal,
): Promise<ExitCode> {
  const before = await findClient(read, clientId);
  if (before === undefined || before.disabledAt !== undefined) {
    const why = before === undefined ? `There is no client ${clientId}` : `${clientId} is disabled permanently`;
    stderr(`${why}; see: citizen-services clients list\n`);
    return 1;
  }
  const after = applyClientUpdate(before, update);
  if ('fault' in after) throw new UsageError(after.fault);
  const changed = changedParts(before, after);
  if (changed.length === 0) {
    stderr(`${clientId} already has these values; nothing was changed.\n`);
    return 0;
  }
  const head = { id: createId('event'), at: clock.now(), actor: { operator }, clientId };
  const scopes = changed.includes('scopes') ? { scopes: after.scopes } : {};
  try {
    await commit({
      events: [{ type: 'client.changed', ...head, changed, ...scopes }],
      statements: [updateClientRow(before, after)],
    });
  } catch (fault) {
    if (!(fault instanceof WriteRefused && fault.kind === 'rows')) throw fault;
    stderr(
      `Another command changed ${clientId} at the same time; this one changed nothing. Check it with citizen-services clients list --json, and repeat.\n`,
    );
    return 1;
  }
  stderr(`Changed ${changed.join(', ')} of ${clientId}. This takes effect within a minute.\n`);
  return 0;
}
