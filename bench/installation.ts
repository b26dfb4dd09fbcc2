import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { roles } from '../src/app/serve.ts';
import { type DocumentSet, documentBytes, documentSets } from './bench-documents.ts';
import { type BenchProcess, firstMessage, startProcess } from './child.ts';
import { citizenAt } from './citizens.ts';
import type { ImportFigures } from './import-register.ts';

/** An installation of our server: its folder, and its database where that is not in the folder. */
export type Installation = {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
};

/** Our server, running; `log` is the file that its log goes to. */
export type BenchServer = BenchProcess & { readonly url: string; readonly port: number; readonly readyMs: number };

const mainScript = join(import.meta.dirname, '../src/main.ts');
/** What `npm start` preloads. */
const compileCache = join(import.meta.dirname, '../src/compile-cache.js');
const clientScopes = 'identity:verify,notifications:send,documents:read,documents:write';
const startLimitMs = 30_000;

/** Makes an installation as an operator does: keys, then a client, whose quota is not to be the limit. */
export function createInstallation(dataDir: string, databaseUrl: string | undefined): Installation {
  mkdirSync(dataDir, { recursive: true });
  // A scanner would be measured with the documents: an operator who has one elsewhere runs it in a process of its own.
  const env = {
    DATA_DIR: dataDir,
    CLAMAV: 'off',
    CLIENT_SECRETS: 'true',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  runCommand(env, ['keys', 'create']);
  return { dataDir, env, client: createBenchClient(env, 'Bench', 1_000_000) };
}

/** Makes a client with a secret, and a quota of so many requests a second. */
export function createBenchClient(env: Installation['env'], name: string, quota: number): Installation['client'] {
  const created = runCommand(env, [
    ...['clients', 'create', name, '--scopes', clientScopes, '--secret', '--quota', String(quota), '--json'],
  ]);
  // The command line prints the client it made.
  return JSON.parse(created) as Installation['client'];
}

function runCommand(env: Readonly<Record<string, string>>, args: readonly string[]): string {
  return execFileSync(process.execPath, [mainScript, ...args], { env: { ...env }, encoding: 'utf8', stdio: 'pipe' });
}

/** Imports the register in a process of its own, through the product's importer. */
export async function importRegister(installation: Installation, file: string): Promise<ImportFigures> {
  const child = startProcess(join(import.meta.dirname, 'import-register.ts'), {
    args: ['--file', file, '--root', join(installation.dataDir, 'root.key')],
    nodeArgs: ['--import', compileCache],
    env: installation.env,
  });
  // What import-register.ts sends.
  const figures = (await firstMessage(child)) as ImportFigures;
  await child.stop();
  return figures;
}

export type BenchServerOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** Without the workers, deliveries stay in their queue. */
  readonly withoutWorker?: boolean;
};

/** Starts `start`, logging to a file, and waits until it says where it is. */
export async function startBenchServer(
  installation: Installation,
  options: BenchServerOptions = {},
): Promise<BenchServer> {
  const logPath = join(installation.dataDir, 'server.log');
  const log = openSync(logPath, 'w');
  const wantedRoles = roles.filter((role) => role !== 'worker');
  const startedAt = performance.now();
  const child = startProcess(mainScript, {
    args: ['start', ...(options.withoutWorker === true ? ['--roles', wantedRoles.join(',')] : [])],
    nodeArgs: ['--import', compileCache, ...(options.nodeArgs ?? [])],
    env: { ...installation.env, PORT: '0', ...options.env },
    log,
  });
  closeSync(log);
  for (let waited = 0; waited < startLimitMs && child.process.exitCode === null; waited += 5) {
    const url = /citizen-services at (\S+), /.exec(readFileSync(logPath, 'utf8'))?.[1];
    if (url !== undefined) {
      return { ...child, url, port: Number(new URL(url).port), readyMs: performance.now() - startedAt };
    }
    await pause(5);
  }
  await child.stop();
  throw new Error(`our server did not start: ${readFileSync(logPath, 'utf8')}`);
}

/** A fresh token of a client, usually the bench's own, from the server's token endpoint. */
export async function fetchBenchToken(
  installation: Pick<Installation, 'client'>,
  server: BenchServer,
): Promise<string> {
  const { clientId, clientSecret } = installation.client;
  const response = await fetch(`${server.url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: clientScopes.replaceAll(',', ' ') }),
  });
  const answer: unknown = await response.json();
  if (typeof answer !== 'object' || answer === null || !('access_token' in answer)) {
    throw new Error(`no token: ${JSON.stringify(answer)}`);
  }
  return String(answer.access_token);
}

/** Deposits the documents of a set through the interface; gives their paths, in the order of the set. */
export async function depositDocuments(server: BenchServer, token: string, set: DocumentSet): Promise<string[]> {
  const paths: string[] = [];
  for (let index = 0; index < set.count; index += 1) {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/pdf',
      'citizen-id': citizenAt(index).citizenId,
      'document-title': `Notice ${index}`,
    };
    paths.push(await depositOne(`${server.url}/v1/documents`, headers, documentBytes(set, index)));
  }
  return paths;
}

const depositAttempts = 30;

/** A server that has just started on a busy machine may ask to come again. */
async function depositOne(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { method: 'POST', headers, body });
    const record: unknown = await response.json();
    if (response.status === 201 && typeof record === 'object' && record !== null && 'id' in record) {
      return `/v1/documents/${String(record.id)}`;
    }
    if (response.status !== 503 || attempt === depositAttempts) {
      throw new Error(`a document was not taken: ${JSON.stringify(record)}`);
    }
    await pause(1_000);
  }
}

/** The paths of all documents, by set. */
export type DocumentPaths = Readonly<Record<DocumentSet['name'], readonly string[]>>;

/** Deposits every set, with a server started for that. */
export async function depositAllDocuments(installation: Installation): Promise<DocumentPaths> {
  const server = await startBenchServer(installation);
  try {
    const token = await fetchBenchToken(installation, server);
    const [small, large] = documentSets;
    if (small === undefined || large === undefined) throw new Error('there are two sets of documents');
    return {
      '10k': await depositDocuments(server, token, small),
      '1m': await depositDocuments(server, token, large),
    };
  } finally {
    await server.stop();
  }
}
