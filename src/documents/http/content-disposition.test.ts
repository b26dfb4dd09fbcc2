import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { attachmentHeader } from './content-disposition.ts';

test('a title of plain ASCII is the file name, and any other title has both forms of RFC 6266', () => {
  assert.equal(attachmentHeader('Tax assessment 2025', 'pdf'), 'attachment; filename="Tax assessment 2025.pdf"');
  assert.equal(
    attachmentHeader('Bescheid über 100 €', 'pdf'),
    'attachment; filename="Bescheid uber 100 _.pdf"; filename*=UTF-8\'\'Bescheid%20%C3%BCber%20100%20%E2%82%AC.pdf',
  );
  assert.equal(
    attachmentHeader('市税', 'pdf'),
    'attachment; filename="_.pdf"; filename*=UTF-8\'\'%E5%B8%82%E7%A8%8E.pdf',
  );
});

test('a title that ends with the file extension keeps one extension, and any other ending stays in the name', () => {
  assert.equal(attachmentHeader('Bescheid.pdf', 'pdf'), 'attachment; filename="Bescheid.pdf"');
  assert.equal(attachmentHeader('Bescheid .PDF ', 'pdf'), 'attachment; filename="Bescheid.pdf"');
  assert.equal(attachmentHeader('photo.jpeg', 'jpg'), 'attachment; filename="photo.jpg"');
  assert.equal(
    attachmentHeader('Größe & Co.pdf', 'pdf'),
    'attachment; filename="Gro_e & Co.pdf"; filename*=UTF-8\'\'Gr%C3%B6%C3%9Fe%20%26%20Co.pdf',
  );
  assert.equal(attachmentHeader('.pdf', 'pdf'), 'attachment; filename="pdf.pdf"');
  assert.equal(attachmentHeader('a.pdf.pdf', 'pdf'), 'attachment; filename="a.pdf.pdf"');
  assert.equal(attachmentHeader('report.docx', 'pdf'), 'attachment; filename="report.docx.pdf"');
  const long = attachmentHeader(`${'x'.repeat(150)}.pdf`, 'pdf');
  assert.equal(long, `attachment; filename="${'x'.repeat(120)}.pdf"`);
});

test('a title cannot contain a path, a device, another extension or a header', () => {
  assert.equal(attachmentHeader('../../etc/passwd', 'pdf'), 'attachment; filename="etc passwd.pdf"');
  assert.equal(attachmentHeader('a"; filename="b.exe', 'pdf'), 'attachment; filename="a ; filename= b.exe.pdf"');
  assert.equal(attachmentHeader('a\u202egpj.exe', 'pdf'), 'attachment; filename="a gpj.exe.pdf"');
  assert.equal(attachmentHeader('///', 'pdf'), 'attachment; filename="document.pdf"');
  assert.equal(attachmentHeader('x\r\nset-cookie: a=b', 'pdf'), 'attachment; filename="x set-cookie a=b.pdf"');
});

test('for any title the header is one line of ASCII with one quoted name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (title) => {
      const header = attachmentHeader(title, 'pdf');
      assert.match(
        header,
        /^attachment; filename="[^"\\%]{1,500}\.pdf"(; filename\*=UTF-8''[A-Za-z0-9%._~!-]+\.pdf)?$/,
      );
      assert.match(header, /^[\x20-\x7e]+$/);
    }),
  );
});
