import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { ReadUnavailable, type RefusalKind, WriteBusy, WriteQueueFull, WriteRefused } from '../db/database.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { refuse } from '../kernel/refusal.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { UnavailableError } from '../kernel/unavailable-error.ts';
import { createDispatch } from './dispatch.ts';
import {
  bindOperation,
  type Decision,
  defineOperation,
  type OperationCall,
  type OperationResponse,
  type RefusedDecision,
} from './operation.ts';

const clock = { now: () => Date.UTC(2026, 0, 15) };
const unreachable = () => Promise.reject(new Error('not asked in this test'));
const app = {
  authorizer: {
    authenticate: unreachable,
    takeQuota: () => assert.fail('no quota is taken'),
  },
  clock,
  createId: createIdGenerator(clock, systemRandom),
  commit: unreachable,
  fingerprintKey: new Uint8Array(32),
};

const request = {};
const reading = defineOperation({
  name: 'readSomething',
  since: '1.0',
  method: 'GET',
  path: '/v1/something',
  scope: null,
  callers: ['clients'],
  summary: '',
  description: '',
  request,
  responses: {},
  refusals: [],
  citizenData: false,
  run: async (call: OperationCall<typeof request, object>) => ({
    plain: { status: 200, json: await call.read('select 1 as one') },
  }),
});

function incoming() {
  const { signal } = new AbortController();
  return { method: 'GET', params: {}, query: '', headers: {}, body: Readable.from([]), signal };
}

test('a read from an unavailable database gets 503 with Retry-After, and is not reported as a fault', async () => {
  const read = () => Promise.reject(new ReadUnavailable('the database cannot be reached'));
  const dispatched = await createDispatch(bindOperation(reading, {}), { ...app, read })(incoming());
  assert.deepEqual(dispatched, {
    headers: {},
    result: {
      slug: 'capacity-reduced',
      detail: 'The database does not respond.',
      headers: { 'retry-after': '2' },
    },
  });
});

test('an unavailable dependency is named in the problem, with Retry-After', async () => {
  const read = () => Promise.reject(new UnavailableError('register-unavailable', 'no answer within 2000 ms'));
  const dispatched = await createDispatch(bindOperation(reading, {}), { ...app, read })(incoming());
  assert.deepEqual(dispatched, {
    headers: {},
    result: {
      slug: 'register-unavailable',
      detail: 'The register of citizens did not respond.',
      headers: { 'retry-after': '2' },
    },
  });
});

test('an outage of the database or of the documents is not answered as overload', async () => {
  const faults: readonly (readonly [Error, string])[] = [
    [new WriteBusy('nothing is stored after 4 tries'), 'The database could not store the request. Nothing was stored.'],
    [new WriteQueueFull('expected fewer units'), 'The server is overloaded. It did not process the request.'],
    [new UnavailableError('capacity-reduced', 'S3', { detail: 'S3 is away.' }), 'S3 is away.'],
  ];
  for (const [fault, detail] of faults) {
    const { result } = await createDispatch(bindOperation(reading, {}), { ...app, read: () => Promise.reject(fault) })(
      incoming(),
    );
    assert.equal('detail' in result && result.detail, detail);
  }
});

test('a read that fails for another reason is a fault, and is logged', async () => {
  const read = () => Promise.reject(new Error('read failed'));
  await assert.rejects(createDispatch(bindOperation(reading, {}), { ...app, read })(incoming()), {
    message: 'read failed',
  });
});

const caller = { clientId: 'a', scopes: new Set(['documents:read']) };
const headers = { ratelimit: 'told' };

/**
 * Dispatches a request of the caller to an operation with this outcome; returns the result and the failures that were counted.
 */
async function asked(
  outcome: { plain: OperationResponse } | RefusedDecision | undefined,
  spent = false,
  scopes = caller.scopes,
) {
  const run = async () => outcome ?? assert.fail('the operation is not reached');
  const operation = { ...reading, scope: 'documents:read' as const, run };
  const counted: string[] = [];
  const authorizer = {
    authenticate: async () => ({ ...caller, scopes }),
    takeQuota: () => ({ headers, ...(spent ? { refusal: refuse('quota-exceeded') } : {}) }),
    countFailure: ({ clientId }: { clientId: string }) => void counted.push(clientId),
  };
  const { result, ...admitted } = await createDispatch(bindOperation(operation, {}), {
    ...app,
    read: unreachable,
    authorizer,
  })(incoming());
  assert.deepEqual(admitted, { headers, caller: { ...caller, scopes } });
  return ['slug' in result ? result.slug : result.status, counted];
}

