import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualTime } from '../../test/support/virtual-time.ts';
import { type JobWorkerDeps, startJobWorker } from './job-worker.ts';

type Job = { readonly name: string; readonly dueAt: number };

type Options = Partial<Pick<JobWorkerDeps<Job>, 'concurrency' | 'batch' | 'pollMs' | 'reducedLimits'>>;

function set(options: Options = {}) {
  const time = createVirtualTime(0);
  const waiting: Job[] = [];
  const ran: string[] = [];
  const faults: string[] = [];
  const blocked = new Map<string, PromiseWithResolvers<void>>();
  const claims: number[] = [];
  let failing = false;
  let looks = 0;
  let answers: Promise<void> | undefined;
  const worker = startJobWorker<Job>({
    clock: time.clock,
    timer: time.timer,
    random: (bytes) => new Uint8Array(bytes),
    concurrency: options.concurrency ?? 4,
    batch: options.batch ?? 2,
    pollMs: options.pollMs ?? 1_000_000,
    reducedLimits: options.reducedLimits ?? (() => undefined),
    onFault: (fault) => faults.push(String(fault)),
    queue: {
      nextDueAt: async () => {
        looks += 1;
        if (failing) throw new Error('no database');
        return waiting.length === 0 ? undefined : Math.min(...waiting.map((job) => job.dueAt));
      },
      claim: async (limit) => {
        claims.push(limit);
        assert.ok(claims.length < 1_000, 'it claims without end');
        await answers;
        const due = waiting.filter((job) => job.dueAt <= time.clock.now() && job.name !== 'taken').slice(0, limit);
        for (const job of due) waiting.splice(waiting.indexOf(job), 1);
        return due;
      },
      run: async (job) => {
        await blocked.get(job.name)?.promise;
        ran.push(job.name);
        if (job.name === 'bad') throw new Error('bad job');
      },
    },
  });
  const add = (name: string, dueAt = 0) => waiting.push({ name, dueAt });
  const block = (name: string) => blocked.set(name, Promise.withResolvers());
  const release = (name: string) => blocked.get(name)?.resolve();
  const fail = (now: boolean) => (failing = now);
  const answerAfter = (promise: Promise<void>) => (answers = promise);
  return { time, worker, add, block, release, ran, faults, claims, fail, answerAfter, looks: () => looks };
}

test('a due job runs as soon as the worker is woken', async () => {
  const { worker, add, ran } = set();
  await worker.idle();
  add('one');
  worker.wake();
  await worker.idle();
  assert.deepEqual(ran, ['one']);
});

test('a job runs at its due time and not earlier', async () => {
  const { time, worker, add, ran } = set();
  add('later', 60_000);
  worker.wake();
  await time.advance(59_999, worker.idle);
  assert.deepEqual(ran, []);
  await time.advance(1, worker.idle);
  assert.deepEqual(ran, ['later']);
});

test('a job that another process added is found by polling', async () => {
  const { time, worker, add, ran } = set({ pollMs: 1_000 });
  await worker.idle();
  add('foreign');
  await time.advance(1_200, worker.idle);
  assert.deepEqual(ran, ['foreign']);
});

test('a worker that is woken many times checks the queue once after its pause', async () => {
  const { time, worker, add, looks } = set({ pollMs: 1_000 });
  add('late', 1_000_000);
  for (let times = 0; times < 10; times += 1) {
    worker.wake();
    await worker.idle();
  }
  const before = looks();
  await time.advance(800, worker.idle);
  assert.equal(looks() - before, 1);
});

test('at most as many jobs run as the limit, and a job that cannot run is not claimed', async () => {
  const { worker, add, block, release, ran, claims } = set({ concurrency: 4, batch: 2 });
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const name of names) {
    block(name);
    add(name);
  }
  worker.wake();
  await new Promise(setImmediate);
  assert.deepEqual({ claims, ran }, { claims: [2, 2], ran: [] });
  for (const name of names) release(name);
  await worker.idle();
  assert.deepEqual(ran.sort(), names);
});

