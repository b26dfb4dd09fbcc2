import { parseArgs } from 'node:util';
import { type Binding, type Client, type ClientOptions, clientKinds, newClient } from '../auth/client.ts';
import { allClients, insertClient, setClientBinding, setClientDisabled } from '../auth/client-store.ts';
import { formatPurposeTexts } from '../auth/purpose-texts.ts';
import type { Statement } from '../db/database.ts';
import { formatInstant } from '../kernel/clock.ts';
import type { Secret } from '../kernel/secret.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { removeClientWebhooks } from '../notifications/webhooks/webhook-store.ts';
import {
  clientFlags,
  parseBinding,
  parseClientFlags,
  parseCredentialFlags,
  parseScopes,
  requirePolicy,
} from './client-flags.ts';
import { clientUpdateCommand } from './client-update.ts';
import {
  type Command,
  CommandFailed,
  type ExitCode,
  singleArgument,
  singlePositional,
  type Terminal,
  UsageError,
} from './command.ts';
import { type CommandContext, commitIfUnchanged, eventHead, type WithContext } from './command-context.ts';

const details = `NAME is shown to citizens as the sender of messages and as the user of their data.

  --scopes a,b        What the client may do:
    identity:verify         Verify claims.
    identity:verify:claims  Also read which claims of a match are correct.
    notifications:send      Send notifications, and withdraw them.
    notifications:read      Read the status of its notifications, and their evidence.
    documents:read          Read documents that it deposited or has a grant for.
    documents:write         Deposit and withdraw documents, and grant others to read them.
    webhooks:manage         Register webhooks for events of its notifications.
    events:read             Read these events as a feed.
    access-log:hide         Delay the access log entry that a citizen sees, with a reason.
    citizen:self            Read the inbox and access log of the citizen named in a token of its --issuer.
                            Only documents:read can be combined with it.
    citizens:known          Learn whether the register knows an id.
  --kind KIND         test (default), team or live; team and live clients cannot use a secret.
  --secret            Creates a secret, which is shown once: for the demo and sandboxes.
  --jwks FILE         The public keys of the client, {"keys":[…]}.
  --certificate FILE|dns:NAME
                      Its certificate, or a name in certificates from TLS_CLIENT_CA.
  --issuer URL        The issuer of its tokens, from TRUSTED_ISSUERS.
  --binding dpop|mtls Its tokens must be bound to a key or certificate.
  --purposes a,b|any  Each request must state one of these purposes. any (default): no purpose is required.
                      a='Text' adds what citizens read instead of a; a@de='Text' is the text in one language.
  --legal-bases a,b|any
                      The same for legal bases.
  --policy NAME       The policy for its verifications, instead of VERIFY_POLICY.
  --return-address TEXT
                      The address for undeliverable letters, such as 'P.O. Box 100, 0101 Oslo', instead of
                      LETTER_RETURN_ADDRESS.
  --quota N           Requests per second for each scope. Default: 1000.`;

/** The `clients` commands, except `clients usage`. */
export function clientCommands(withContext: WithContext<CommandContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'clients create',
      usage:
        'clients create NAME --scopes a,b [--kind test|team|live] [--secret | --jwks FILE | --certificate FILE|dns:NAME | --issuer URL] [--binding dpop|mtls|none] [--purposes a,b|any] [--legal-bases a,b|any] [--policy NAME] [--return-address TEXT] [--quota N] [--json]',
      summary: 'Creates a client that can call the API. A secret is shown once.',
      details,
      run: async (args) => {
        const { wanted, json } = await parseCreateFlags(args, terminal.cwd);
        return await withContext(async (context) => {
          await requirePolicy(context.read, wanted.policy);
          return await createClient(context, wanted, json, terminal);
        });
      },
    },
    {
      name: 'clients list',
      usage: 'clients list [--json]',
      summary: 'Lists all clients, including disabled ones.',
      run: async (args) => {
        const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
        return await withContext((context) => listClients(context, values.json === true, terminal));
      },
    },
    clientUpdateCommand(withContext, terminal),
    {
      name: 'clients bind',
      usage: 'clients bind ID dpop|mtls|none',
      summary: 'Sets how the tokens of a client must be bound. Other tokens stop working within a minute.',
      run: async (args) => {
        const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
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
      summary: 'Disables a client permanently. It gets no new tokens, and its tokens stop working within a minute.',
      run: async (args) => {
        const clientId = singleArgument(args, 'name one client by its id');
        return await withContext((context) => disableClient(context, clientId, terminal));
      },
    },
  ];
}

