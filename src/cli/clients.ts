import { parseArgs } from 'node:util';
import { type Binding, type Client, type ClientOptions, clientKinds, newClient } from '../auth/client.ts';
import { allClients, insertClient, setClientBinding, setClientDisabled } from '../auth/client-store.ts';
import { type Statement, WriteRefused } from '../db/database.ts';
import { formatInstant } from '../kernel/clock.ts';
import type { Secret } from '../kernel/secret.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { removeClientWebhooks } from '../notifications/webhooks/webhook-store.ts';
import {
  parseBinding,
  parseCredentialFlags,
  parseListOrAny,
  parseQuota,
  parseReturnAddressFlag,
  parseScopes,
  requirePolicy,
} from './client-flags.ts';
import { clientUpdateCommand } from './client-update.ts';
import type { ClientsContext, WithClientsContext } from './clients-context.ts';
import { type Command, type ExitCode, singleArgument, singlePositional, type Terminal, UsageError } from './command.ts';

const details = `NAME is whom citizens read as the sender of a message and as the user of their data.

  --scopes a,b        What it may:
    identity:verify         Verify claims.
    identity:verify:claims  Read besides which claims of a match fit.
    notifications:send      Send notifications, and withdraw them.
    notifications:read      Read where its notifications stand, and their evidence.
    documents:read          Read the documents that it deposited or has a grant for.
    documents:write         Deposit and withdraw documents, and grant others to read them.
    webhooks:manage         Have its addresses called when something becomes of its notifications.
    events:read             Read the same as a feed.
    access-log:hide         Delay that a citizen sees a use, with a reason.
    citizen:self            Hand in tokens of its --issuer that name a citizen, for the inbox and access log of that one.
    citizens:known          Be told whether the register knows an id.
  --kind KIND         test (the default), team or live; the latter two take no secret.
  --secret            A secret, shown once: for the demo and sandboxes.
  --jwks FILE         Its public keys, {"keys":[…]}.
  --certificate FILE|dns:NAME
                      Its certificate, or a name in those of TLS_CLIENT_CA.
  --issuer URL        One of TRUSTED_ISSUERS, whose tokens it has.
  --binding dpop|mtls Its tokens have to be bound to a key or certificate.
  --purposes a,b|any  The purposes of which it must state one; any, as without it: none has to be stated.
  --legal-bases a,b|any
                      The same of legal bases.
  --policy NAME       The policy for its questions, in place of VERIFY_POLICY.
  --return-address TEXT
                      Where its letters come back to that cannot be delivered, as 'P.O. Box 100, 0101 Oslo', in place of
                      LETTER_RETURN_ADDRESS.
  --quota N           Requests a second for each scope; 1000 unless stated.`;

/** `clients create`, `clients list`, `clients update`, `clients bind`, `clients disable`. */
export function clientCommands(withContext: WithClientsContext, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'clients create',
      usage:
        'clients create NAME --scopes a,b [--kind test|team|live] [--secret | --jwks FILE | --certificate FILE|dns:NAME | --issuer URL] [--binding dpop|mtls|none] [--purposes a,b|any] [--legal-bases a,b|any] [--policy NAME] [--return-address TEXT] [--quota N] [--json]',
      summary: 'Makes a client that may call the interface; a secret is shown once.',
      details,
      run: async (args) => {
        const { wanted, json } = await parseClientFlags(args, terminal.cwd);
        return await withContext(async (context) => {
          await requirePolicy(context.read, wanted.policy);
          return await createClient(context, wanted, json, terminal);
        });
      },
    },
    {
      name: 'clients list',
      usage: 'clients list [--json]',
      summary: 'Lists all clients, disabled ones too.',
      run: async (args) => {
        const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
        return await withContext((context) => listClients(context, values.json === true, terminal));
      },
    },
    clientUpdateCommand(withContext, terminal),
    {
      name: 'clients bind',
      usage: 'clients bind ID dpop|mtls|none',
      summary:
        'Says to what the tokens of a client have to be bound; tokens that are not stop working within a minute.',
      run: async (args) => {
        const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
        const [clientId, binding, ...others] = positionals;
        if (clientId === undefined || binding === undefined || others.length > 0)
          throw new UsageError('name one client by its id, and a binding');
        const known = parseBinding(binding);
        return await withContext((context) => bindClient(context, clientId, known, terminal));
      },
    },
    {
      name: 'clients disable',
      usage: 'clients disable ID',
      summary: 'Ends a client for good: no new token at once, and its tokens within a minute.',
      run: async (args) => {
        const clientId = singleArgument(args, 'name one client by its id');
        return await withContext((context) => disableClient(context, clientId, terminal));
      },
    },
  ];
}

