import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPersonLookup } from './person-lookup.ts';

function open(nameOf: (citizenId: string) => Promise<string | undefined>) {
  const [asked, faults] = [[] as string[], [] as unknown[]];
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
  };
  const personOf = createPersonLookup({
    nameOf: (citizenId) => {
      asked.push(citizenId);
      return nameOf(citizenId);
    },
    statedLanguageOf: async (citizenId) => (citizenId === 'mary' ? 'de' : undefined),
    unreadCountOf: async (citizenId) => citizenId.length,
    onFault: (fault) => void faults.push(fault),
    stopwatch: () => now,
  });
  return { personOf, asked, faults, pass };
}

test('the register is asked for a name once a minute for each citizen', async () => {
  const { personOf, asked, pass } = open(async (citizenId) => citizenId.toUpperCase());
  assert.deepEqual(await personOf('mary'), { name: 'MARY', statedLanguage: 'de', unreadCount: 4 });
  pass(59_000);
  assert.deepEqual(await personOf('mary'), { name: 'MARY', statedLanguage: 'de', unreadCount: 4 });
  assert.deepEqual(await personOf('ann'), { name: 'ANN', statedLanguage: undefined, unreadCount: 3 });
  assert.deepEqual(asked, ['mary', 'ann']);
  pass(2_000);
  await personOf('mary');
  assert.deepEqual(asked, ['mary', 'ann', 'mary']);
});

test('a register that does not answer costs the page only the name', async () => {
  const away = new Error('the register is away');
  const { personOf, asked, faults } = open(() => Promise.reject(away));
  assert.deepEqual(await personOf('mary'), { name: undefined, statedLanguage: 'de', unreadCount: 4 });
  await personOf('mary');
  assert.deepEqual([asked, faults], [['mary'], [away]]);
});
