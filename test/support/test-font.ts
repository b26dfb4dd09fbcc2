import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * A font of another family that has glyphs only for this range of characters: Noto Sans under another name, with a new
 * character map (OpenType `cmap`, format 12). The shape of the glyphs does not matter.
 */
export function makeTestFont(first: number, last: number): Buffer {
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
