import { parseArgs } from 'node:util';
import { allClients } from '../auth/client-store.ts';
import type { Read } from '../db/database.ts';
import { formatInstant } from '../kernel/clock.ts';
import { parseId, type WebhookId } from '../kernel/id.ts';
import {
  findWebhookHosts,
  parseWebhookHost,
  replaceWebhookHosts,
} from '../notifications/webhooks/webhook-host-store.ts';
import { expectedCallCounts } from '../notifications/webhooks/webhook-shape.ts';
import {
  countCalls,
  findWebhooksWithCounts,
  maxCallCount,
  requestRedelivery,
} from '../notifications/webhooks/webhook-store.ts';
import { commitFromShell } from '../staff/commit-from-shell.ts';
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

const maxHosts = 100;

/** The `webhooks` commands. */
export function webhookCommands(withContext: WithContext<LoggedContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'webhooks list',
      usage: 'webhooks list [CLIENT] [--json]',
      summary: 'Lists the webhooks of one client, or all webhooks, with the number of waiting and failed calls.',
      options: [jsonOption],
      notes: 'CLIENT is the id of a client, as "clients list" prints it.',
      run: async (args) => {
        const { positionals, values } = parseArgs({
          args,
          options: { json: { type: 'boolean' } },
          allowPositionals: true,
        });
        const [clientId, ...others] = positionals;
        if (others.length > 0) throw wrongArgument('at most one client id', positionals);
        return await withContext((context) => listWebhooks(context, clientId, values.json === true, terminal));
      },
    },
    {
      name: 'webhooks redeliver',
      usage: 'webhooks redeliver ID',
      summary: 'Queues the failed calls of a webhook again, and activates a disabled webhook.',
      example: 'webhooks redeliver whk_01JD3Y9Z8Q6W2V5T4R7N0M1KXC',
      run: async (args) => {
        const oneWebhook = 'the id of one webhook, such as whk_01…';
        const id = parseId('webhook', singleArgument(args, oneWebhook));
        if (id === undefined) throw wrongArgument(oneWebhook, args);
        return await withContext((context) => redeliver(context, id, terminal));
      },
    },
    {
      name: 'webhooks hosts',
      usage: 'webhooks hosts CLIENT [--set a.example,b.example | --any]',
      summary: 'Shows or sets the hosts that new webhooks of a client can use.',
      options: [
        {
          form: '--set a.example,b.example',
          meaning: `Allows only these hosts, at most ${maxHosts}. Existing webhooks do not change.`,
        },
        { form: '--any', meaning: 'Allows all public hosts.' },
      ],
      notes: 'CLIENT is the id of a client, as "clients list" prints it.',
      example: 'webhooks hosts tax-office-1 --set hooks.example.gov',
      run: async (args) => {
        const options = { set: { type: 'string' }, any: { type: 'boolean' } } as const;
        const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
        const clientId = singlePositional(positionals, 'the id of one client');
        if (values.set !== undefined && values.any === true)
          throw new UsageError('Expected --set or --any, received both.');
        const hosts = values.any === true ? [] : values.set === undefined ? undefined : parseHosts(values.set);
        return await withContext((context) => setAllowedHosts(context, { clientId, hosts }, terminal));
      },
    },
  ];
}

function parseHosts(text: string): string[] {
  const given = text.split(',').map((part) => part.trim());
  if (given.length > maxHosts)
    throw new UsageError(`--set: expected at most ${maxHosts} host names, received ${given.length}.`);
  const hosts = given.map((part) => parseWebhookHost(part));
  if (hosts.includes(undefined))
    throw wrongOption('--set', 'a comma-separated list of host names, without ports and asterisks', text);
  return [...new Set(hosts.filter((host) => host !== undefined))].sort();
}

async function listWebhooks(
  { read }: LoggedContext,
  clientId: string | undefined,
  json: boolean,
  { stdout, stderr }: Terminal,
): Promise<ExitCode> {
  const webhooks = [];
  for (const of of await clientIds(read, clientId)) {
    for (const { webhook, calls } of await findWebhooksWithCounts(read, of)) {
      const { id, url, status, createdAt } = webhook;
      const counted = expectedCallCounts(webhook, calls);
      webhooks.push({ id, clientId: of, status, ...counted, createdAt: formatInstant(createdAt), url });
    }
  }
  if (json) stdout(`${JSON.stringify(webhooks)}\n`);
  else {
    for (const { id, clientId: of, status, waiting, dead, url } of webhooks) {
      stdout(
        `${[id, of, status, `${formatCallCount(waiting)} waiting`, `${formatCallCount(dead)} failed`, url].join('\t')}\n`,
      );
    }
    stderr(`${webhooks.length} webhooks\n`);
  }
  return 0;
}

/** A number of calls for people. Only `maxCallCount` calls are counted. */
function formatCallCount(calls: number): string {
  return calls < maxCallCount ? String(calls) : `${maxCallCount} or more`;
}

/** The ids of the named client, or of all clients; throws for an unknown one. */
async function clientIds(read: Read, named?: string): Promise<string[]> {
  const ids = (await allClients(read)).map(({ clientId }) => clientId);
  if (named === undefined) return ids;
  if (!ids.includes(named))
    throw new CommandFailed(
      `Expected the id of a client, but there is no client ${named}. Run "citizen-services clients list".`,
    );
  return [named];
}

async function setAllowedHosts(
  context: LoggedContext,
  { clientId, hosts }: { readonly clientId: string; readonly hosts: readonly string[] | undefined },
  { stdout, stderr }: Terminal,
): Promise<ExitCode> {
  await clientIds(context.read, clientId);
  if (hosts !== undefined) {
    const before = { clientId, hosts: await findWebhookHosts(context.read, clientId) };
    await commitFromShell(context, { operation: 'webhooks hosts', before, after: { clientId, hosts } })({
      events: [{ type: 'client.webhook-hosts-set', ...eventHead(context), clientId, hosts }],
      statements: replaceWebhookHosts(clientId, hosts),
    });
  }
  const present = await findWebhookHosts(context.read, clientId);
  stdout(present.map((host) => `${host}\n`).join(''));
  stderr(present.length === 0 ? 'All public hosts are allowed.\n' : 'Existing webhooks do not change.\n');
  return 0;
}

async function redeliver(context: LoggedContext, id: WebhookId, { stderr }: Terminal): Promise<ExitCode> {
  const { dead } = await countCalls(context.read, id);
  const commit = commitFromShell(context, { operation: 'webhooks redeliver', reference: id });
  const isQueued = await commitIfUnchanged(commit, {
    events: [{ type: 'webhook.changed', ...eventHead(context), webhook: id, change: 'redelivery-asked' }],
    statements: [requestRedelivery(id)],
  });
  if (!isQueued)
    throw new CommandFailed(
      `Expected the id of a webhook, but ${id} does not exist or was removed. Run "citizen-services webhooks list".`,
    );
  stderr(`${formatCallCount(dead)} calls are queued again.\n`);
  return 0;
}
