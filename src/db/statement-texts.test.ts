import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqlValue } from './database.ts';
import { createStatementTexts, validateStatement } from './statement-texts.ts';

test('an SQL text has the same unique name in every process, and a repeated parameter counts once', () => {
  const [texts, others] = [createStatementTexts(), createStatementTexts()];
  const first = texts('select $2, $1, $2');
  assert.equal(first.parameters, 2);
  assert.equal(others('select 1').parameters, 0);
  assert.deepEqual(others('select $2, $1, $2'), first);
  assert.notEqual(others('select 1').name, first.name);
});

test('the 2,001st SQL text throws, and earlier texts are still found', () => {
  const texts = createStatementTexts();
  for (let n = 0; n < 2_000; n += 1) texts(`select ${n}`);
  assert.throws(() => texts('select 2000'), TypeError);
  assert.equal(texts('select 7').parameters, 0);
});

test('a value that the engines would store differently is a fault, and the message does not contain the value', () => {
  const faults: readonly [value: unknown, fault: string][] = [
    [undefined, '$1 is of type undefined'],
    [0.5, '$1 is not an integer below 2^53'],
    [2 ** 53, '$1 is not an integer below 2^53'],
    [Number.NaN, '$1 is not an integer below 2^53'],
    [5n, '$1 is of type bigint'],
    [new Date(0), '$1 is neither null nor bytes'],
    [['a'], '$1 is neither null nor bytes'],
    ['a\ud800b', '$1 holds a lone surrogate, which both engines would replace silently'],
    ['a\0b', '$1 holds U+0000, which PostgreSQL cannot store'],
  ];
  // The types forbid most of these values. Values that bypass the types must be rejected as well.
  const faultOf = (value: unknown) =>
    validateStatement({ sql: '', args: [value as SqlValue] }, { name: 'one', parameters: 1 });
  assert.deepEqual(
    faults.map(([value]) => faultOf(value)),
    faults.map(([, fault]) => fault),
  );
});

test('values that both engines store equally are accepted', () => {
  const args = ['', 'Ærøskøbing 👩‍🚀', 0, -0, Number.MAX_SAFE_INTEGER, true, false, null, new Uint8Array(0)];
  assert.equal(validateStatement({ sql: '', args }, { name: 'one', parameters: args.length }), undefined);
});

test('a statement with too few or too many values is a fault', () => {
  const text = createStatementTexts()('select $1, $2');
  assert.equal(validateStatement({ sql: '', args: [1] }, text), 'expected 2 values for the SQL text, received 1');
  assert.equal(validateStatement({ sql: '', args: [1, 2, 3] }, text), 'expected 2 values for the SQL text, received 3');
  assert.equal(validateStatement({ sql: '' }, text), 'expected 2 values for the SQL text, received 0');
});
