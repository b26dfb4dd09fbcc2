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

const details = `What is not named stays as it is. Lists replace those of the client; they do not add to them.

  --name TEXT         The name that citizens read.
  --scopes a,b        What it may. A scope that is taken away ends within a minute, for tokens that are out too.
  --purposes a,b|any  The purposes of which it must state one; any: none has to be stated.
  --legal-bases a,b|any
  --policy NAME|none  The policy for its questions; none: that of VERIFY_POLICY.
  --return-address TEXT|none
                      Where its letters come back to that cannot be delivered; none: LETTER_RETURN_ADDRESS. It stands in each letter that is
                      printed from then on.
  --quota N           Requests a second.
  --jwks FILE, --certificate FILE|dns:NAME
                      New keys, or a new certificate, of a client that proves itself so already; the old ones buy no token any more.`;

/** `clients update`. */
export function clientUpdateCommand(withContext: WithClientsContext, terminal: Terminal): Command {
  return {
    name: 'clients update',
    usage:
      'clients update ID [--name TEXT] [--scopes a,b] [--purposes a,b|any] [--legal-bases a,b|any] [--policy NAME|none] [--return-address TEXT|none] [--quota N] [--jwks FILE | --certificate FILE|dns:NAME]',
    summary: 'Changes what a client may; it counts within a minute.',
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
  if (Object.keys(values).length === 0) throw new UsageError('say what is to change');
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
  { read, commit, clock, mint, operator }: ClientsContext,
  clientId: string,
  update: ClientUpdate,
  { stderr }: Terminal,
): Promise<ExitCode> {
  const before = await findClient(read, clientId);
  if (before === undefined || before.disabledAt !== undefined) {
    const why = before === undefined ? `There is no client ${clientId}` : `${clientId} is disabled, for good`;
    stderr(`${why}; see: citizen-services clients list\n`);
    return 1;
  }
  const after = applyClientUpdate(before, update);
  if ('fault' in after) throw new UsageError(after.fault);
  const changed = changedParts(before, after);
  if (changed.length === 0) {
    stderr(`${clientId} is so already; nothing was changed.\n`);
    return 0;
  }
  const head = { id: mint('event'), at: clock.now(), actor: { operator }, clientId };
  const scopes = changed.includes('scopes') ? { scopes: after.scopes } : {};
  try {
    await commit({
      events: [{ type: 'client.changed', ...head, changed, ...scopes }],
      statements: [updateClientRow(before, after)],
    });
  } catch (fault) {
    if (!(fault instanceof WriteRefused && fault.kind === 'rows')) throw fault;
    stderr(
      `Somebody else changed ${clientId} at the same time; nothing was changed here. Look at it (citizen-services clients list --json), and repeat.\n`,
    );
    return 1;
  }
  stderr(`Changed of ${clientId}: ${changed.join(', ')}. It counts within a minute.\n`);
  return 0;
}