async function parseCreateFlags(
  args: readonly string[],
  cwd: string,
): Promise<{ wanted: ClientOptions; json: boolean }> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...clientFlags,
      kind: { type: 'string', default: 'test' },
      secret: { type: 'boolean' },
      binding: { type: 'string' },
      issuer: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const name = singlePositional(positionals, 'name one client; quote a name that contains spaces');
  // Only the demo creates demo clients.
  const kind = clientKinds.find((known) => known !== 'demo' && known === values.kind);
  if (kind === undefined) throw new UsageError('--kind must be test, team or live');
  const { purposes, purposeTexts, legalBases, returnAddress, quota } = parseClientFlags(values);
  const wanted: ClientOptions = {
    name,
    kind,
    scopes: parseScopes(values.scopes),
    credential: await parseCredentialFlags(values, cwd),
    binding: values.binding === undefined ? undefined : parseBinding(values.binding),
    purposes: purposes ?? undefined,
    purposeTexts,
    legalBases: legalBases ?? undefined,
    policy: values.policy,
    returnAddress: returnAddress ?? undefined,
    quota,
  };
  return { wanted, json: values.json === true };
}

/** Stores the client with its event and prints it. The secret is printed once; only its hash is stored. */
async function createClient(
  context: CommandContext,
  wanted: ClientOptions,
  json: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const created = newClient(wanted, context.clock, context.random);
  if ('fault' in created) throw new UsageError(created.fault);
  const { client, secret } = created;
  await context.commit({
    events: [{ type: 'client.created', ...eventHead(context), clientId: client.clientId, scopes: client.scopes }],
    statements: [insertClient(client)],
  });
  const shown = printableClient(client, secret);
  const lines = Object.entries(shown).map(([name, value]) => value && `${name}: ${[value].flat().join(' ')}\n`);
  terminal.stdout(json ? `${JSON.stringify(shown)}\n` : lines.join(''), secret && lostSecretMessage(client.clientId));
  if (secret !== undefined)
    terminal.stderr(
      'The secret is shown only once; store it safely. `start` accepts secrets only with CLIENT_SECRETS=true.\n',
    );
  return 0;
}

function lostSecretMessage(clientId: string): string {
  return `The secret of ${clientId} is lost. Disable it: citizen-services clients disable ${clientId}; then create another client.\n`;
}

async function listClients({ read }: CommandContext, json: boolean, { stdout, stderr }: Terminal): Promise<ExitCode> {
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

async function disableClient(context: CommandContext, clientId: string, { stderr }: Terminal): Promise<ExitCode> {
  const head = eventHead(context);
  await commitClientChange(context, { type: 'client.disabled', ...head, clientId }, [
    setClientDisabled(clientId, head.at),
    removeClientWebhooks(clientId),
  ]);
  stderr(`${clientId} is disabled. Its tokens stop working within a minute; its webhooks are removed.\n`);
  return 0;
}

async function bindClient(
  context: CommandContext,
  clientId: string,
  binding: Binding,
  { stderr }: Terminal,
): Promise<ExitCode> {
  await commitClientChange(context, { type: 'client.bound', ...eventHead(context), clientId, binding }, [
    setClientBinding(clientId, binding),
  ]);
  stderr(`Tokens of ${clientId} are bound by: ${binding}. This takes effect within a minute.\n`);
  return 0;
}

/** Commits a change of a client with its event. Throws if there is no active client. */
async function commitClientChange(
  { commit }: CommandContext,
  event: LedgerEvent,
  statements: readonly Statement[],
): Promise<void> {
  if (!(await commitIfUnchanged(commit, { events: [event], statements })))
    throw new CommandFailed('There is no such client, or it is disabled already; see: citizen-services clients list');
}

/** The printed form of a client, without hashes and keys. */
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
    purposeTexts: client.purposeTexts && formatPurposeTexts(client.purposeTexts).join(', '),
    legalBases: client.legalBases,
    policy: client.policy,
    returnAddress: client.returnAddress?.join(', '),
    quotaPerSecond: client.quota.perSecond,
    createdAt: formatInstant(createdAt),
    disabledAt: disabledAt === undefined ? undefined : formatInstant(disabledAt),
  };
}
