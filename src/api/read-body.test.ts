import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { jsonBodyLimit, readJsonBody, unexpectedBodyIssues } from './read-body.ts';

const read = (...chunks: Uint8Array[]) => readJsonBody(Readable.from(chunks, { objectMode: false }));
const slugOf = (result: Awaited<ReturnType<typeof read>>) => ('refusal' in result ? result.refusal.slug : 'read');

test('a body is read whole in any chunks, and not beyond its limit', async () => {
  const bytes = Buffer.from('{"name":"é"}');
  for (let cut = 1; cut < bytes.length; cut += 1) {
    assert.deepEqual(await read(bytes.subarray(0, cut), bytes.subarray(cut)), { value: { name: 'é' } });
  }
  const full = Buffer.from(`"${'x'.repeat(jsonBodyLimit - 2)}"`);
  assert.equal(slugOf(await read(full)), 'read');
  assert.equal(slugOf(await read(full, Buffer.from(' '))), 'payload-too-large');
});

test('a client that disconnects during its body is refused, and no fault of the server is reported', async () => {
  for (const fault of [undefined, new Error('aborted')]) {
    const stream = new Readable({ read: () => undefined });
    stream.push('{"name":');
    const reading = readJsonBody(stream);
    stream.destroy(fault);
    assert.equal(slugOf(await reading), 'malformed-json');
    assert.equal(slugOf(await readJsonBody(stream)), 'malformed-json');
  }
});

test('a body that is not UTF-8 or JSON, or has a duplicate name, is refused', async () => {
  for (const text of [
    '',
    '{',
    '{"a":1}}',
    "{'a':1}",
    '{"a":01}',
    'nul',
    '{"a":1,"a":1}',
    '{"b":{"a":1,"\\u0061":2}}',
  ]) {
    assert.equal(slugOf(await read(Buffer.from(text))), 'malformed-json', text);
  }
  assert.equal(slugOf(await read(Buffer.from([0x22, 0xff, 0x22]))), 'malformed-json');
  assert.equal(slugOf(await read(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))), 'malformed-json');
});

test('a body that is not JSON is refused with its line and column, and without its text', async () => {
  const result = await read(Buffer.from('{\n  "familyName": "Zzyxwname",\n}'));
  assert.deepEqual('refusal' in result && result.refusal, {
    slug: 'malformed-json',
    detail: 'The body is not valid JSON at line 3, column 1.',
    members: { line: 3, column: 1 },
  });
  const empty = await read(Buffer.from(''));
  assert.equal('refusal' in empty && empty.refusal.detail, 'The body is empty.');
});

test('an operation without a body accepts only an empty body or object, and does not read a longer body to its end', async () => {
  const codesOf = async (stream: Readable) => (await unexpectedBodyIssues(stream)).map(({ code }) => code);
  const of = (text: string) => codesOf(Readable.from([Buffer.from(text)], { objectMode: false }));
  for (const text of ['', ' \n', '{}', ' { } ']) assert.deepEqual(await of(text), [], text);
  for (const text of ['{"dryRun":true}', '[]', 'null', '{', 'a=1', '{}{}', ' '.repeat(100)])
    assert.deepEqual(await of(text), ['unknown-input'], text);
  let taken = 0;
  function* endless() {
    for (; taken < 1_000; taken += 1) yield Buffer.alloc(64, ' ');
  }
  assert.deepEqual(await codesOf(Readable.from(endless(), { objectMode: false, highWaterMark: 64 })), [
    'unknown-input',
  ]);
  assert.ok(taken < 10, String(taken));
});

test('a complete request in several chunks is read whole', async () => {
  const arrived = (...parts: readonly string[]) => {
    const message = new IncomingMessage(new Socket());
    for (const part of parts) message.push(part);
    message.push(null);
    message.complete = true;
    return message;
  };
  assert.deepEqual(await readJsonBody(arrived('{"name":', '"Ann', '"}')), { value: { name: 'Ann' } });
  const text = 'x'.repeat(jsonBodyLimit - 2);
  assert.deepEqual(await readJsonBody(arrived('"', text, '"')), { value: text });
  const [issue] = await unexpectedBodyIssues(arrived('{}', '{"dryRun":true}'));
  assert.equal(issue?.code, 'unknown-input');
});
