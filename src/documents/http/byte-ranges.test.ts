import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRanges } from './byte-ranges.ts';
import { createMultipart } from './multipart-ranges.ts';

test('each form of RFC 9110, section 14.1.2, gives the bytes of its example', () => {
  const of = (header: string, length = 10_000) => parseRanges(header, length);
  assert.deepEqual(of('bytes=0-499'), [{ first: 0, last: 499 }]);
  assert.deepEqual(of('bytes=500-999'), [{ first: 500, last: 999 }]);
  assert.deepEqual(of('bytes=-500'), [{ first: 9_500, last: 9_999 }]);
  assert.deepEqual(of('bytes=9500-'), [{ first: 9_500, last: 9_999 }]);
  assert.deepEqual(of('Bytes=0-0, -1'), [
    { first: 0, last: 0 },
    { first: 9_999, last: 9_999 },
  ]);
  assert.deepEqual(of('bytes=9999-123456'), [{ first: 9_999, last: 9_999 }]);
  assert.deepEqual(of('bytes=-123456'), [{ first: 0, last: 9_999 }]);
  assert.deepEqual(of('bytes=20000-, 5-6'), [{ first: 5, last: 6 }]);
});

test('a range beyond the end, or any range of an empty document, is unsatisfiable', () => {
  for (const header of ['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99-, -0']) {
    assert.equal(parseRanges(header, 10), 'unsatisfiable', header);
  }
  for (const header of ['bytes=0-', 'bytes=-5', 'bytes=0-0']) assert.equal(parseRanges(header, 0), 'unsatisfiable');
});

test('a Range header is ignored if it is not a set of byte ranges, or has overlapping or too many ranges', () => {
  const ignored = ['bytes=', 'bytes=-', 'bytes=5-4', 'bytes=a-b', 'items=0-4', 'bytes 0-4', 'bytes=1-2-3'];
  for (const header of [...ignored, 'bytes=0-5,5-9', 'bytes=-3,8-8', 'bytes=1e3-']) {
    assert.equal(parseRanges(header, 10), 'whole', header);
  }
  assert.equal(parseRanges(undefined, 10), 'whole');
  const many = (count: number) => `bytes=${Array.from({ length: count }, (_, at) => `${at * 2}-${at * 2}`).join(',')}`;
  assert.equal(parseRanges(many(16), 100).length, 16);
  assert.equal(parseRanges(many(17), 100), 'whole');
});

test('for any Range header, the parsed ranges are within the document', () => {
  const header = fc.stringMatching(/^bytes=[0-9, -]{0,20}$/);
  fc.assert(
    fc.property(header, fc.nat(50), (text, length) => {
      const ranges = parseRanges(text, length);
      if (typeof ranges === 'string') return;
      for (const { first, last } of ranges) assert.ok(first >= 0 && first <= last && last < length);
    }),
  );
});

test('a response with several ranges has the framing of RFC 9110, section 14.6, and an exact length', async () => {
  const text = Buffer.from('0123456789');
  const ranges = [
    { first: 1, last: 2 },
    { first: 8, last: 9 },
  ];
  const multipart = createMultipart(ranges, { mediaType: 'text/plain', size: 10, boundary: 'XYZ' });
  const parts: Buffer[] = [];
  const opened = multipart.body(async function* (range) {
    yield text.subarray(range.first, range.last + 1);
  });
  for await (const part of opened) parts.push(part);
  const body = Buffer.concat(parts);
  const lines = [
    ...['--XYZ', 'content-type: text/plain', 'content-range: bytes 1-2/10', '', '12'],
    ...['--XYZ', 'content-type: text/plain', 'content-range: bytes 8-9/10', '', '89'],
    ...['--XYZ--', ''],
  ];
  assert.equal(body.toString(), lines.join('\r\n'));
  assert.deepEqual([multipart.length, multipart.contentType], [body.length, 'multipart/byteranges; boundary=XYZ']);
});
