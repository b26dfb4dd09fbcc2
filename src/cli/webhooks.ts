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
import { type Command, CommandFailed, type ExitCode, singleArgument, type Terminal, UsageError } from './command.ts';
import { type CommandContext, commitIfUnchanged, eventHead, type WithContext } from './command-context.ts';

type WebhooksContext = Omit<CommandContext, 'random'>;

/** The `webhooks` commands. */
export function webhookCommands(withContext: WithContext<WebhooksContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'webhooks list',
      usage: 'webhooks list [CLIENT] [--json]',
      summary: 'Lists the webhooks of a client, or all, with the number of waiting and failed calls.',
      run: async (args) => {
        const { positionals, values } = parseArgs({
          args,
          options: { json: { type: 'boolean' } },
          allowPositionals: true,
        });
        const [clientId, ...others] = positionals;
        if (others.length > 0) throw new UsageError('name one client by its id, or none for all');
        return await withContext((context) => listWebhooks(context, clientId, values.json === true, terminal));
      },
    },
    {
      name: 'webhooks redeliver',
      usage: 'webhooks redeliver ID',
      summary: 'Queues the failed calls of a webhook again. A disabled webhook becomes active.',
      run: async (args) => {
        const oneWebhook = 'name one webhook by its id, as whk_…';
        const id = parseId('webhook', singleArgument(args, oneWebhook));
        if (id === undefined) throw new UsageError(oneWebhook);
        return await withContext((context) => redeliver(context, id, terminal));
      },
    },
    {
      name: 'webhooks hosts',
      usage: 'webhooks hosts CLIENT [--set a.example,b.example | --any]',
      summary: 'Shows or sets the hosts that new webhooks of a client can use. --any allows all public hosts.',
      run: async (args) => {
        const options = { set: { type: 'string' }, any: { type: 'boolean' } } as const;
        const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
        const [clientId, ...others] = positionals;
        if (clientId === undefined || others.length > 0) throw new UsageError('name one client by its id');
        if (values.set !== undefined && values.any === true) throw new UsageError('choose one of --set and --any');
        const hosts = values.any === true ? [] : values.set === undefined ? undefined : parseHosts(values.set);
        return await withContext((context) => setAllowedHosts(context, { clientId, hosts }, terminal));
      },
    },
  ];
}

const maxHosts = 100;

function parseHosts(text: string): string[] {
  const given = text.split(',').map((part) => part.trim());
  if (given.length > maxHosts) throw new UsageError(`--set is a list of at most ${maxHosts} host names`);
  const hosts = given.map((part) => parseWebhookHost(part));
  if (hosts.includes(undefined))
    throw new UsageError('--set is a list of host names with commas, without ports and stars');
  return [...new Set(hosts.filter((host) => host !== undefined))].sort();
}

async function listWebhooks(
  { read }: WebhooksContext,
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
        `${[id, of, status, `${formatCallCount(waiting)} waiting`, `${formatCallCount(dead)} given up`, url].join('\t')}\n`,
      );
    }
    stderr(`${webhooks.length} webhooks\n`);
  }
  return 0;
}

/** A number of calls for people. Only `maxCallCount` calls are counted. */
function formatCallCount(calls: number): string {
  return calls < maxCallCount ? String(calls) : `${maxCallCount} and more`;
}

/** The ids of the named client, or of all clients; throws for an unknown one. */
async function clientIds(read: Read, named?: string): Promise<string[]> {
  const ids = (await allClients(read)).map(({ clientId }) => clientId);
  if (named === undefined) return ids;
  if (!ids.includes(named)) throw new CommandFailed(`There is no client ${named}; see: citizen-services clients list`);
  return [named];
}

async function setAllowedHosts(
  context: WebhooksContext,
  { clientId, hosts }: { readonly clientId: string; readonly hosts: readonly string[] | undefined },
  { stdout, stderr }: Terminal,
): Promise<ExitCode> {
  await clientIds(context.read, clientId);
  if (hosts !== undefined) {
    await context.commit({
      events: [{ type: 'client.webhook-hosts-set', ...eventHead(context), clientId, hosts }],
      statements: replaceWebhookHosts(clientId, hosts),
    });
  }
  const present = await findWebhookHosts(context.read, clientId);
  stdout(present.map((host) => `${host}\n`).join(''));
  stderr(present.length === 0 ? 'Every public host is allowed.\n' : 'Webhooks that are there already stay.\n');
  return 0;
}

async function redeliver(context: WebhooksContext, id: WebhookId, { stderr }: Terminal): Promise<ExitCode> {
  const { dead } = await countCalls(context.read, id);
  const isQueued = await commitIfUnchanged(context.commit, {
    events: [{ type: 'webhook.changed', ...eventHead(context), webhook: id, change: 'redelivery-asked' }],
    statements: [requestRedelivery(id)],
  });
  if (!isQueued)
    throw new CommandFailed(`There is no webhook ${id}, or it was removed; see: citizen-services webhooks list`);
  stderr(`${formatCallCount(dead)} calls are queued again.\n`);
  return 0;
}
