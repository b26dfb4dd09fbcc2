import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './log.ts';

function logAt(level: string) {
  const lines: string[] = [];
  return { log: createLog(level, { write: (line) => void lines.push(line) }), lines };
}

const line = {
  instance: 'urn:uuid:6fa459ea-ee8a-4ca4-894e-db77e160355e',
  method: 'GET',
  route: '/v1/documents/{id}',
  status: 404,
  problem: 'not-found',
  clientId: undefined,
  durationMs: 5.1,
};

test('the line of a request begins with level and time, and leaves out undefined fields', () => {
  const { log, lines } = logAt('info');
  log.request(line);
  log.notice('started', { port: 3_000 });
  const [request = '', notice = ''] = lines;
  for (const one of [request, notice]) {
    assert.match(
      one,
      /^\{"level":"info","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",.*"msg":"(?:request|started)"\}\n$/,
    );
  }
  const { level, time, msg, ...fields } = JSON.parse(request) as Record<string, unknown>;
  assert.equal(typeof time, 'string');
  assert.deepEqual([level, msg], ['info', 'request']);
  const { clientId, ...known } = line;
  assert.equal(clientId, undefined);
  assert.deepEqual(fields, known);
});

test('at a level above info faults are logged and requests are not', () => {
  const { log, lines } = logAt('error');
  log.request(line);
  log.fault('here', new Error('broken'), line.instance);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /"level":"error".*"broken"/);
});

test('a thrown value that is not an Error is logged with its type and without its content', () => {
  const { log, lines } = logAt('info');
  for (const thrown of ['Ada Lovelace', { name: 'Ada Lovelace' }, null]) log.fault('here', thrown);
  log.fault('here', new Error('broken', { cause: 'Ada Lovelace' }));
  const faults = lines.map((one) => (JSON.parse(one) as { fault: { name: string; message: string } }).fault);
  assert.deepEqual(
    faults.map(({ name, message }) => [name, message]),
    [
      ['NotAnError', 'string'],
      ['NotAnError', 'object'],
      ['NotAnError', 'object'],
      ['Error', 'broken'],
    ],
  );
  assert.doesNotMatch(lines.join(''), /Lovelace/);
});
