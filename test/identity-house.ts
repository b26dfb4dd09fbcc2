import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { CompactSign, compactVerify, generateKeyPair } from 'jose';
import { createDispatch, type House } from '../src/api/dispatch.ts';
import type { Answer, Operation } from '../src/api/operation.ts';
import type { Incoming } from '../src/api/parse-request.ts';
import { createGuessBudget, standardGuessLimits } from '../src/identity/guess-budget.ts';
import { type ImportOrder, type ImportResult, importCitizens } from '../src/identity/import/import-citizens.ts';
import { standardPolicy, standardPolicy2 } from '../src/identity/match/policy.ts';
import type { IdentityPorts } from '../src/identity/ports.ts';
import { readVerification } from '../src/identity/read-verification.ts';
import { embeddedRegister } from '../src/identity/registers/embedded.ts';
import { verifyIdentity, verifyIdentityByQuery, verifyIdentityQuery } from '../src/identity/verify-identity.ts';
import { createMint, parseId } from '../src/kernel/id.ts';
import type { Refusal } from '../src/kernel/problem.ts';
import { systemRandom } from '../src/kernel/system-clock.ts';
import { rootKeyFrom } from '../src/keys/root-key.ts';
import { createCitizenKeys } from '../src/ledger/citizen-keys.ts';
import { createCommit } from '../src/ledger/commit.ts';
import { contentKeyOf, openContent } from '../src/ledger/event-content.ts';
import type { Db, Row } from '../src/store/db.ts';
import type { Engine } from './engines.ts';

/** What a question came to. */
export type Answered =
  | { readonly refusal: Refusal }
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly json: Readonly<Record<string, unknown>>;
    };

/** Who asks; every scope of identity but the one for single claims unless stated. */
export type Asking = { readonly client?: string; readonly scopes?: readonly string[] };

export type IdentityHouse = Awaited<ReturnType<typeof buildIdentityHouse>>;

/** Where the clock of the house stands. */
export const houseTime = Date.UTC(2026, 2, 1, 9, 30);

/** The register, the operations of identity and their dispatch, real, on a fresh database. */
export async function openIdentityHouse(t: TestContext, engine: Engine): Promise<IdentityHouse> {
  return await buildIdentityHouse(await engine.open(t));
}

/** The same over a database that is open already. */
export async function buildIdentityHouse(db: Db) {
  let now = houseTime;
  const clock = { now: () => now };
  const root = rootKeyFrom(new Uint8Array(32).fill(7));
  const citizenKeys = createCitizenKeys(db.read, root, systemRandom, { now: () => Math.floor(performance.now()) });
  const commit = createCommit(db, citizenKeys, systemRandom);
  const mint = createMint(clock, systemRandom);
  const keys = await generateKeyPair('ES256');
  const ports: IdentityPorts & { purposes: readonly string[] | undefined } = {
    register: embeddedRegister(db.read),
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
    guesses: createGuessBudget(
      db.read,
      async (statement) => (await db.write([statement]))[0] ?? [],
      standardGuessLimits,
    ),
    noticeOfGuesses,
    tellOfLock: async ({ citizenId }, by) => await noticeOfGuesses(citizenId, by),
    pace: () => async () => undefined,
    issuer: 'https://gov.example',
    registerSource: { name: 'Register of Exampleland', country: 'EX' },
    refuseClaimsInUrl: false,
  };
  const importHouse = { read: db.read, commit, citizenKeys, mint, clock };
  const ask = createAsk((over) => ({ ...importHouse, ports: { ...ports, ...over } }));

  return {
    db,
    ports,
    importHouse,
    ask,
    /** Moves the clock of the house forward. */
    pass: (ms: number) => {
      now += ms;
    },
    seen: () => entriesSeen(db),
    /** The answer to claims sent with POST; fails the test when they are refused. */
    verify: async (claims: object, asking: Asking = {}): Promise<Readonly<Record<string, unknown>>> => {
      const answered = await ask('POST', claims, asking);
      if ('refusal' in answered) throw new Error(`refused: ${answered.refusal.slug}`);
      return answered.json;
    },
    importFile: (order: Partial<ImportOrder> & { readonly path: string }): Promise<ImportResult> =>
      importCitizens(importHouse, { ...plainOrder, ...order }),
    /** The protected header and payload of a token, checked against the published key. */
    openToken: async (token: unknown) => {
      const { protectedHeader, payload } = await compactVerify(String(token), keys.publicKey);
      return {
        header: protectedHeader,
        payload: JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>,
      };
    },
    /** The events of the ledger, newest last, opened with the key of that citizen, or clear where it has none. */
    events: async (citizenId?: string): Promise<Record<string, unknown>[]> => {
      const tag = citizenId === undefined ? null : citizenKeys.pseudonymOf(citizenId);
      const rows = await db.read('select id, citizen_tag, content from ledger_event order by id');
      const mine = rows.filter((row) => sameTag(row, tag));
      return await Promise.all(mine.map((row) => openEvent(row, citizenId, citizenKeys)));
    },
  };
}

