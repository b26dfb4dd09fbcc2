import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiServer, createApiServer } from '../../src/api/api-server.ts';
import { createLog } from '../../src/api/log.ts';
import { bindOperation, scopes } from '../../src/api/operation.ts';
import { operations } from '../../src/app/operations.ts';
import { type Caller, staffScopes } from '../../src/auth/caller.ts';
import { createQuotaLimiter } from '../../src/auth/quota.ts';
import { apiVersion } from '../../src/config/version.ts';
import { ReadUnavailable } from '../../src/db/database.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createHttpClient, type HttpResponse, parseJsonBody } from '../support/http-client.ts';
import { sampledOperations, unknownIds, validRequest } from '../support/valid-requests.ts';

// The real server with the real operations and quotas, on a machine on which every dependency fails.
const clock = { now: () => Date.UTC(2026, 5, 1, 12) };
const secret = 'select * from somewhere at db-7.internal';
const quotas = createQuotaLimiter(clock, systemRandom);
const lines: string[] = [];
let fault: Error;
let server: ApiServer;
let url = '';
let ask: ReturnType<typeof createHttpClient>;

const allScopes: ReadonlySet<string> = new Set(scopes);
const allStaffScopes: ReadonlySet<string> = new Set(staffScopes);
/** Operators belong to no service, so that they may act for all. */
const operator = { subject: 'olu', name: 'Olu', service: null };
const caseworker = { subject: 'cas', name: 'Cas', service: 'permits' };
const quota = { perSecond: 1, burst: 1 };
const callers: Readonly<Record<string, Caller>> = {
  ample: { clientId: 'ample', scopes: allScopes },
  spent: { clientId: 'spent', scopes: allScopes, quota },
  ampleForMary: { clientId: 'ample', citizenId: 'demo-mary', scopes: allScopes },
  spentForMary: { clientId: 'spent', citizenId: 'demo-mary', scopes: allScopes, quota },
  ampleOfOperator: { clientId: 'ample', scopes: allStaffScopes, staff: operator },
  ampleOfStaff: { clientId: 'ample', scopes: allStaffScopes, staff: caseworker },
  spentOfStaff: { clientId: 'spent', scopes: allStaffScopes, staff: caseworker, quota },
};
const operationsFor = (kind: 'citizens' | 'staff') =>
  new Set(
    operations
      .filter(({ callers: kinds }) => kinds.includes(kind) && !kinds.includes('clients'))
      .map(({ name }) => name),
  );
const [ofCitizens, ofStaff] = [operationsFor('citizens'), operationsFor('staff')];
const ofOperators = new Set(operations.filter(({ scope }) => scope === 'staff:operate').map(({ name }) => name));
/** The operation answers from the token alone, so that only the check of the token can fail. */
const ofToken = 'readStaffMember';

/** Ports that throw the fault when they are called or read. */
function brokenPorts(): never {
  // No member is ever used.
  return new Proxy({} as never, {
    get: () => {
      throw fault;
    },
  });
}

before(async () => {
  const broken = () => Promise.reject(fault);
  server = createApiServer({
    app: {
      authorizer: {
        authenticate: async (header) => {
          const token = (header ?? '').replace('Bearer ', '');
          return token === ofToken ? await broken() : (callers[token] ?? { slug: 'no-access-token', detail: '' });
        },
        takeQuota: (caller, needed) => quotas.take(caller, needed),
      },
      clock,
      createId: createIdGenerator(clock, systemRandom),
      read: broken,
      commit: broken,
      fingerprintKey: new Uint8Array(32),
    },
    operations: operations.map((operation) => bindOperation(operation, brokenPorts())),
    pages: [],
    mounts: [],
    publicUrl: 'http://127.0.0.1',
    apiVersion,
    random: systemRandom,
    log: createLog('info', { write: (line) => lines.push(line) }),
  });
  url = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`;
  ask = createHttpClient(url);
});
after(() => server.stop(1_000));

function tokenFor(name: string, client: 'ample' | 'spent'): string {
  if (name === ofToken && client === 'ample') return ofToken;
  if (ofOperators.has(name) && client === 'ample') return 'ampleOfOperator';
  if (ofStaff.has(name)) return `${client}OfStaff`;
  return ofCitizens.has(name) ? `${client}ForMary` : client;
}

const asking = (name: string, client: 'ample' | 'spent') =>
  ask(validRequest(name, { token: tokenFor(name, client), ids: unknownIds }));

/** The slug, and the members about retrying. */
function problemOf({ status, headers, body }: HttpResponse) {
  const { type, retryable } = parseJsonBody({ body });
  return [status, String(type).split('/').at(-1), retryable, headers['content-type'], headers['retry-after']];
}

const problem = 'application/problem+json';

test('every operation answers an internal error with 500 and a problem that reveals nothing about it', async () => {
  fault = new TypeError(secret);
  for (const name of sampledOperations) {
    const answer = await asking(name, 'ample');
    assert.deepEqual(problemOf(answer), [500, 'internal-error', true, problem, undefined], name);
    const said = `${answer.body}${JSON.stringify(answer.headers)}`;
    assert.doesNotMatch(said, /select|internal\b(?!-error)|TypeError|node_modules|\.ts|fastify/i, name);
    assert.ok(
      lines.some((line) => line.includes(String(parseJsonBody(answer)['instance']))),
      `${name} is in the log`,
    );
  }
});

test('every operation answers 503 with Retry-After when the database is unavailable', async () => {
  fault = new ReadUnavailable('the database cannot be reached');
  for (const name of sampledOperations) {
    assert.deepEqual(problemOf(await asking(name, 'ample')), [503, 'capacity-reduced', true, problem, '2'], name);
  }
});

test('every operation answers 429 with Retry-After to a client over its quota, and has no effect', async () => {
  fault = new Error('an operation was run beyond the quota');
  const withToken = operations.filter(({ scope }) => scope !== null);
  for (const { name } of withToken) await asking(name, 'spent');
  for (const { name } of withToken) {
    const answer = await asking(name, 'spent');
    const [status, slug, retryable, type, retryAfter] = problemOf(answer);
    assert.deepEqual([status, slug, retryable, type], [429, 'quota-exceeded', true, problem], name);
    assert.match(String(retryAfter), /^[1-9]$/);
    assert.match(String(answer.headers.ratelimit), /;r=0;t=1$/);
  }
});
