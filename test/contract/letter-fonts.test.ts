import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { defaultPolicyFor } from '../../src/notifications/cascade/cascade.ts';
import { createLetterCheck } from '../../src/notifications/letters/check-letter.ts';
import { createLetterRenderer } from '../../src/notifications/letters/letter-renderer.ts';
import { createLetterPreview } from '../../src/notifications/letters/letter-settings.ts';
import { type LetterDeps, renderLetter, renderLetterPdf } from '../../src/notifications/letters/render-letter.ts';
import { engines } from '../support/database-engines.ts';
import { letterTimeMs, makeLetter } from '../support/letters.ts';
import { createNotificationApp } from '../support/notification-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const require = createRequire(import.meta.url);

/**
 * A font of another family that has glyphs only for this range of characters: Noto Sans under another name, with a new
 * character map (OpenType `cmap`, format 12). The shape of the glyphs does not matter.
 */
function makeTestFont(first: number, last: number): Buffer {
  const noto = readFileSync(require.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'));
  const tables = Array.from({ length: noto.readUInt16BE(4) }, (_, index) => 12 + 16 * index);
  const tableRecordOf = (tag: string) => tables.find((at) => noto.toString('latin1', at, at + 4) === tag) ?? 0;
  const name = tableRecordOf('name');
  const names = noto.subarray(noto.readUInt32BE(name + 8), noto.readUInt32BE(name + 8) + noto.readUInt32BE(name + 12));
  for (const encoding of ['utf16le', 'latin1'] as const) {
    const [old, other] = ['Noto Sans', 'Some Font'].map((text) => {
      const bytes = Buffer.from(text, encoding);
      return encoding === 'utf16le' ? bytes.swap16() : bytes;
    });
    if (old === undefined || other === undefined) throw new Error('expected two names as buffers');
    for (let at = names.indexOf(old); at >= 0; at = names.indexOf(old, at + 1)) other.copy(names, at);
  }
  const map = Buffer.alloc(40);
  // One table for Windows with all of Unicode. The subtable at offset 12 has one group, which starts with the glyph of A.
  for (const [at, value] of [1, 3, 10].entries()) map.writeUInt16BE(value, 2 + 2 * at);
  map.writeUInt32BE(12, 8);
  map.writeUInt16BE(12, 12);
  for (const [at, value] of [28, 0, 1, first, last, 36].entries()) map.writeUInt32BE(value, 16 + 4 * at);
  const cmap = tableRecordOf('cmap');
  noto.writeUInt32BE(noto.length, cmap + 8);
  noto.writeUInt32BE(map.length, cmap + 12);
  return Buffer.concat([noto, map]);
}

/** Characters of the second private use area, for which no font has a glyph. */
const [first, last] = [0x10_0000, 0x10_00ff];
const noScript = String.fromCodePoint(first + 7, first + 9, first + 7);

function partsFor(t: TestContext, fonts?: string): LetterDeps {
  const renderer = createLetterRenderer({ fonts });
  t.after(() => renderer.close());
  return { renderer, window: 'din5008b' };
}

function fontFolder(t: TestContext): string {
  const folder = makeTestFolder('fonts-');
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'some.ttf'), makeTestFont(first, last));
  return folder;
}

test('arrows, signs, Hebrew, Georgian, Armenian and invisible characters are printed without additional fonts', async (t) => {
  const parts = partsFor(t);
  const texts = [
    '→ ← ≤ ≥ ≠ ✓ ☐ ① ☎',
    '**→** # ≤',
    'שלום **שלום**',
    'ქართული',
    'Հայերեն',
    '\ufeffHello',
    'a\ufeff\n\n\ufeff',
  ];
  for (const text of texts) {
    assert.ok((await renderLetterPdf(parts, makeLetter(text))) instanceof Uint8Array, text);
    assert.ok(
      (await renderLetterPdf(parts, makeLetter('x', { sender: text, subject: text }))) instanceof Uint8Array,
      text,
    );
  }
  assert.ok((await renderLetterPdf(parts, makeLetter('x', { subject: '\ufff9' }))) instanceof Uint8Array);
});

test('a letter with a character of no font in its text, subject or address fails as letter-unprintable', async (t) => {
  const parts = partsFor(t);
  const ended = { outcome: 'permanent', reason: 'letter-unprintable' };
  assert.deepEqual(await renderLetter(parts, makeLetter(`Hello ${noScript}`)), ended);
  assert.deepEqual(await renderLetter(parts, makeLetter('x', { subject: noScript })), ended);
  assert.deepEqual(await renderLetter(parts, makeLetter('x', { address: `${noScript}\nRoad 1\nOslo` })), ended);
});

