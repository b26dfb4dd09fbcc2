import { parseArgs } from 'node:util';
import { type Binding, type ClientOptions, clientKinds, newClient } from '../auth/client.ts';
import { allClients, findClient, insertClient, setClientBinding, setClientDisabled } from '../auth/client-store.ts';
import type { Statement } from '../db/database.ts';
import { formatInstant } from '../kernel/clock.ts';
import type { Commit } from '../ledger/commit.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { removeClientWebhooks } from '../notifications/webhooks/webhook-store.ts';
import { commitFromShell } from '../staff/commit-from-shell.ts';
import {
  type ClientsContext,
  clientFlags,
  parseBinding,
  parseClientFlags,
  parseCredentialFlags,
  parseScopes,
  requirePolicy,
  requirePublicJwksUri,
} from './client-flags.ts';
import { messageFlagsUsage, messageOptions } from './client-message-flags.ts';
import { clientPurposesCommand } from './client-purposes.ts';
import { clientUpdateCommand } from './client-update.ts';
import {
  type Command,
  CommandFailed,
  type ExitCode,
  jsonOption,
  singleArgument,
  singlePositional,
  type Terminal,
  UsageError,
  wrongArgument,
  wrongOption,
} from './command.ts';
import { commitIfUnchanged, eventHead, type LoggedContext, type WithContext } from './command-context.ts';
import { printableClient } from './printable-client.ts';

const createOptions: Command['options'] = [
  { form: '--scopes a,b', meaning: 'The permissions of the client; see the list below. Required.' },
  {
    form: '--kind test|team|live',
    meaning: 'The kind of client. Clients of the kinds team and live cannot use a secret.',
    defaultValue: 'test',
  },
  { form: '--secret', meaning: 'Creates a secret, which is shown once. Use it only for the demo and sandboxes.' },
  { form: '--jwks FILE', meaning: 'The public keys of the client, {"keys":[…]}.' },
  {
    form: '--jwks-uri URL',
    meaning: 'The https URL at which the client publishes its public keys, so that it can rotate them itself.',
  },
  {
    form: '--certificate FILE|dns:NAME',
    meaning: 'The certificate of the client, or a name in certificates from TLS_CLIENT_CA.',
  },
  { form: '--issuer URL', meaning: 'The issuer of its tokens, from TRUSTED_ISSUERS.' },
  {
    form: '--binding dpop|mtls|none',
    meaning: 'Its tokens must be bound to a DPoP key or to a TLS certificate.',
    defaultValue: 'none, or mtls with --certificate',
  },
  {
    form: '--purposes a,b|any',
    meaning:
      'Each request must state one of these purposes. "any": the client needs no purpose. a=TEXT and a@de=TEXT set the text that citizens read instead of a.',
    defaultValue: 'any',
  },
  { form: '--legal-bases a,b|any', meaning: 'The same for legal bases.', defaultValue: 'any' },
  { form: '--policy NAME', meaning: 'The policy for its verifications.', defaultValue: 'VERIFY_POLICY' },
  {
    form: '--return-address TEXT',
    meaning: "The address for undeliverable letters, such as 'P.O. Box 100, 0101 Oslo'.",
    defaultValue: 'LETTER_RETURN_ADDRESS',
  },
  ...messageOptions,
  { form: '--quota N', meaning: 'Requests per second for each scope.', defaultValue: '1000' },
  jsonOption,
];

const createNotes = `NAME is shown to citizens as the sender of messages and as the user of their data. Use exactly one of --secret, --jwks, --jwks-uri, --certificate and --issuer.

  identity:verify         Verify claims.
  identity:verify:claims  Also read which claims of a match are correct.
  identity:present        Ask the wallet of a citizen, and read the result.
  notifications:send      Send and withdraw notifications.
  notifications:read      Read the status and the evidence of its notifications.
  documents:read          Read documents that it deposited or has a grant for.
  documents:write         Deposit and withdraw documents, and grant access.
  webhooks:manage         Register webhooks for events of its notifications.
  events:read             Read these events as a feed.
  access-log:hide         Delay the access log entry that a citizen sees.
  citizen:self            Read the inbox and access log of the citizen in a token
                          of its --issuer. You can combine it only with
                          documents:read.
  citizens:known          Learn whether the register knows an id.`;

/** The `clients` commands, except `clients usage`. */
export function clientCommands(withContext: WithContext<ClientsContext>, terminal: Terminal): readonly Command[] {
  return [
    createCommand(withContext, terminal),
    {
      name: 'clients list',
      usage: 'clients list [--json]',
      summary: 'Lists all clients, including disabled ones.',
      options: [jsonOption],
      run: async (args) => {
        const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
        return await withContext((context) => listClients(context, values.json === true, terminal));
      },
    },
    clientUpdateCommand(withContext, terminal),
    clientPurposesCommand(withContext, terminal),
    {
      name: 'clients bind',
      usage: 'clients bind ID dpop|mtls|none',
      summary: 'Sets how the tokens of a client must be bound.',
      notes: 'ID is the id of the client, as "clients list" prints it. Other tokens stop working within a minute.',
      example: 'clients bind tax-office-1 dpop',
      run: async (args) => {
        const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
        const [clientId, binding, ...others] = positionals;
        if (clientId === undefined || binding === undefined || others.length > 0)
          throw wrongArgument('the id of one client and a binding (dpop, mtls or none)', positionals);
        const known = parseBinding(binding);
        return await withContext((context) => bindClient(context, clientId, known, terminal));
      },
    },
    {
      name: 'clients disable',
      usage: 'clients disable ID',
      summary: 'Disables a client permanently, and removes its webhooks.',
      notes: 'ID is the id of the client, as "clients list" prints it. Its tokens stop working within a minute.',
      example: 'clients disable tax-office-1',
      run: async (args) => {
        const clientId = singleArgument(args, 'the id of one client');
        return await withContext((context) => disableClient(context, clientId, terminal));
      },
    },
  ];
}

