import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSemaphore } from './semaphore.ts';

/** Calls that end on demand, and the names of those that started. */
function createCalls() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    make: (name: string) => () =>
      new Promise<void>((resolve) => {
        begun.push(name);
        ends.set(name, resolve);
      }),
    end: async (name: string) => {
      ends.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

test('a call with priority 0 uses a reserved permit at once, and other calls never use one', async () => {
  const { begun, make, end } = createCalls();
  const semaphore = createSemaphore(3, 1);
  const all = ['a', 'b', 'c'].map((name) => semaphore(make(name)));
  all.push(semaphore(make('urgent'), 0), semaphore(make('second urgent'), 0));
  assert.deepEqual(begun, ['a', 'b', 'urgent']);
  await end('urgent');
  assert.deepEqual(begun, ['a', 'b', 'urgent', 'second urgent']);
  await end('second urgent');
  assert.deepEqual(begun, ['a', 'b', 'urgent', 'second urgent'], 'the kept place stays free');
  await end('a');
  assert.deepEqual(begun, ['a', 'b', 'urgent', 'second urgent', 'c']);
  for (const name of ['b', 'c']) await end(name);
  await Promise.all(all);
});

test('without reserved permits calls wait in the order of their priority, and a failed call releases its permit', async () => {
  const { begun, make, end } = createCalls();
  const semaphore = createSemaphore(1);
  const faulty = assert.rejects(
    semaphore(async () => {
      await make('a')();
      throw new Error('as planned');
    }),
    /as planned/,
  );
  const others = [semaphore(make('last'), 2), semaphore(make('b')), semaphore(make('first'), 0)];
  await end('a');
  await faulty;
  assert.deepEqual(begun, ['a', 'first']);
  await end('first');
  assert.deepEqual(begun, ['a', 'first', 'b']);
  await end('b');
  assert.deepEqual(begun, ['a', 'first', 'b', 'last']);
  await end('last');
  await Promise.all(others);
});
