import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { letterLayoutOf, loadLetterParts } from '../../src/notifications/letters/letter-settings.ts';
import { renderLetterPdf } from '../../src/notifications/letters/render-letter.ts';
import { letterTimeMs, makeLetter, readPdfTexts } from '../support/letters.ts';
import { makeTestFolder } from '../support/test-folder.ts';

/** A PNG image of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

function svgWith(text: string): string {
  const frame = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 40"';
  return `<svg ${frame}><rect width="900" height="40" fill="#1d4f91"/><title>${text}</title></svg>`;
}

function folderWith(t: TestContext, files: Readonly<Record<string, string | Buffer>>): string {
  const folder = makeTestFolder('logos-');
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

test('LETTER_LOGOS: a letter has the logo of its client, or that of all clients, above the name of the sender', async (t) => {
  const folder = folderWith(t, { 'tax-1.png': png, 'default.svg': svgWith('all'), 'notes.txt': 'x' });
  const parts = await loadLetterParts(readSettings({ LETTER_SPOOL: folder, LETTER_LOGOS: folder }));
  t.after(() => parts.renderer.close());
  assert.deepEqual(parts.logos?.toSorted(), ['default.svg', 'tax-1.png']);
  const { logos: _none, ...withoutLogos } = parts;
  const letter = { ...makeLetter('x'), notification: '', at: letterTimeMs };
  const headOf = async (clientId: string, deps = parts) => {
    const pdf = await renderLetterPdf(deps, { ...letter, clientId });
    assert.ok(pdf instanceof Uint8Array);
    assert.match(Buffer.from(pdf).toString('latin1'), /<pdfuaid:part>1<\/pdfuaid:part>/);
    const { boxes } = await readPdfTexts(pdf);
    const top = boxes.find(({ text, left }) => left > 100 && text === 'Tax Office')?.top ?? 0;
    return { top, hasImage: Buffer.from(pdf).includes('/Subtype /Image') };
  };
  const plain = await headOf('tax-1', withoutLogos);
  const [own, other] = [await headOf('tax-1'), await headOf('other')];
  assert.deepEqual([plain.hasImage, own.hasImage, other.hasImage], [false, true, false]);
  // A square logo is 16 mm high. One that is wider than the head is as wide as the head.
  assert.ok(own.top - plain.top > 16 && own.top - plain.top < 21, `${own.top - plain.top}`);
  assert.ok(other.top - plain.top > 3 && other.top - plain.top < 8, `${other.top - plain.top}`);
});

test('a LETTER_LOGOS folder without an image, or with a file that is none, stops the start', (t) => {
  const folders = [
    folderWith(t, {}),
    folderWith(t, { 'a.svg': 'no image' }),
    folderWith(t, { 'default.svg': svgWith('x'), 'a.png': 'GIF89a' }),
  ];
  for (const LETTER_LOGOS of [...folders, join(folders[0] ?? '', 'nowhere')])
    assert.throws(
      () => letterLayoutOf(readSettings({ LETTER_LOGOS })),
      /LETTER_LOGOS: expected a folder with SVG or PNG images/,
    );
});