async function parseClientFlags(
  args: readonly string[],
  cwd: string,
): Promise<{ wanted: ClientOptions; json: boolean }> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      scopes: { type: 'string' },
      kind: { type: 'string', default: 'test' },
      secret: { type: 'boolean' },
      jwks: { type: 'string' },
      certificate: { type: 'string' },
      binding: { type: 'string' },
      issuer: { type: 'string' },
      purposes: { type: 'string' },
      'legal-bases': { type: 'string' },
      policy: { type: 'string' },
      'return-address': { type: 'string' },
      quota: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const name = singlePositional(positionals, 'name one client; put a name with blanks in quotes');
  // Demo clients are made by the demo alone.
  const kind = clientKinds.find((known) => known !== 'demo' && known === values.kind);
  if (kind === undefined) throw new UsageError('--kind is test, team or live');
  const address = values['return-address'];
  const wanted: ClientOptions = {
    name,
    kind,
    scopes: parseScopes(values.scopes),
    credential: parseCredentialFlags(values, cwd),
    binding: values.binding === undefined ? undefined : parseBinding(values.binding),
    purposes: parseListOrAny('--purposes', values.purposes) ?? undefined,
    legalBases: parseListOrAny('--legal-bases', values['legal-bases']) ?? undefined,
    policy: values.policy,
    returnAddress: address === undefined ? undefined : (parseReturnAddressFlag(address) ?? undefined),
    quota: values.quota === undefined ? undefined : parseQuota(values.quota),
  };
  return { wanted, json: values.json === true };
}

/** Stores the client with its event, and shows it; the secret leaves here and is kept nowhere. */
async function createClient(
  context: ClientsContext,
  wanted: ClientOptions,
  json: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const made = newClient(wanted, context.clock, context.random);
  if ('fault' in made) throw new UsageError(made.fault);
  const { client, secret } = made;
  await context.commit({
    events: [
      {
        type: 'client.created',
        id: context.mint('event'),
        at: client.createdAt,
        actor: { operator: context.operator },
        clientId: client.clientId,
        scopes: client.scopes,
      },
    ],
    statements: [insertClient(client)],
  });
  const shown = printableClient(client, secret);
  const lines = Object.entries(shown).map(([name, value]) => value && `${name}: ${[value].flat().join(' ')}\n`);
  terminal.stdout(json ? `${JSON.stringify(shown)}\n` : lines.join(''), secret && lostSecretMessage(client.clientId));
  if (secret !== undefined)
    terminal.stderr(
      'The secret is shown this once; keep it where secrets are kept. `start` takes secrets with CLIENT_SECRETS=true only.\n',
    );
  return 0;
}

function lostSecretMessage(clientId: string): string {
  return `Nobody has the secret of ${clientId} now. End it: citizen-services clients disable ${clientId}; then make the client anew.\n`;
}

async function listClients({ read }: ClientsContext, json: boolean, { stdout, stderr }: Terminal): Promise<ExitCode> {
  const clients = (await allClients(read)).map((client) => printableClient(client));
  if (json) stdout(`${JSON.stringify(clients)}\n`);
  else {
    for (const { clientId, kind, proof, disabledAt, scopes: allowed } of clients) {
      stdout(`${[clientId, kind, proof, disabledAt ?? 'active', allowed.join(',')].join('\t')}\n`);
    }
    stderr(`${clients.length} clients\n`);
  }
  return 0;
}

async function disableClient(context: ClientsContext, clientId: string, { stderr }: Terminal): Promise<ExitCode> {
  const now = context.clock.now();
  const head = { id: context.mint('event'), at: now, actor: { operator: context.operator }, clientId };
  const ending = [setClientDisabled(clientId, now), removeClientWebhooks(clientId)];
  const changed = await commitClientChange(context, { type: 'client.disabled', ...head }, ending);
  const said = `${clientId} is disabled. Tokens that it holds stop working within a minute; its webhooks are removed.\n`;
  stderr(changed ? said : noSuchClient);
  return changed ? 0 : 1;
}

async function bindClient(
  context: ClientsContext,
  clientId: string,
  binding: Binding,
  { stderr }: Terminal,
): Promise<ExitCode> {
  const head = { id: context.mint('event'), at: context.clock.now(), actor: { operator: context.operator }, clientId };
  const changed = await commitClientChange(context, { type: 'client.bound', ...head, binding }, [
    setClientBinding(clientId, binding),
  ]);
  stderr(changed ? `Tokens of ${clientId} are bound by: ${binding}. It counts within a minute.\n` : noSuchClient);
  return changed ? 0 : 1;
}

const noSuchClient = 'There is no such client, or it is disabled already; see: citizen-services clients list\n';

/** Changes a client with its event; false where there is none in force. */
async function commitClientChange(
  { commit }: ClientsContext,
  event: LedgerEvent,
  statements: readonly Statement[],
): Promise<boolean> {
  try {
    await commit({ events: [event], statements });
    return true;
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'rows') return false;
    throw fault;
  }
}

/** A client as it is printed: no hash, no keys. */
function printableClient(client: Client, secret?: Secret) {
  const { credential, createdAt, disabledAt } = client;
  return {
    clientId: client.clientId,
    clientSecret: secret?.reveal(),
    name: client.name,
    kind: client.kind,
    scopes: client.scopes,
    proof: credential.by === 'issuer' ? credential.issuer : credential.by,
    binding: client.binding,
    purposes: client.purposes,
    legalBases: client.legalBases,
    policy: client.policy,
    returnAddress: client.returnAddress?.join(', '),
    quotaPerSecond: client.quota.perSecond,
    createdAt: formatInstant(createdAt),
    disabledAt: disabledAt === undefined ? undefined : formatInstant(disabledAt),
  };
}
