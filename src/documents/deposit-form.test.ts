import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { maxFramingBytes, readDepositForm, toFormIssue, toFormRefusal } from './deposit-form.ts';
import { RequestRejected } from './receive-document.ts';

const type = 'multipart/form-data; boundary=b';
const limit = 200_000;
const part = (name: string, value: string, head = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${head}\r\n\r\n${value}\r\n`;
const fields = part('citizenId', 'CZ-1001') + part('title', 'Notice');
const document = part('document', 'Text.', '; filename="a.txt"\r\nContent-Type: text/plain');
const whole = `${fields}${document}--b--\r\n`;

/** The result for an endless form that continues with `more`; it ends anyway if too much is read. */
async function endless(begin: string, more: string): Promise<{ readonly taken: number; readonly refusal?: Refusal }> {
  const [piece, most] = [Buffer.from(more.repeat(Math.ceil(16_384 / more.length))), 4_000_000];
  let taken = 0;
  async function* bytes(): AsyncGenerator<Buffer> {
    yield Buffer.from(begin);
    for (; taken < most; taken += piece.length) yield piece;
  }
  const form = await readDepositForm(Readable.from(bytes()), type, limit);
  if ('refusal' in form) return { taken, refusal: form.refusal };
  try {
    for await (const _ of form.pieces);
    return { taken };
  } catch (fault) {
    if (!(fault instanceof RequestRejected)) throw fault;
    return { taken, refusal: fault.refusal };
  }
}

test('a form that never ends is not read beyond the limit of its document', async () => {
  const before = maxFramingBytes + 100_000;
  const cases: readonly (readonly [begin: string, more: string, slug: string, most: number])[] = [
    ['', 'a line before the first part\r\n', 'bad-request', before],
    [fields, part('purpose', 'again'), 'bad-request', before],
    ['', part('', 'nameless'), 'bad-request', before],
    ['--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n', 'value', 'bad-request', before],
    ['--b\r\nContent-Disposition: form-data; name="title"\r\n', 'X-More: of the head\r\n', 'bad-request', before],
    [`${fields}${document}`, part('purpose', 'late'), 'bad-request', before],
    [whole, 'a line beyond the last part\r\n', 'payload-too-large', limit + before],
  ];
  for (const [begin, more, slug, most] of cases) {
    const { taken, refusal } = await endless(begin, more);
    assert.equal(refusal?.slug, slug, more);
    assert.ok(taken < most, `${taken} bytes of ${more}`);
  }
});

test('a Content-Type without a readable boundary is refused', async () => {
  for (const odd of ['multipart/form-data; bound', 'multipart/form-data; title="; boundary=b"']) {
    const form = await readDepositForm(Readable.from([Buffer.from(whole)]), odd, limit);
    assert.partialDeepStrictEqual(form, { refusal: { slug: 'bad-request' } }, odd);
  }
});

test('each fault of a form names its field, and describes it in terms of a form', async () => {
  const issuesOf = async (text: string) => {
    const form = await readDepositForm(Readable.from([Buffer.from(text)]), type, limit);
    assert.ok('refusal' in form, text);
    return form.refusal.issues?.map(({ in: where, pointer, code }) => [where, pointer, code]);
  };
  assert.deepEqual(await issuesOf(`${fields}--b--\r\n`), [['body', '/document', 'required']]);
  assert.deepEqual(await issuesOf(`${fields}${part('kind', 'a')}${part('kind', 'b')}${document}--b--\r\n`), [
    ['body', '/kind', 'repeated'],
  ]);
  assert.deepEqual(await issuesOf(`${fields}${part('titel', 'a')}${document}--b--\r\n`), [
    ['body', '/titel', 'unknown-input'],
  ]);
  assert.deepEqual(await issuesOf(`${fields}${part('Ann 1980', 'a')}${document}--b--\r\n`), [
    ['body', '/…', 'unknown-input'],
  ]);
  assert.deepEqual(await issuesOf(fields), [['body', '', 'malformed']]);
  const detail = 'must be percent-encoded UTF-8 of 1 to 200 printable characters';
  assert.deepEqual(toFormIssue({ in: 'header', name: 'document-title', code: 'malformed', detail }), {
    in: 'body',
    pointer: '/title',
    code: 'malformed',
    detail: 'must be text of 1 to 200 printable characters',
  });
});

test('a part without a media type, or with a generic one, gets the type of its bytes and its file name', async () => {
  const typeOf = async (content: string, head: string) => {
    const text = `${fields}${part('document', content, head)}--b--\r\n`;
    const form = await readDepositForm(Readable.from([Buffer.from(text, 'latin1')]), type, limit);
    if ('refusal' in form) return form.refusal;
    const pieces = await Array.fromAsync(form.pieces);
    assert.equal(Buffer.concat(pieces).toString('latin1'), content, 'the document keeps its first bytes');
    return form.headers['content-type'];
  };
  const generic = '\r\nContent-Type: application/octet-stream';
  const cases = [
    ['%PDF-1.7\n', '', 'application/pdf'],
    ['%PDF-1.7\n', `; filename="a.bin"${generic}`, 'application/pdf'],
    [`%PDF-1.7\n${' '.repeat(100_000)}`, generic, 'application/pdf'],
    ['\x89PNG\r\n\x1a\n', '; filename="a.jpg"', 'image/png'],
    ['Text.', '; filename="a.txt"', 'text/plain'],
    ['a,b', '; filename="A.CSV"', 'text/csv'],
    ['', '', 'text/plain'],
    ['PK\x03\x04', `; filename="a"${generic}`, 'application/zip'],
    [
      'PK\x03\x04',
      `; filename="a.docx"${generic}`,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    ['Text.', '; filename="a.pdf"\r\nContent-Type: text/html', 'text/html'],
  ] as const;
  for (const [content, head, expected] of cases) assert.equal(await typeOf(content, head), expected, head);
  const unknown = await typeOf('\x7fELF\x02\x01\0', generic);
  assert.ok(typeof unknown === 'object');
  assert.equal(unknown.slug, 'unsupported-media-type');
  assert.match(
    unknown.detail,
    /^The server cannot detect the type of the part 'document' from its bytes\. Set its Content-Type to one of .*pdf/,
  );
});

test('a refusal of the content of a form names the part and the form field', () => {
  const mismatch = refuse('content-mismatch', 'The bytes do not have the SHA-256 in Repr-Digest.');
  const { detail } = toFormRefusal(mismatch);
  assert.equal(detail, "Part 'document': The bytes do not have the SHA-256 in the field digest.");
  const other = refuse('purpose-not-permitted');
  assert.deepEqual(toFormRefusal(other), other);
});
