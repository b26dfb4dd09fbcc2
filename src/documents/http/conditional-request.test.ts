import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsType, type ConditionalHeaders, evaluateConditions } from './conditional-request.ts';

const target = { etag: '"abc"', length: 100 };
const answer = (conditions: ConditionalHeaders, method = 'GET') =>
  evaluateConditions(method, conditions, target).answer;

test('If-None-Match compares weakly, in a list or by *, and gives 304', () => {
  for (const list of ['"abc"', 'W/"abc"', '"x", "abc"', '*', '"a,b", W/"abc"']) {
    assert.equal(answer({ 'if-none-match': list }), 'not-modified', list);
    assert.equal(answer({ 'if-none-match': list }, 'HEAD'), 'not-modified', list);
  }
  for (const list of ['"x"', 'abc', '""', '"ABC"']) assert.equal(answer({ 'if-none-match': list }), 'whole', list);
});

test('If-Match compares strongly and is evaluated before If-None-Match', () => {
  assert.equal(answer({ 'if-match': '"abc"' }), 'whole');
  assert.equal(answer({ 'if-match': '*' }), 'whole');
  assert.equal(answer({ 'if-match': 'W/"abc"' }), 'precondition-failed');
  assert.equal(answer({ 'if-match': '"x"', 'if-none-match': '"abc"' }), 'precondition-failed');
});

test('a range is returned only if If-Range is absent or equals the ETag', () => {
  const range = 'bytes=0-9';
  assert.deepEqual(evaluateConditions('GET', { range }, target), { answer: 'parts', ranges: [{ first: 0, last: 9 }] });
  assert.equal(answer({ range, 'if-range': '"abc"' }), 'parts');
  for (const validator of ['W/"abc"', '"x"', 'Mon, 01 Jun 2026 12:00:00 GMT', '']) {
    assert.equal(answer({ range, 'if-range': validator }), 'whole', validator);
  }
  assert.equal(answer({ range: 'bytes=100-' }), 'unsatisfiable');
  assert.equal(answer({ range: 'bytes=100-', 'if-range': '"x"' }), 'whole');
  assert.equal(answer({ range: 'bytes=100-' }, 'HEAD'), 'whole');
});

test('an Accept header allows the media type of a document or refuses it, whatever other types it prefers', () => {
  const allows = (accept: string | undefined, type = 'application/pdf') => acceptsType(accept, type);
  for (const accept of [
    undefined,
    '',
    '*/*',
    'application/pdf',
    'application/*',
    'application/json, application/pdf;q=0.1',
    'application/json, */*;q=0.8',
  ]) {
    assert.equal(allows(accept), true, String(accept));
  }
  for (const accept of ['application/json', 'text/html', 'application/pdf;q=0', '*/*, application/pdf;q=0'])
    assert.equal(allows(accept), false, accept);
  assert.equal(allows('text/plain', 'text/plain; charset=utf-8'), true);
  assert.equal(allows('application/json', 'application/json'), true);
});
