import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { scopes } from '../api/operation.ts';
import { tokenPath } from '../auth/access-token.ts';
import { newClient } from '../auth/client.ts';
import { insertClient } from '../auth/client-store.ts';
import { type ImportDeps, importCitizens } from '../identity/import/import-citizens.ts';
import { formatInstant, type RandomBytes } from '../kernel/clock.ts';
import { CommandFailed } from './command.ts';
import { replacePrivateFile } from './demo-commands.ts';
import {
  type DemoDocument,
  type DemoFile,
  type DemoMessage,
  demoCitizens,
  demoDocuments,
  demoMessages,
  demoSenderSettings,
} from './demo-data.ts';
import { writeDemoEnvironments } from './demo-environments.ts';
import { personas } from './personas.ts';

type DemoClient = DemoFile['clients'][number];
type StoredDocument = DemoFile['documents'][number];

/** The dependencies of the seeding: the app, its address, and tokens of the running server. */
type DemoContext = ImportDeps & {
  readonly random: RandomBytes;
  readonly dataDir: string;
  readonly publicUrl: string;
  /** Whether the demo captures the messages of all channels. */
  readonly sendsNothing: boolean;
  issueAccessToken(clientId: string, wanted: readonly string[]): Promise<string>;
  invalidateClients(): void;
};

const quota = { perSecond: 100_000, burst: 200_000 };

/**
 * Fills an empty demo: citizens with the importer, one client, documents and notifications through the API. A demo that was
 * filled before keeps its data; only its addresses are updated.
 */
export async function seedDemo(context: DemoContext): Promise<DemoFile> {
  const path = join(context.dataDir, 'demo.json');
  const addresses = { baseUrl: context.publicUrl, tokenUrl: `${context.publicUrl}${tokenPath}` };
  const before = readDemoFile(path);
  if (before !== undefined) return writeDemoFile(path, { ...before, ...addresses });
  await importDemoCitizens(context);
  const client = await createDemoClient(context);
  const token = await context.issueAccessToken(client.clientId, client.scopes);
  const documents: StoredDocument[] = [];
  for (const document of demoDocuments) documents.push(await deposit(context.publicUrl, token, document));
  for (const message of demoMessages) {
    if (context.sendsNothing || message.channels === undefined) await notify(context, token, message);
  }
  const citizens = demoCitizens.map(({ citizenId, givenName, familyName, birthDate, email }) => {
    return { citizenId, givenName, familyName, birthDate, email };
  });
  return writeDemoFile(path, { ...addresses, clients: [client], citizens, documents });
}

/** The file of an earlier start; undefined at the first start. Only this program writes it, so it is not validated. */
function readDemoFile(path: string): DemoFile | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as DemoFile) : undefined;
}

function writeDemoFile(path: string, content: DemoFile): DemoFile {
  replacePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
  writeDemoEnvironments(dirname(path), content);
  return content;
}

async function importDemoCitizens(context: DemoContext): Promise<void> {
  const path = join(context.dataDir, 'demo-citizens.jsonl');
  const people = [...demoCitizens.map(withoutBlanks), ...personas];
  writeFileSync(path, people.map((citizen) => `${JSON.stringify(citizen)}\n`).join(''), { mode: 0o600 });
  await importCitizens(context, {
    path,
    format: 'jsonl',
    conditions: [],
    dryRun: false,
    restart: false,
    actor: { process: 'demo' },
  });
}

function withoutBlanks(citizen: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(citizen).filter(([, value]) => value !== ''));
}

async function createDemoClient(context: DemoContext): Promise<DemoClient> {
  const created = newClient(
    {
      name: 'Demo Permit Service',
      kind: 'demo',
      scopes: scopes.filter((scope) => scope !== 'citizen:self'),
      credential: 'secret',
      quota,
      messages: demoSenderSettings,
    },
    context.clock,
    context.random,
  );
  if ('fault' in created || created.secret === undefined)
    throw new CommandFailed('Cannot create the client of the demo. Delete DATA_DIR, and start the demo again.');
  const { clientId, scopes: allowed } = created.client;
  const head = { id: context.createId('event'), at: context.clock.now(), actor: { process: 'demo' } } as const;
  await context.commit({
    events: [{ type: 'client.created', ...head, clientId, scopes: allowed }],
    statements: [insertClient(created.client)],
  });
  context.invalidateClients();
  return { clientId, clientSecret: created.secret.reveal(), scopes: allowed };
}

async function deposit(baseUrl: string, token: string, document: DemoDocument): Promise<StoredDocument> {
  const { citizenId, title, kind, text } = document;
  const response = await fetchUntilAccepted(`${baseUrl}/v1/documents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'text/plain; charset=utf-8',
      'citizen-id': citizenId,
      'document-title': encodeURIComponent(title),
      'document-kind': kind,
    },
    body: text,
  });
  const record: unknown = await response.json();
  if (response.status !== 201 || typeof record !== 'object' || record === null || !('id' in record)) {
    throw new CommandFailed(
      `Expected status 201 for a document of the demo, received ${response.status}: ${JSON.stringify(record)}`,
    );
  }
  return { id: String(record.id), citizenId };
}

const dayMs = 86_400_000;

async function notify(
  { publicUrl, clock }: Pick<DemoContext, 'publicUrl' | 'clock'>,
  token: string,
  { respondInDays, ...message }: DemoMessage,
): Promise<void> {
  const respondBy =
    respondInDays === undefined ? undefined : formatInstant(clock.now() + respondInDays * dayMs).slice(0, 10);
  const response = await fetchUntilAccepted(`${publicUrl}/v1/notifications/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `demo-${hash('sha256', message.subject, 'hex')}`,
    },
    body: JSON.stringify({ ...message, respondBy }),
  });
  if (response.status !== 202)
    throw new CommandFailed(
      `Expected status 202 for a message of the demo, received ${response.status}: ${await response.text()}`,
    );
  await response.body?.cancel();
}

const maxTries = 60;

/** Repeats a request while the server sheds load, such as during a busy first start: then nothing was stored. Gives up after a minute. */
export async function fetchUntilAccepted(
  url: string,
  request: RequestInit,
  pause: (ms: number) => Promise<void> = setTimeout,
): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(url, request);
    if (response.status !== 503 || tries === maxTries) return response;
    await response.body?.cancel();
    await pause(Number(response.headers.get('retry-after') ?? 1) * 1_000);
  }
}