/** What claims sent with POST come to, by the second standard policy where `over` has no other: a decision, or a refusal. */
export async function decisionOf(
  house: IdentityHouse,
  claims: object,
  over: Partial<IdentityPorts> = {},
): Promise<unknown> {
  const answered = await house.ask('POST', claims, {}, { policyOf: () => standardPolicy2, ...over });
  return 'json' in answered ? answered.json['decision'] : answered.refusal.slug;
}

/** The message to a citizen, as far as the ledger knows it. */
const noticeOfGuesses: IdentityPorts['noticeOfGuesses'] = async (citizenId, { mint, now }) => {
  const head = { id: mint('event'), at: now, actor: { client: 'house' } };
  return {
    events: [
      {
        type: 'notification.accepted',
        ...{ ...head, citizenId, notification: mint('notification'), contentDigest: `sha-256:${'0'.repeat(64)}` },
      },
    ],
    statements: [],
  };
};

/** Of each event that waits for its number what everybody sees of its entry: of which kind it is, and how long. */
async function entriesSeen(db: Db): Promise<string[]> {
  const rows = await db.read('select citizen_tag, content from ledger_event order by id');
  return rows.map(({ citizen_tag: tag, content }) => {
    if (!(content instanceof Uint8Array)) throw new Error('not an event');
    return tag === null ? 'house' : `citizen ${content.length}`;
  });
}

const plainOrder = {
  format: 'csv',
  conditions: [],
  dryRun: false,
  restart: false,
  actor: { operator: 'test' },
} as const;

function sameTag(row: Row, tag: Uint8Array | null): boolean {
  const found = row['citizen_tag'];
  if (tag === null) return found === null;
  return found instanceof Uint8Array && Buffer.from(found).equals(tag);
}

async function openEvent(
  row: Row,
  citizenId: string | undefined,
  citizenKeys: ReturnType<typeof createCitizenKeys>,
): Promise<Record<string, unknown>> {
  const id = parseId('event', String(row['id']));
  const content = row['content'];
  if (id === undefined || !(content instanceof Uint8Array)) throw new Error('not an event');
  if (citizenId === undefined) return JSON.parse(Buffer.from(content).toString()) as Record<string, unknown>;
  return openContent(contentKeyOf(await citizenKeys.keyOf(citizenId), id), id, content);
}

type Method = 'GET' | 'POST' | 'QUERY';

/** Asks through the real dispatch; `GET` takes claims, or the id of a verification. */
function createAsk(houseOf: (over: Partial<IdentityPorts>) => Omit<House<IdentityPorts>, 'gate' | 'printKey'>) {
  const operations: Readonly<Record<Method, Operation<IdentityPorts>>> = {
    GET: verifyIdentityByQuery,
    POST: verifyIdentity,
    QUERY: verifyIdentityQuery,
  };
  return async (
    method: Method,
    what: object | string,
    { client = 'tax-office', scopes = ['identity:verify'] }: Asking = {},
    over: Partial<IdentityPorts> = {},
  ): Promise<Answered> => {
    const gate: House<IdentityPorts>['gate'] = {
      authenticate: async () => ({ clientId: client, scopes: new Set(scopes) }),
      missingScope: (scope) => ({ slug: 'missing-scope', detail: scope }),
      take: () => ({ headers: {} }),
    };
    const operation = typeof what === 'string' ? readVerification : operations[method];
    const dispatch = createDispatch(operation, { ...houseOf(over), gate, printKey: new Uint8Array(32) });
    const { result } = await dispatch(incoming(method, what));
    return 'slug' in result ? { refusal: result } : toAnswered(result);
  };
}

function incoming(method: Method, what: object | string): Incoming {
  const inQuery = method === 'GET' && typeof what !== 'string';
  return {
    method,
    params: typeof what === 'string' ? { id: what } : {},
    query: inQuery ? new URLSearchParams(Object.entries(what)).toString() : '',
    headers: { 'content-type': 'application/json' },
    body: Readable.from(method === 'GET' ? [] : [Buffer.from(JSON.stringify(what))]),
    signal: new AbortController().signal,
  };
}

function toAnswered(answer: Answer): Answered {
  if (!('json' in answer)) throw new Error('an answer of identity is JSON');
  return { status: answer.status, headers: answer.headers ?? {}, json: answer.json as Record<string, unknown> };
}