test('LETTER_FONTS: only characters without a bundled font are printed in the fonts of the operator', async (t) => {
  const more = partsFor(t, fontFolder(t));
  const pdf = await renderLetterPdf(more, makeLetter(`Hello **${noScript}** ${noScript}`));
  assert.ok(pdf instanceof Uint8Array);
  const text = 'Hello. **Γειά**\n\n# مرحبا';
  const [before, after] = [
    await renderLetterPdf(partsFor(t), makeLetter(text)),
    await renderLetterPdf(more, makeLetter(text)),
  ];
  assert.ok(before instanceof Uint8Array && after instanceof Uint8Array);
  assert.deepEqual([fontsOf(after), fontsOf(before).length], [fontsOf(before), 3]);
});

/** The fonts in a PDF. They are found by the key before each name, because the bytes of a stream may look like a name. */
function fontsOf(pdf: Uint8Array): readonly string[] {
  const text = Buffer.from(pdf).toString('latin1');
  return [...new Set(Array.from(text.matchAll(/\/FontName \/[A-Z]{6}\+([\w-]+)/g), ([, name = '']) => name))];
}

test('a LETTER_FONTS folder without a font stops the start, unless the server sends no letters', async (t) => {
  const folder = makeTestFolder('no-fonts-');
  t.after(() => rmSync(folder, { recursive: true }));
  const log = { fault: () => assert.fail() };
  const look = (more: Record<string, string>) => createLetterPreview({ settings: readSettings(more), log });
  assert.equal(await look({}), undefined);
  assert.equal(typeof (await look({ LETTER_SPOOL: folder, LETTER_FONTS: fontFolder(t) })), 'function');
  for (const LETTER_FONTS of [folder, join(folder, 'nowhere')])
    await assert.rejects(
      look({ LETTER_SPOOL: folder, LETTER_FONTS }),
      /LETTER_FONTS: expected a folder with .ttf or .otf/,
    );
});

test('a preview reports no reason if the typesetter fails', async () => {
  const faults: unknown[] = [];
  const renderer = { render: () => Promise.reject(new Error('broken')), close: async () => undefined };
  const checkLetter = createLetterCheck({ renderer, window: 'din5008b' }, (fault) => faults.push(fault));
  const content = { message: 'x' };
  const looked = { contact: undefined, content, sender: 'Tax', language: undefined, reminder: false, at: letterTimeMs };
  assert.deepEqual([await checkLetter(looked), faults.length], [undefined, 1]);
});

for (const engine of engines) {
  test(`${engine.name}: a preview reports an unprintable letter, and an unprintable address only to permitted clients`, async (t) => {
    const db = await engine.open(t);
    const checkLetter = createLetterCheck(partsFor(t), (fault) => assert.fail(String(fault)));
    const contact = { email: 'ada@example.org', postalLines: ['Long Road 17', '0150 Oslo'] };
    const citizens = { 'cit-ada': { name: 'Ada', ...contact }, 'cit-unprintable': { name: noScript, ...contact } };
    const more = { cascade: defaultPolicyFor(new Set(['letter'])), checkLetter };
    const app = await createNotificationApp(db, { now: () => letterTimeMs }, citizens, more);
    const look = async (citizenId: string, message: string, clientId: string) => {
      const answer = await app.preview({ citizenId, message }, { clientId });
      assert.ok('json' in answer, JSON.stringify(answer));
      const channels = answer.json['channels'] as ReadonlyArray<Record<string, unknown>>;
      const { reachable, reason } = channels.find(({ channel }) => channel === 'letter') ?? {};
      return [
        reachable,
        (reason as { code: string } | undefined)?.code,
        channels.filter((one) => one['reason']).length,
      ];
    };
    const unprintable = [false, 'letter-unprintable', 1];
    assert.deepEqual(await look('cit-ada', 'Hello', 'knowing tax'), [true, undefined, 0]);
    assert.deepEqual(await look('cit-ada', noScript, 'knowing tax'), unprintable);
    assert.deepEqual(await look('cit-unprintable', 'Hello', 'knowing tax'), unprintable);
    assert.deepEqual(await look('nobody', 'Hello', 'knowing tax'), [false, 'citizen-unknown', 4]);
    for (const citizenId of ['cit-ada', 'cit-unprintable', 'nobody']) {
      assert.deepEqual(await look(citizenId, 'Hello', 'tax'), [true, undefined, 0]);
      assert.deepEqual(await look(citizenId, noScript, 'tax'), unprintable);
    }
  });
}
