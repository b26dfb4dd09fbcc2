import assert from 'node:assert/strict';
import test from 'node:test';
import { dividedNameKeys } from './divided-names.ts';
import { storedNameKeys } from './name-key.ts';
import { formsOf } from './normalise.ts';

/** A registered family name, and the family and given name of claims that find it. */
const divided: readonly (readonly [registered: string, claims: readonly (readonly [string, string])[]])[] = [
  [
    'Kim',
    [
      ['Kim Min Jun', ''],
      ['', 'Min Jun Kim'],
      ['Min Jun Kim', ''],
      ['Kim Min Jun', 'Kim Min Jun'],
      ['Jun', 'Kim Min'],
    ],
  ],
  [
    'Nguyễn Thị',
    [
      ['Nguyen', 'Thi Ngoc Anh'],
      ['Thi Ngoc Anh', 'Nguyen'],
      ['Nguyen Thi Ngoc Anh', ''],
    ],
  ],
  [
    'García López',
    [
      ['López', 'Ana García'],
      ['', 'Ana García López'],
      ['García', 'López Ana'],
    ],
  ],
  [
    'Щукин',
    [
      ['Иван Щукин', ''],
      ['', 'Shchukin Ivan'],
    ],
  ],
];

test('names that are divided differently between the fields have a search key of the registered family name', () => {
  for (const [registered, claims] of divided) {
    const stored = new Set(storedNameKeys(registered));
    for (const [family, given] of claims) {
      const keys = dividedNameKeys(formsOf(family), formsOf(given));
      assert.ok(
        keys.some((key) => stored.has(key)),
        `${registered}: ${family}, ${given}: ${keys.join(' ')}`,
      );
    }
  }
});

test('names of one word each have no further search keys, and long names have a limited number', () => {
  assert.deepEqual(dividedNameKeys(['kim'], ['miniun']), []);
  const words = Array.from({ length: 50 }, (_, at) => `word${at}`).join(' ');
  assert.ok(dividedNameKeys([words], [`other ${words}`]).length <= 44);
});
