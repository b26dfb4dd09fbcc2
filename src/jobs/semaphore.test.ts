import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSemaphore } from './semaphore.ts';

/** Calls that end when they are told to, and the names of those that were let in. */
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

test('a call that is first has a kept place at once, and the others never take it', async () => {
  const { begun, make, end } = createCalls();
  const gate = createSemaphore(3, 1);
  const all = ['a', 'b', 'c'].map((name) => gate(make(name)));
  all.push(gate(make('urgent'), true), gate(make('second urgent'), true));
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

test('without kept places a call that is first goes before those that wait, and a place is given back by a fault too', async () => {
  const { begun, make, end } = createCalls();
  const gate = createSemaphore(1);
  const faulty = assert.rejects(
    gate(async () => {
      await make('a')();
      throw new Error('as planned');
    }),
    /as planned/,
  );
  const others = [gate(make('b')), gate(make('first'), true)];
  await end('a');
  await faulty;
  assert.deepEqual(begun, ['a', 'first']);
  await end('first');
  assert.deepEqual(begun, ['a', 'first', 'b']);
  await end('b');
  await Promise.all(others);
});
