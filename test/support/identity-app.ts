import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { CompactSign, compactVerify, generateKeyPair } from 'jose';
import { createDispatch, type DispatchContext } from '../../src/api/dispatch.ts';
import { bindOperation, type Operation, type OperationResponse } from '../../src/api/operation.ts';
import type { IncomingRequest } from '../../src/api/parse-request.ts';
import { rootKeyFromBytes } from '../../src/crypto/root-key.ts';
import type { Database, Row } from '../../src/db/database.ts';
import { type ImportOptions, type ImportResult, importCitizens } from '../../src/identity/import/import-citizens.ts';
import { standardPolicy, standardPolicy2 } from '../../src/identity/match/policy.ts';
import { readVerification } from '../../src/identity/read-verification.ts';
import { createEmbeddedRegister } from '../../src/identity/register-adapters/embedded-register.ts';
import type { IdentityPorts } from '../../src/identity/verification/ports.ts';
import {
  createVerificationLimiter,
  defaultVerificationLimits,
} from '../../src/identity/verification-limit/verification-limiter.ts';
import { verifyIdentity, verifyIdentityByQuery, verifyIdentityQuery } from '../../src/identity/verify-identity.ts';
import { createIdGenerator, parseId } from '../../src/kernel/id.ts';
import type { Refusal } from '../../src/kernel/refusal.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createCitizenKeys } from '../../src/ledger/citizen-keys.ts';
import { createCommitter } from '../../src/ledger/commit.ts';
import { deriveContentKey, openEventContent } from '../../src/ledger/event-content.ts';
import type { Engine } from './database-engines.ts';

/** The response to a verification. */
type VerifyResponse =
  | { readonly refusal: Refusal }
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly json: Readonly<Record<string, unknown>>;
    };

/** The client and its scopes; by default `identity:verify`. */
export type VerifyCaller = { readonly client?: string; readonly scopes?: readonly string[] };

export type IdentityApp = Awaited<ReturnType<typeof buildIdentityApp>>;

/** The initial time of the app (epoch ms). */
export const identityAppStartMs = Date.UTC(2026, 2, 1, 9, 30);

/** The real register, identity operations and dispatch on a new database. */
export async function openIdentityApp(t: TestContext, engine: Engine): Promise<IdentityApp> {
  return await buildIdentityApp(await engine.open(t));
}

/** The same on an open database. */
export async function buildIdentityApp(db: Database) {
  let now = identityAppStartMs;
  const clock = { now: () => now };
  const root = rootKeyFromBytes(new Uint8Array(32).fill(7));
  const citizenKeys = createCitizenKeys(db.read, root, systemRandom, { now: () => Math.floor(performance.now()) });
  const commit = createCommitter({ db, citizenKeys, random: systemRandom }).commit;
  const createId = createIdGenerator(clock, systemRandom);
  const keys = await generateKeyPair('ES256');
  const ports: IdentityPorts & { purposes: readonly string[] | undefined } = {
    register: createEmbeddedRegister(db.read),
    citizenKeys,
    rootKey: root,
    random: systemRandom,
    policyOf: () => standardPolicy,
    purposes: undefined,
    purposesOf: () => ports.purposes,
    signResult: (payload, typ) =>
      new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'ES256', typ })
        .sign(keys.privateKey),
    verificationLimiter: createVerificationLimiter(
      db.read,
      async (statement) => (await db.write([statement]))[0] ?? [],
      defaultVerificationLimits,
    ),
    limitReachedNotice: createLimitReachedNotice,
    lockChangeNotice: async ({ citizenId }, by) => await createLimitReachedNotice(citizenId, by),
    startResponsePadding: () => async () => undefined,
    issuer: 'https://gov.example',
    registerSource: { name: 'Register of Exampleland', country: 'EX' },
    refuseClaimsInUrl: false,
    mayReadClaims: () => false,
  };
  const importDeps = { read: db.read, commit, citizenKeys, createId, clock };
  const ask = createVerifyCall((overrides) => ({ ...importDeps, ports: { ...ports, ...overrides } }));

  return {
    db,
    ports,
    importDeps,
    ask,
    /** Moves the clock of the app forward. */
    pass: (ms: number) => {
      now += ms;
    },
    seen: () => visibleEntries(db),
    /** The response to claims sent with POST. Throws if they are refused. */
    verify: async (claims: object, asking: VerifyCaller = {}): Promise<Readonly<Record<string, unknown>>> => {
      const answered = await ask('POST', claims, asking);
      if ('refusal' in answered) throw new Error(`refused: ${answered.refusal.slug}`);
      return answered.json;
    },
    importFile: (order: Partial<ImportOptions> & { readonly path: string }): Promise<ImportResult> =>
      importCitizens(importDeps, { ...defaultImportOptions, ...order }),
    /** The protected header and payload of a token, after verification with the published key. */
    openToken: async (token: unknown) => {
      const { protectedHeader, payload } = await compactVerify(String(token), keys.publicKey);
      return {
        header: protectedHeader,
        payload: JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>,
      };
    },
    /** The decrypted events of that citizen, or the system events; newest last. */
    events: async (citizenId?: string): Promise<Record<string, unknown>[]> => {
      const tag = citizenId === undefined ? null : citizenKeys.pseudonymOf(citizenId);
      const rows = await db.read('select id, citizen_tag, content from ledger_event order by id');
      const mine = rows.filter((row) => hasTag(row, tag));
      return await Promise.all(mine.map((row) => decryptEvent(row, citizenId, citizenKeys)));
    },
  };
}

