/**
 * Writes src/identity/names/han-readings.json: the variants and the Chinese readings of the Han characters in the standards of China, Taiwan and
 * Japan, from pinyin-pro, to-jyutping and opencc-js. The server reads this file, because these packages take 0.1 to 0.3 s to load.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Converter } from 'opencc-js';
import { pinyin, polyphonic } from 'pinyin-pro';
import { getJyutpingCandidates } from 'to-jyutping';

/** Variants in family names that OpenCC does not convert, each before its usual form. */
const nameVariants = '髙高邉邊﨑崎嵜崎冨富渕淵𠮷吉桒桑栁柳舘館槗橋髙高眞真曻昇塚塚德德條条惠恵';

const converters = [
  Converter({ from: 'jp', to: 't' }),
  Converter({ from: 'hk', to: 't' }),
  Converter({ from: 'tw', to: 't' }),
  Converter({ from: 't', to: 'cn' }),
];

/** The common form of all variants of a character. */
function foldVariant(character: string): string {
  const at = [...nameVariants].indexOf(character);
  const usual = at >= 0 && at % 2 === 0 ? ([...nameVariants][at + 1] ?? character) : character;
  return converters.reduce((text, convert) => convert(text), usual);
}

/** All characters of two bytes of these encodings. */
function standardCharacters(): Set<string> {
  const found = new Set(nameVariants);
  for (const encoding of ['gb2312', 'big5', 'shift_jis']) {
    const decoder = new TextDecoder(encoding);
    const lastLead = encoding === 'gb2312' ? 0xf7 : 0xf9;
    for (let lead = 0x81; lead <= lastLead; lead += 1) {
      if (encoding === 'gb2312' && lead < 0xb0) continue;
      for (let trail = encoding === 'gb2312' ? 0xa1 : 0x40; trail <= 0xfe; trail += 1) {
        const text = decoder.decode(Uint8Array.of(lead, trail));
        if (/^\p{Script=Han}$/u.test(text)) found.add(text.normalize('NFKC'));
      }
    }
  }
  return found;
}

function withoutTones(syllables: readonly string[]): string[] {
  return syllables.map((syllable) => syllable.replace(/\d/g, '')).filter((syllable) => /^[a-zü]+$/.test(syllable));
}

const variants: string[] = [];
const readings = new Map<string, { mandarin: Set<string>; cantonese: Set<string> }>();
for (const character of [...standardCharacters()].sort()) {
  const folded = foldVariant(character);
  if (folded !== character) variants.push(character + folded);
  const entry = readings.get(folded) ?? { mandarin: new Set(), cantonese: new Set() };
  const [first, surname] = (['normal', 'surname'] as const).map((mode) =>
    pinyin(character, { mode, toneType: 'none' }),
  );
  const others = polyphonic(character, { type: 'array', toneType: 'none' })[0] ?? [];
  for (const syllable of withoutTones([first ?? '', surname ?? '', ...others])) entry.mandarin.add(syllable);
  const jyutping = getJyutpingCandidates(character)[0]?.[1] ?? [];
  for (const syllable of withoutTones(jyutping)) entry.cantonese.add(syllable);
  readings.set(folded, entry);
}
const lines = [...readings].flatMap(([character, { mandarin, cantonese }]) =>
  mandarin.size === 0 ? [] : [`${character} ${[...mandarin].join(' ')}/${[...cantonese].slice(0, 4).join(' ')}`],
);
const path = join(import.meta.dirname, '../src/identity/names/han-readings.json');
const source = 'pinyin-pro (MIT), to-jyutping (BSD-2-Clause), OpenCC (Apache-2.0)';
writeFileSync(
  path,
  `${JSON.stringify({ source, variants: variants.join(''), readings: lines.join('\n') }, null, 2)}\n`,
);