function createCommand(withContext: WithContext<ClientsContext>, terminal: Terminal): Command {
  return {
    name: 'clients create',
    usage:
      'clients create NAME --scopes a,b [--kind test|team|live] [--secret | --jwks FILE | --jwks-uri URL | --certificate FILE|dns:NAME | --issuer URL] [--binding dpop|mtls|none] [--purposes a,b|any] [--legal-bases a,b|any] [--policy NAME] [--return-address TEXT] ' +
      `${messageFlagsUsage} ` +
      '[--quota N] [--json]',
    summary: 'Creates a client that can call the API.',
    options: createOptions,
    notes: createNotes,
    example: "clients create 'Tax Office' --scopes identity:verify --kind live --jwks keys.json",
    run: async (args) => {
      const { wanted, json } = await parseCreateFlags(args, terminal.cwd);
      return await withContext(async (context) => {
        requirePublicJwksUri(context, wanted.credential);
        await requirePolicy(context.read, wanted.policy);
        return await createClient(context, wanted, json, terminal);
      });
    },
  };
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
  const name = singlePositional(positionals, 'one name (put a name with spaces in quotation marks)');
  // Only the demo creates demo clients.
  const kind = clientKinds.find((known) => known !== 'demo' && known === values.kind);
  if (kind === undefined) throw wrongOption('--kind', 'test, team or live', values.kind);
  const { purposes, purposeTexts, legalBases, returnAddress, messages, quota } = parseClientFlags(values);
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
    messages,
    quota,
  };
  return { wanted, json: values.json === true };
}

/** Stores the client with its event and prints it. The secret is printed once; only its hash is stored. */
async function createClient(
  context: LoggedContext,
  wanted: ClientOptions,
  json: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const created = newClient(wanted, context.clock, context.random);
  if ('fault' in created) throw new UsageError(created.fault);
  const { client, secret } = created;
  const act = { operation: 'clients create', before: { exists: false }, after: printableClient(client) };
  await commitFromShell(
    context,
    act,
  )({
    events: [{ type: 'client.created', ...eventHead(context), clientId: client.clientId, scopes: client.scopes }],
    statements: [insertClient(client)],
  });
  const shown = printableClient(client, secret);
  const lines = Object.entries(shown).map(
    ([name, value]) => value && `${name}: ${[value].flat().join(' ') || 'none'}\n`,
  );
  terminal.stdout(json ? `${JSON.stringify(shown)}\n` : lines.join(''), secret && lostSecretMessage(client.clientId));
  if (secret !== undefined)
    terminal.stderr(
      'The secret is shown only once. Store it in a safe place. The server accepts secrets only with CLIENT_SECRETS=true.\n',
    );
  return 0;
}

function lostSecretMessage(clientId: string): string {
  return `The secret of ${clientId} is lost. Run "citizen-services clients disable ${clientId}", then create another client.\n`;
}

async function listClients({ read }: LoggedContext, json: boolean, { stdout, stderr }: Terminal): Promise<ExitCode> {
  const clients = (await allClients(read)).map((client) => printableClient(client));
  if (json) stdout(`${JSON.stringify(clients)}\n`);
  else {
    stdout(`${['clientId', 'kind', 'proof', 'state', 'scopes', 'name'].join('\t')}\n`);
    for (const { clientId, kind, proof, disabledAt, scopes: allowed, name } of clients) {
      stdout(`${[clientId, kind, proof, disabledAt ?? 'active', allowed.join(','), name].join('\t')}\n`);
    }
    stderr(`${clients.length} clients\n`);
  }
  return 0;
}

async function disableClient(context: LoggedContext, clientId: string, { stderr }: Terminal): Promise<ExitCode> {
  const head = eventHead(context);
  const commit = commitFromShell(context, {
    operation: 'clients disable',
    before: { clientId, disabledAt: null },
    after: { clientId, disabledAt: formatInstant(head.at) },
  });
  await commitClientChange(commit, { type: 'client.disabled', ...head, clientId }, [
    setClientDisabled(clientId, head.at),
    removeClientWebhooks(clientId),
  ]);
  stderr(`${clientId} is disabled. Its tokens stop working within a minute. Its webhooks are removed.\n`);
  return 0;
}

async function bindClient(
  context: LoggedContext,
  clientId: string,
  binding: Binding,
  { stderr }: Terminal,
): Promise<ExitCode> {
  const before = { clientId, binding: (await findClient(context.read, clientId))?.binding };
  const commit = commitFromShell(context, { operation: 'clients bind', before, after: { clientId, binding } });
  await commitClientChange(commit, { type: 'client.bound', ...eventHead(context), clientId, binding }, [
    setClientBinding(clientId, binding),
  ]);
  stderr(`Tokens of ${clientId} are bound by: ${binding}. This takes effect within a minute.\n`);
  return 0;
}

/** Commits a change of a client with its event. Throws if there is no active client. */
async function commitClientChange(commit: Commit, event: LedgerEvent, statements: readonly Statement[]): Promise<void> {
  if (!(await commitIfUnchanged(commit, { events: [event], statements })))
    throw new CommandFailed(
      'Expected an active client, but the client does not exist or is disabled. For all clients, run "citizen-services clients list".',
    );
}
