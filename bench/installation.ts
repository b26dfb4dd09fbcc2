import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { roles } from '../src/app/serve.ts';
import { type DocumentSet, documentBytes, documentSets } from './bench-documents.ts';
import { BenchFailed } from './bench-failed.ts';
import { type BenchProcess, firstMessage, startProcess } from './child.ts';
import { citizenAt } from './citizens.ts';
import type { ImportFigures } from './import-register.ts';

/** An installation of our server: its folder, its settings and the client of the bench. */
export type Installation = {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
};

/** Our server, running. `readyMs` is the time from process start until it listened. */
export type BenchServer = BenchProcess & { readonly url: string; readonly port: number; readonly readyMs: number };

const mainScript = join(import.meta.dirname, '../src/main.ts');
/** The module that `npm start` preloads. */
const compileCache = join(import.meta.dirname, '../src/compile-cache.js');
const clientScopes =
  'identity:verify,identity:present,notifications:send,notifications:read,documents:read,documents:write';
const startLimitMs = 30_000;

/** Creates an installation as an operator does: keys, then a client with a quota that no bench reaches. */
export function createInstallation(dataDir: string, databaseUrl: string | undefined): Installation {
  mkdirSync(dataDir, { recursive: true });
  // Without a virus scanner: its CPU time would count as time of the server.
  const env = {
    DATA_DIR: dataDir,
    CLAMAV: 'off',
    CLIENT_SECRETS: 'true',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  runCommand(env, ['keys', 'create']);
  return { dataDir, env, client: createBenchClient(env, 'Bench', 1_000_000) };
}

/** Creates a client with a secret. `quota` is in requests per second. */
export function createBenchClient(env: Installation['env'], name: string, quota: number): Installation['client'] {
  const created = runCommand(env, [
    ...['clients', 'create', name, '--scopes', clientScopes, '--secret', '--quota', String(quota), '--json'],
  ]);
  // `clients create --json` prints the new client.
  return JSON.parse(created) as Installation['client'];
}

function runCommand(env: Readonly<Record<string, string>>, args: readonly string[]): string {
  return execFileSync(process.execPath, [mainScript, ...args], { env: { ...env }, encoding: 'utf8', stdio: 'pipe' });
}

/** Imports the register with the importer of the server, in a separate process. */
export async function importRegister(installation: Installation, file: string): Promise<ImportFigures> {
  const child = startProcess(join(import.meta.dirname, 'import-register.ts'), {
    args: ['--file', file, '--root', join(installation.dataDir, 'root.key')],
    nodeArgs: ['--import', compileCache],
    env: installation.env,
  });
  // Sent by import-register.ts.
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

/** Runs the command `start` with a log file, and waits until the log has the URL of the server. */
export async function startBenchServer(
  installation: Installation,
  options: BenchServerOptions = {},
): Promise<BenchServer> {
  const logPath = join(installation.dataDir, 'server.log');
  const log = openSync(logPath, 'w');
  const rolesWithoutWorker = roles.filter((role) => role !== 'worker');
  const startedAt = performance.now();
  const child = startProcess(mainScript, {
    args: ['start', ...(options.withoutWorker === true ? ['--roles', rolesWithoutWorker.join(',')] : [])],
    nodeArgs: ['--import', compileCache, ...(options.nodeArgs ?? [])],
    env: { ...installation.env, PORT: '0', ...options.env },
    log,
  });
  closeSync(log);
  for (let waited = 0; waited < startLimitMs && child.process.exitCode === null; waited += 5) {
    const url = /citizen-services runs at (\S+), /.exec(readFileSync(logPath, 'utf8'))?.[1];
    if (url !== undefined) {
      return { ...child, url, port: Number(new URL(url).port), readyMs: performance.now() - startedAt };
    }
    await pause(5);
  }
  await child.stop();
  throw new BenchFailed(`expected our server to start: ${readFileSync(logPath, 'utf8')}`);
}

/** Requests a new access token for a client from the token endpoint of the server. */
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
  const tokenResponse: unknown = await response.json();
  if (typeof tokenResponse !== 'object' || tokenResponse === null || !('access_token' in tokenResponse)) {
    throw new BenchFailed(`expected an access token, received ${JSON.stringify(tokenResponse)}`);
  }
  return String(tokenResponse.access_token);
}

/** Deposits the documents of a set over HTTP. Returns their paths in the order of the set. */
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

/** Repeats after a 503, which a new server can send on a busy machine. */
async function depositOne(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { method: 'POST', headers, body });
    const record: unknown = await response.json();
    if (response.status === 201 && typeof record === 'object' && record !== null && 'id' in record) {
      return `/v1/documents/${String(record.id)}`;
    }
    if (response.status !== 503 || attempt === depositAttempts) {
      throw new BenchFailed(`expected 201 for a document, received ${response.status}: ${JSON.stringify(record)}`);
    }
    await pause(1_000);
  }
}

/** The paths of all documents, by set. */
export type DocumentPaths = Readonly<Record<DocumentSet['name'], readonly string[]>>;

/** Starts a server, deposits every set and stops the server. */
export async function depositAllDocuments(installation: Installation): Promise<DocumentPaths> {
  const server = await startBenchServer(installation);
  try {
    const token = await fetchBenchToken(installation, server);
    const [small, large] = documentSets;
    if (small === undefined || large === undefined) throw new BenchFailed('expected two sets of documents');
    return {
      '10k': await depositDocuments(server, token, small),
      '1m': await depositDocuments(server, token, large),
    };
  } finally {
    await server.stop();
  }
}
