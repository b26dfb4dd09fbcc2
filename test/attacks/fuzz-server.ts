import { addCitizenClient, startExternalIssuer } from '../support/external-issuer.ts';
import { freePort } from '../support/free-port.ts';
import { bearerHeaders, createHttpClient } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import {
  type CleanupScope,
  type ClientSecretCredentials,
  makeServerFixture,
  type ServerFixture,
} from '../support/server-process.ts';
import { settledVitals } from '../support/server-vitals.ts';
import { type FuzzReport, fuzzServer } from './fuzz-run.ts';
import { canary } from './fuzz-values.ts';

/** One run against a server of its own. */
export type FuzzEngineOptions = {
  readonly engine: 'sqlite' | 'postgres';
  /** The same seed sends the same requests, except for ids and tokens. */
  readonly seed: number;
  readonly requests: number;
  readonly report: (line: string) => void;
};

const mib = 1_048_576;
const maxHeapGrowth = 32 * mib;
const maxLagGrowthMs = 50;
/** The first requests fill caches and compile code. */
const warmUpRequests = 300;

/** Starts a server as in production, sends the requests, and returns the faults of responses, log, memory and event loop. */
export async function fuzzEngine(t: CleanupScope, options: FuzzEngineOptions): Promise<readonly string[]> {
  const { engine, seed, requests, report } = options;
  const adminPort = await freePort();
  const issuer = await startExternalIssuer(t);
  const settings = { LOG_LEVEL: 'trace', ADMIN_PORT: String(adminPort), TRUSTED_ISSUERS: issuer.url };
  const home = await makeServerFixture(t, { engine, settings });
  // Creates the data of the demo.
  await (await home.start('demo')).stop('SIGTERM');
  const citizens = await addCitizenClient(home, issuer);
  const server = await home.start('start');
  const client = await createFuzzClient(home);
  const claims = { sub: 'mary', client_id: citizens, aud: `${home.url}/v1`, scope: 'citizen:self documents:read' };
  const fetchTokens = async () =>
    [
      await home.fetchAccessToken([], client),
      await issuer.sign({ ...claims, citizen_id: 'demo-mary' }),
      await home.fetchAccessToken(['events:read'], client),
    ] as const;
  const target = { url: home.url, port: home.port, fetchTokens };
  const [token] = await fetchTokens();
  const ask = createHttpClient(home.url, 1);
  const vitals = () => settledVitals(adminPort, ask, { path: '/v1/notifications', headers: bearerHeaders(token) });

  const warmUp = await fuzzServer({ ...target, seed: seed + 1, requests: warmUpRequests });
  const before = await vitals();
  const result = await fuzzServer({ ...target, seed, requests });
  // A heap grows and shrinks; a leak would stay.
  let after = await vitals();
  for (let looks = 0; looks < 20 && after.heap - before.heap > maxHeapGrowth; looks += 1) after = await vitals();
  ask.close();
  const sizes = `heap ${Math.round(before.heap / mib)} to ${Math.round(after.heap / mib)} MiB, event loop delay ${before.lagMs.toFixed(1)} to ${after.lagMs.toFixed(1)} ms`;
  report(`${engine}, seed ${seed}: ${requests} requests, ${statusText(result)}; ${sizes}`);
  const { code } = await server.stop('SIGTERM');
  return [
    ...faultsOf(warmUp),
    ...faultsOf(result),
    ...logFaults(server.stderr(), [...warmUp.tokens, ...result.tokens, client.clientSecret]),
    ...(after.heap - before.heap <= maxHeapGrowth ? [] : [`the heap did not shrink: ${sizes}`]),
    ...(after.lagMs <= before.lagMs + maxLagGrowthMs ? [] : [`the event loop is slower than before: ${sizes}`]),
    ...(code === 0 ? [] : [`the server ended with ${code}`]),
  ];
}

/** A client with all scopes and a quota that the run does not reach. */
async function createFuzzClient(home: ServerFixture): Promise<ClientSecretCredentials> {
  const scopes = home.readDemoFile().clients[0]?.scopes.join(',') ?? '';
  const args = ['Fuzz', '--scopes', scopes, '--secret', '--quota', '1000000', '--json'];
  const { code, stdout, stderr } = await runCommandInProcess(home, 'clients', 'create', ...args);
  if (code !== 0) throw new Error(`expected a client, received: ${stderr}`);
  return JSON.parse(stdout) as ClientSecretCredentials;
}

function faultsOf({ faults }: FuzzReport): string[] {
  return [...faults].map(([fault, count]) => `${count} times: ${fault}`);
}

/** The number of responses with each status, and of the operations that were reached with a success. */
function statusText({ responses }: FuzzReport): string {
  const byStatus = new Map<string, number>();
  const succeeded = new Set<string>();
  for (const [key, count] of responses) {
    const [operation = '', status = ''] = key.split(' ');
    byStatus.set(status, (byStatus.get(status) ?? 0) + count);
    if (status.startsWith('2')) succeeded.add(operation);
  }
  const numbers = [...byStatus].sort().map(([status, count]) => `${status}: ${count}`);
  return `${numbers.join(', ')}, ${succeeded.size} operations with 2xx`;
}

function logFaults(log: string, secrets: readonly string[]): string[] {
  const parts = secrets.flatMap((secret) => secret.split('.').filter((part) => part.length > 40 || secret === part));
  // The header of a token is the same for all.
  const private_ = [canary, ...parts.filter((part) => !/^eyJhbGci/.test(part))];
  const lines = log.split('\n').filter((line) => private_.some((text) => line.includes(text)));
  const errors = log.split('\n').filter((line) => /"level":"(?:error|fatal)"/.test(line));
  return [
    ...(lines.length === 0
      ? []
      : [`${lines.length} log lines have data of requests, such as ${lines[0]?.slice(0, 300)}`]),
    ...(errors.length === 0 ? [] : [`${errors.length} errors in the log, such as ${errors[0]?.slice(0, 500)}`]),
  ];
}
