import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedMediaTypes, createContentCheck, extensionOf, parseMediaType } from './media-type.ts';

const starts: Readonly<Record<string, string>> = {
  pdf: '%PDF-1.7\n',
  png: '\x89PNG\r\n\x1a\n',
  jpg: '\xff\xd8\xff\xe0',
  gif: 'GIF89a',
  tif: 'II*\0',
  zip: 'PK\x03\x04',
  txt: 'Dear citizen,\n',
  html: '<!doctype html>',
};

/** Whether these bytes are accepted as that type, in pieces of any length. */
function fits(type: string, bytes: Buffer): boolean {
  const media = parseMediaType(type) ?? assert.fail(`${type} is not allowed`);
  const verdicts = [1, 3, 200, 100_000].map((length) => {
    const check = createContentCheck(media);
    for (let at = 0; at < bytes.length; at += length) {
      if (!check.add(bytes.subarray(at, at + length))) return false;
    }
    return check.end();
  });
  assert.equal(new Set(verdicts).size, 1, 'the cut of the pieces does not matter');
  return verdicts[0] ?? false;
}

test('each binary type accepts its own first bytes and no others', () => {
  for (const type of ['application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'image/tiff', 'application/zip']) {
    const fitting = Object.keys(starts).filter((kind) =>
      fits(type, Buffer.from((starts[kind] ?? '').padEnd(300, ' x'), 'latin1')),
    );
    assert.deepEqual(fitting, [extensionOf(type)], type);
  }
});

test('a PDF may begin with a byte order mark or white space within its first 1,024 bytes, and with nothing else', () => {
  const pdf = (before: string) => Buffer.from(`${before}%PDF-1.7\n${'x'.repeat(2_000)}`, 'latin1');
  for (const before of ['\xef\xbb\xbf', '\n', '\r\n\r\n', '\xef\xbb\xbf \t\0\f\n', '\n'.repeat(1_023)])
    assert.ok(fits('application/pdf', pdf(before)), JSON.stringify(before));
  for (const before of ['\n'.repeat(1_024), 'x', '<script>', 'PK\x03\x04', 'GIF89a\n', '\n\xef\xbb\xbf', '\xef\xbb'])
    assert.ok(!fits('application/pdf', pdf(before)), JSON.stringify(before));
  assert.ok(!fits('text/plain', Buffer.from('\r\n%PDF-1.7 as text')));
});

test('text is UTF-8 without control characters, and does not start like a binary format', () => {
  for (const type of ['text/plain', 'text/html', 'text/csv', 'application/json', 'application/xml']) {
    assert.ok(fits(type, Buffer.from('Grüße, 市民, \t\r\n\f')));
    assert.ok(fits(type, Buffer.from('ü'.repeat(20_000))));
    assert.ok(!fits(type, Buffer.from(`${'plain '.repeat(60)}\0`)));
    assert.ok(!fits(type, Buffer.from([0x41, 0xff, 0x42])));
    assert.ok(!fits(type, Buffer.from([0x41, 0xc3])), 'the last character is cut');
    assert.ok(!fits(type, Buffer.from('%PDF-1.7 of plain text')));
  }
});

test('an office document is a ZIP archive, and an OpenDocument one names its type in its first entry', () => {
  const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  assert.ok(fits(word, Buffer.from('PK\x03\x04 and more', 'latin1')));
  assert.ok(!fits(word, Buffer.from('%PDF-1.7')));
  const odt = 'application/vnd.oasis.opendocument.text';
  const entry = (type: string) => Buffer.from(`PK\x03\x04${'\0'.repeat(26)}mimetype${type}PK`, 'latin1');
  assert.ok(fits(odt, entry(odt)));
  assert.ok(!fits(odt, entry('application/vnd.oasis.opendocument.spreadsheet')));
  assert.ok(!fits(odt, Buffer.from('PK\x03\x04 and more', 'latin1')));
});

test('an empty document is accepted as text only', () => {
  assert.deepEqual(
    allowedMediaTypes.filter((type) => fits(type, Buffer.alloc(0))),
    ['text/plain', 'text/csv', 'text/html', 'application/json', 'application/xml'],
  );
});

test('a media type is parsed in any case and spacing and with parameters, and text in other charsets is refused', () => {
  assert.equal(parseMediaType(' Application/PDF ')?.name, 'application/pdf');
  assert.equal(parseMediaType('text/plain')?.name, 'text/plain; charset=utf-8');
  assert.equal(parseMediaType('text/plain ; Charset="UTF-8"')?.name, 'text/plain; charset=utf-8');
  assert.equal(parseMediaType('text/csv; charset=us-ascii')?.name, 'text/csv; charset=utf-8');
  assert.equal(parseMediaType('application/json; charset=utf-8')?.name, 'application/json');
  for (const pdf of ['charset=binary', 'charset=UTF-8', 'name="a; b\\".pdf"', 'name=a.pdf ; x=y', '', ' ; ;'])
    assert.equal(parseMediaType(`application/pdf;${pdf}`)?.name, 'application/pdf', pdf);
  assert.equal(parseMediaType('text/csv; header=present; charset=utf8')?.name, 'text/csv; charset=utf-8');
  for (const other of [
    'text/plain; charset=iso-8859-1',
    'text/plain; name=x; charset=iso-8859-1',
    'text/plain; charset=utf-8; charset="utf-16"',
    'application/pdf; x',
    'application/pdf; x="y',
    'application/pdf x=y',
    'application/x-msdownload',
    'image/svg+xml',
    'constructor',
    'toString',
    'text/plain, text/html',
    '',
  ]) {
    assert.equal(parseMediaType(other), undefined, other);
  }
});