test('a job that hangs occupies one slot, and a claim waits until half of the slots are free', async () => {
  const { worker, add, block, release, ran, claims } = set({ concurrency: 4, batch: 3 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    block(name);
    add(name);
  }
  worker.wake();
  await new Promise(setImmediate);
  release('b');
  await new Promise(setImmediate);
  release('d');
  await new Promise(setImmediate);
  assert.deepEqual({ claims, ran }, { claims: [3, 2], ran: ['b', 'd'] });
});

test('a due job that another worker claimed is checked again after a pause', async () => {
  const { time, worker, add, claims, faults } = set();
  await worker.idle();
  add('taken');
  worker.wake();
  await worker.idle();
  assert.deepEqual([claims.length, faults], [1, []]);
  await time.advance(50, worker.idle);
  assert.equal(claims.length, 2);
});

test('slots that become free while a job hangs are used', async () => {
  let spare: ReturnType<NonNullable<Options['reducedLimits']>> = { concurrency: 2, batch: 1 };
  const { time, worker, add, block, release, ran } = set({
    concurrency: 8,
    batch: 4,
    pollMs: 1_000,
    reducedLimits: () => spare,
  });
  for (const name of ['hangs', 'ends']) {
    block(name);
    add(name);
  }
  worker.wake();
  await new Promise(setImmediate);
  spare = undefined;
  release('ends');
  await new Promise(setImmediate);
  add('next');
  await time.advance(1_200, () => new Promise(setImmediate));
  assert.deepEqual(ran, ['ends', 'next']);
});

test('a job that fails is reported, and stops neither other jobs nor the worker', async () => {
  const { worker, add, ran, faults } = set();
  add('bad');
  add('good');
  worker.wake();
  await worker.idle();
  assert.deepEqual({ ran, faults }, { ran: ['bad', 'good'], faults: ['Error: bad job'] });
});

test('a queue that cannot be read is read again after one second', async () => {
  const { time, worker, add, ran, faults, fail } = set();
  fail(true);
  add('one');
  worker.wake();
  await worker.idle();
  fail(false);
  await time.advance(999, worker.idle);
  assert.deepEqual(ran, []);
  await time.advance(1, worker.idle);
  assert.deepEqual({ ran, faults: faults.length > 0 }, { ran: ['one'], faults: true });
});

test('a wake does not shorten the pause after a failed read of the queue', async () => {
  const { time, worker, faults, fail } = set();
  await worker.idle();
  fail(true);
  for (let ring = 0; ring < 50; ring += 1) {
    worker.wake();
    await worker.idle();
  }
  assert.equal(faults.length, 1);
  await time.advance(1_000, worker.idle);
  assert.equal(faults.length, 2);
});

test('a queue whose jobs all fail is claimed with growing pauses', async () => {
  const { time, worker, add, claims, ran } = set();
  for (let job = 0; job < 1_000; job += 1) add('bad');
  worker.wake();
  await time.advance(60_000, worker.idle);
  // Five seconds each, and two claims before the first failure is known.
  assert.ok(claims.length > 12 && claims.length < 40, `${claims.length} claims`);
  const failed = ran.length;
  assert.ok(failed <= 2 * claims.length);
  await time.advance(5_000, worker.idle);
  assert.ok(ran.length > failed, 'it is taken up again');
});

test('one failing job among successful ones causes no pause', async () => {
  const { worker, add, ran } = set();
  for (let pair = 0; pair < 20; pair += 1) {
    add('bad');
    add('good');
  }
  worker.wake();
  await worker.idle();
  assert.equal(ran.length, 40);
});

test('stop waits for running jobs and claims no more', async () => {
  const { worker, add, block, release, ran } = set();
  block('running');
  add('running');
  worker.wake();
  await new Promise(setImmediate);
  add('too late');
  const stopped = worker.stop(1_000);
  release('running');
  assert.equal(await stopped, true);
  assert.deepEqual(ran, ['running']);
});

test('stop waits no longer than its limit', async () => {
  const { time, worker, add, block } = set();
  block('stuck');
  add('stuck');
  worker.wake();
  await new Promise(setImmediate);
  const stopped = worker.stop(1_000);
  await new Promise(setImmediate);
  await time.advance(1_000, async () => undefined);
  assert.equal(await stopped, false);
});

test('stop waits no longer than its limit for a queue that does not respond, and runs none of its jobs', async () => {
  const { time, worker, add, ran, answerAfter } = set();
  const answer = Promise.withResolvers<void>();
  answerAfter(answer.promise);
  add('too late');
  worker.wake();
  await new Promise(setImmediate);
  let finished: boolean | undefined;
  const stopped = worker.stop(1_000).then((inTime) => {
    finished = inTime;
  });
  await time.advance(1_000, () => new Promise(setImmediate));
  assert.equal(finished, false);
  answer.resolve();
  await stopped;
  await new Promise(setImmediate);
  assert.deepEqual(ran, []);
});