/** The decision, or the name of the refusal, for claims sent with POST; by default with the policy standard-2026-2. */
export async function verifyDecisionOf(
  app: IdentityApp,
  claims: object,
  portOverrides: Partial<IdentityPorts> = {},
): Promise<unknown> {
  const answered = await app.ask('POST', claims, {}, { policyOf: () => standardPolicy2, ...portOverrides });
  return 'json' in answered ? answered.json['decision'] : answered.refusal.slug;
}

/** A notice with only its ledger event. */
const createLimitReachedNotice: IdentityPorts['limitReachedNotice'] = async (citizenId, { createId, now }) => {
  const head = { id: createId('event'), at: now, actor: { client: 'system' } };
  return {
    events: [
      {
        type: 'notification.accepted',
        ...head,
        citizenId,
        notification: createId('notification'),
        contentDigest: `sha-256:${'0'.repeat(64)}`,
      },
    ],
    statements: [],
  };
};

/** The public properties of each ledger entry: its kind and length. */
async function visibleEntries(db: Database): Promise<string[]> {
  const rows = await db.read('select citizen_tag, content from ledger_event order by id');
  return rows.map(({ citizen_tag: tag, content }) => {
    if (!(content instanceof Uint8Array)) throw new Error('not an event');
    return tag === null ? 'system' : `citizen ${content.length}`;
  });
}

const defaultImportOptions = {
  format: 'csv',
  conditions: [],
  dryRun: false,
  restart: false,
  actor: { operator: 'test' },
} as const;

function hasTag(row: Row, tag: Uint8Array | null): boolean {
  const found = row['citizen_tag'];
  if (tag === null) return found === null;
  return found instanceof Uint8Array && Buffer.from(found).equals(tag);
}

async function decryptEvent(
  row: Row,
  citizenId: string | undefined,
  citizenKeys: ReturnType<typeof createCitizenKeys>,
): Promise<Record<string, unknown>> {
  const id = parseId('event', String(row['id']));
  const content = row['content'];
  if (id === undefined || !(content instanceof Uint8Array)) throw new Error('not an event');
  if (citizenId === undefined) return JSON.parse(Buffer.from(content).toString()) as Record<string, unknown>;
  return openEventContent(deriveContentKey(await citizenKeys.keyOf(citizenId), id), id, content);
}

type VerifyMethod = 'GET' | 'POST' | 'QUERY';

/** Calls the real dispatch. `GET` takes claims, or the id of a verification. */
function createVerifyCall(
  contextFor: (
    overrides: Partial<IdentityPorts>,
  ) => Omit<DispatchContext, 'authorizer' | 'fingerprintKey'> & { readonly ports: IdentityPorts },
) {
  const operations: Readonly<Record<VerifyMethod, Operation<IdentityPorts>>> = {
    GET: verifyIdentityByQuery,
    POST: verifyIdentity,
    QUERY: verifyIdentityQuery,
  };
  return async (
    method: VerifyMethod,
    input: object | string,
    { client = 'tax-office', scopes = ['identity:verify'] }: VerifyCaller = {},
    overrides: Partial<IdentityPorts> = {},
  ): Promise<VerifyResponse> => {
    const authorizer: DispatchContext['authorizer'] = {
      authenticate: async () => ({ clientId: client, scopes: new Set(scopes) }),
      takeQuota: () => ({ headers: {} }),
    };
    const operation = typeof input === 'string' ? readVerification : operations[method];
    const { ports, ...context } = contextFor(overrides);
    const dispatch = createDispatch(bindOperation(operation, ports), {
      ...context,
      authorizer,
      fingerprintKey: new Uint8Array(32),
    });
    const { result } = await dispatch(toVerifyRequest(method, input));
    return 'slug' in result ? { refusal: result } : toVerifyResponse(result);
  };
}

function toVerifyRequest(method: VerifyMethod, input: object | string): IncomingRequest {
  const inQuery = method === 'GET' && typeof input !== 'string';
  return {
    method,
    params: typeof input === 'string' ? { id: input } : {},
    query: inQuery ? new URLSearchParams(Object.entries(input)).toString() : '',
    headers: { 'content-type': 'application/json' },
    body: Readable.from(method === 'GET' ? [] : [Buffer.from(JSON.stringify(input))]),
    signal: new AbortController().signal,
  };
}

function toVerifyResponse(answer: OperationResponse): VerifyResponse {
  if (!('json' in answer)) throw new Error('expected a JSON response');
  return { status: answer.status, headers: answer.headers ?? {}, json: answer.json as Record<string, unknown> };
}