test('a client without the scope or over its quota is refused before the operation, with its quota headers', async () => {
  assert.deepEqual(await asked(undefined, false, new Set(['documents:write'])), ['missing-scope', []]);
  assert.deepEqual(await asked(undefined, true, new Set()), ['missing-scope', []]);
  assert.deepEqual(await asked(undefined, true), ['quota-exceeded', []]);
});

test('[R59] a lookup without a result counts as a failed request of the client, and nothing else does', async () => {
  const plain = (json: unknown) => ({ plain: { status: 200, json } });
  assert.deepEqual(await asked({ refusal: refuse('document-not-found') }), ['document-not-found', ['a']]);
  assert.deepEqual(await asked({ refusal: refuse('document-erased') }), ['document-erased', []]);
  assert.deepEqual(await asked(plain({ verified: false })), [200, ['a']]);
  assert.deepEqual(await asked(plain({ verified: true })), [200, []]);
  assert.deepEqual(await asked(plain(null)), [200, []]);
});

test('a decision that counts as several requests is charged once, also if it is decided again', async () => {
  const charged: unknown[] = [];
  let decisions = 0;
  const event = { type: 'house.started' } as never;
  for (const [quotaWeight, expected] of [
    [3, [['a', 'documents:read', 2]]],
    [1, []],
    [undefined, []],
  ] as const) {
    charged.length = 0;
    decisions = 0;
    const run = async (): Promise<Decision> => {
      decisions += 1;
      const answer = { status: 200, json: decisions };
      const weight = quotaWeight === undefined ? {} : { quotaWeight };
      return { effect: { events: [event], statements: [] }, answer, onConflict: run, ...weight };
    };
    const authorizer = {
      authenticate: async () => caller,
      takeQuota: () => ({ headers }),
      chargeQuota: ({ clientId }: { clientId: string }, scope: string, requests: number) =>
        void charged.push([clientId, scope, requests]),
    };
    const commit = async () => {
      if (decisions > 1) return [];
      throw new WriteRefused('rows', 0, 'as planned');
    };
    const operation = { ...reading, scope: 'documents:read' as const, run, citizenData: true };
    const context = { ...app, read: unreachable, authorizer, commit };
    await createDispatch(bindOperation(operation, {}), context)(incoming());
    assert.equal(decisions, 2);
    assert.deepEqual(charged, expected);
  }
});

test('a refused write unit is decided again until it is stored, up to the limit', async () => {
  let [decisions, refused] = [0, 0];
  let kind: RefusalKind = 'rows';
  const commit = async () => {
    if (decisions > refused) return [];
    throw new WriteRefused(kind, 0, 'as planned');
  };
  const event = { type: 'house.started' } as never;
  const run = async (): Promise<Decision> => {
    decisions += 1;
    return { effect: { events: [event], statements: [] }, answer: { status: 200, json: decisions }, onConflict: run };
  };
  const asked = async (refusals: readonly ['changed-meanwhile'] | readonly [], times: number) => {
    [decisions, refused] = [0, times];
    const operation = { ...reading, run, refusals };
    const { result } = await createDispatch(bindOperation(operation, {}), { ...app, read: unreachable, commit })(
      incoming(),
    );
    return 'slug' in result ? result.slug : 'json' in result && result.json;
  };
  assert.equal(await asked([], 63), 64);
  assert.equal(await asked(['changed-meanwhile'], 64), 'changed-meanwhile');
  assert.equal(decisions, 64);
  await assert.rejects(asked([], 64), { message: 'the write of readSomething was refused 64 times' });
  kind = 'unique';
  assert.equal(await asked([], 1), 2);
  // Other refusals of the database are faults.
  for (kind of ['check', 'not_null', 'other'] as const) {
    await assert.rejects(asked(['changed-meanwhile'], 64), { kind });
    assert.equal(decisions, 1);
  }
});
