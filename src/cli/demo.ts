import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { scopes } from '../api/operation.ts';
import { tokenPath } from '../auth/access-token.ts';
import { newClient } from '../auth/client.ts';
import { insertClient } from '../auth/client-store.ts';
import { type ImportDeps, importCitizens } from '../identity/import/import-citizens.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import { CommandFailed } from './command.ts';
import { type DemoDocument, demoCitizens, demoDocuments } from './demo-data.ts';
import { writeDemoEnvironments } from './demo-environments.ts';
import { personas } from './personas.ts';

type DemoClient = { readonly clientId: string; readonly clientSecret: string; readonly scopes: readonly string[] };
type StoredDocument = { readonly id: string; readonly citizenId: string };

/** The content of `demo.json`: the addresses of the demo, its clients, its citizens and its documents. */
export type DemoFile = {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly clients: readonly DemoClient[];
  readonly citizens: readonly Pick<
    (typeof demoCitizens)[number],
    'citizenId' | 'givenName' | 'familyName' | 'birthDate' | 'email'
  >[];
  readonly documents: readonly StoredDocument[];
};

/** The dependencies of the seeding: the app, its address, and tokens of the running server. */
export type DemoContext = ImportDeps & {
  readonly random: RandomBytes;
  readonly dataDir: string;
  readonly publicUrl: string;
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
  for (const { citizenId } of documents) await notify(context.publicUrl, token, citizenId);
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
  writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
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
    },
    context.clock,
    context.random,
  );
  if ('fault' in created || created.secret === undefined)
    throw new CommandFailed('the demo client could not be created');
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
    throw new CommandFailed(`the demo's documents could not be deposited: ${JSON.stringify(record)}`);
  }
  return { id: String(record.id), citizenId };
}

async function notify(baseUrl: string, token: string, citizenId: string): Promise<void> {
  const response = await fetchUntilAccepted(`${baseUrl}/v1/notifications/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `demo-${citizenId}`,
    },
    body: JSON.stringify({ citizenId, subject: 'A document for you', message: 'A new document lies ready for you.' }),
  });
  if (response.status !== 202)
    throw new CommandFailed(`the demo's notices could not be sent: ${await response.text()}`);
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

/** The text that the demo prints: its addresses, and three commands to paste into a shell. */
export function demoText(demo: DemoFile, token: string, adminUrl: string | undefined): string {
  const { baseUrl } = demo;
  const person = demo.citizens.find(({ citizenId }) => citizenId === 'demo-mary');
  const document = demo.documents.find(({ citizenId }) => citizenId === 'demo-mary');
  const auth = `-H 'Authorization: Bearer ${token}'`;
  const json = `-H 'Content-Type: application/json'`;
  const claims = JSON.stringify({
    citizenId: person?.citizenId,
    givenName: person?.givenName,
    familyName: person?.familyName,
    birthDate: person?.birthDate,
  });
  const message = JSON.stringify({ citizenId: person?.citizenId, message: 'Your permit is ready.' });
  return `citizen-services demo. It listens on loopback only and sends nothing outside${demo.citizens.length > 0 ? `; ${demo.citizens.length} invented citizens` : ''}.

  API        ${baseUrl}/v1
  Reference  ${baseUrl}/docs
  Citizens   ${baseUrl}/me     their messages, documents, and who used their data
  Outbox     ${baseUrl}/outbox     every mail that would have been sent
  Metrics    ${adminUrl}/metrics

Clients, citizens and documents: demo.json in the data folder. Try now (the token is good for ten minutes):

curl -s ${baseUrl}/v1/identity/verify ${auth} ${json} -d '${claims}'
curl -s ${baseUrl}/v1/notifications/send ${auth} ${json} -d '${message}'
curl -s ${baseUrl}/v1/documents/${document?.id} ${auth}

`;
}
