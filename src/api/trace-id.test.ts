import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceIdOf } from './trace-id.ts';

const id = '4bf92f3577b34da6a3ce929d0e0e4736';

test('a valid traceparent header gives its trace id, also in a later version', () => {
  assert.equal(traceIdOf({ traceparent: `00-${id}-00f067aa0ba902b7-01` }), id);
  assert.equal(traceIdOf({ traceparent: `cc-${id}-00f067aa0ba902b7-01-what-else` }), id);
});

test('an absent or invalid traceparent header gives no trace id', () => {
  const invalid = [
    '',
    id,
    `ff-${id}-00f067aa0ba902b7-01`,
    `00-${id.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${id}-${'0'.repeat(16)}-01`,
    `00-${id}-00f067aa0ba902b7-01, 00-${id}-00f067aa0ba902b7-01`,
    `00-${id}-00f067aa0ba902b7-011`,
  ];
  for (const traceparent of invalid) assert.equal(traceIdOf({ traceparent }), undefined, traceparent);
  assert.equal(traceIdOf({}), undefined);
});
