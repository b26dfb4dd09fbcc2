/**
 * Writes src/identity/names/japanese-readings.json: the readings of each Han character in Japanese names, learned from the names of ENAMDICT by
 * expectation maximisation over all divisions of the kana between the characters. The server reads this file, because the dictionary needs
 * 17 MB of memory and has no readings of single characters.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { kanaSpellings } from '../src/identity/names/kana.ts';

type Name = { readonly characters: readonly string[]; readonly divisions: readonly (readonly string[])[] };
type Counts = Map<string, Map<string, number>>;

const rounds = 8;
const maxReadings = 24;
/**
 * Readings that are expected in fewer names, or in a smaller share of the names with the character, are dropped. Rare readings would link
 * names of different people, above all those of one kana. Readings of names of one character stay.
 */
const minNames = 1.5;
const minShare = 0.004;
const minShareOfOneKana = 0.011;
const smallKana = /[ぁぃぅぇぉゃゅょー]/;

function readNames(): Name[] {
  const packagePath = createRequire(import.meta.url).resolve('enamdict');
  const dictionary = gunzipSync(readFileSync(join(dirname(packagePath), 'enamdict.gz'))).toString('utf8');
  const names = new Map<string, Name>();
  for (const line of dictionary.split('\n')) {
    const [, , written = '', kana = '', type] = line.split('|');
    if (type !== 'surname' && type !== 'given') continue;
    const characters = [...written.normalize('NFKC').replace(/(.)々/gu, '$1$1')];
    if (characters.length > 4 || !characters.every((character) => /\p{Script=Han}/u.test(character))) continue;
    const units = [...kana].reduce<string[]>((parts, letter) => {
      if (smallKana.test(letter) && parts.length > 0) parts.push((parts.pop() ?? '') + letter);
      else parts.push(letter);
      return parts;
    }, []);
    const divisions = divideUnits(units, characters.length);
    if (units.length <= 10 && divisions.length > 0) names.set(characters.join('') + kana, { characters, divisions });
  }
  return [...names.values()];
}

/** All divisions of the kana into this number of parts of one to five. */
function divideUnits(units: readonly string[], parts: number): string[][] {
  if (parts === 1) return units.length >= 1 && units.length <= 5 ? [[units.join('')]] : [];
  const longest = Math.min(5, units.length - parts + 1);
  return Array.from({ length: Math.max(0, longest) }, (_, at) => at + 1).flatMap((end) =>
    divideUnits(units.slice(end), parts - 1).map((rest) => [units.slice(0, end).join(''), ...rest]),
  );
}

function countReadings(names: readonly Name[], before: Counts | undefined): Counts {
  const counts: Counts = new Map();
  for (const { characters, divisions } of names) {
    const chance = (reading: string, at: number) =>
      before === undefined ? 1 : (before.get(characters[at] ?? '')?.get(reading) ?? 1e-9);
    const weights = divisions.map((division) =>
      division.reduce((product, reading, at) => product * chance(reading, at), 1),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const [index, division] of divisions.entries()) {
      const share = (weights[index] ?? 0) / total;
      if (share < 1e-3) continue;
      for (const [at, reading] of division.entries()) addCount(counts, characters[at] ?? '', reading, share);
    }
  }
  return counts;
}

function addCount(counts: Counts, character: string, reading: string, share: number): void {
  const readings = counts.get(character) ?? new Map<string, number>();
  counts.set(character, readings.set(reading, (readings.get(reading) ?? 0) + share));
}

/** Divides the counts of each character by their sum. */
function toShares(counts: Counts): Counts {
  return new Map(
    [...counts].map(([character, readings]) => {
      const total = [...readings.values()].reduce((sum, count) => sum + count, 0);
      return [character, new Map([...readings].map(([reading, count]) => [reading, count / total]))];
    }),
  );
}

const spellings = kanaSpellings();

/** The reading in Hepburn spelling. A small tsu is q. */
function toLatin(reading: string): string {
  let latin = '';
  const kana = reading.replaceAll('っ', 'q').normalize('NFKD');
  for (let at = 0; at < kana.length; ) {
    const length = [3, 2, 1].find((size) => spellings.has(kana.slice(at, at + size))) ?? 1;
    latin += spellings.get(kana.slice(at, at + length))?.spelling ?? kana.slice(at, at + length);
    at += length;
  }
  return latin;
}

const names = readNames();
let shares: Counts | undefined;
let counts: Counts = new Map();
for (let round = 0; round < rounds; round += 1) {
  counts = countReadings(names, shares);
  shares = toShares(counts);
}
const wholeNames = new Set<string>();
for (const { characters, divisions } of names) {
  if (characters.length > 1) continue;
  const [character = '', reading = ''] = [characters[0], divisions[0]?.[0]];
  wholeNames.add(character + reading);
  addCount(counts, character, reading, minNames);
}
const lines = [...counts].sort().map(([character, readings]) => {
  const total = [...readings.values()].reduce((sum, count) => sum + count, 0);
  const isUsual = (reading: string, count: number) =>
    count >= Math.max(minNames, (reading.length === 1 ? minShareOfOneKana : minShare) * total) ||
    wholeNames.has(character + reading);
  const usual = [...readings].filter(([reading, count]) => isUsual(reading, count));
  const latin = usual.sort(([, one], [, other]) => other - one).map(([reading]) => toLatin(reading));
  const kept = latin.filter((reading) => /^[a-z]+$/.test(reading)).slice(0, maxReadings);
  return `${character} ${[...new Set(kept)].join(' ')}`;
});
const path = join(import.meta.dirname, '../src/identity/names/japanese-readings.json');
const source = 'ENAMDICT (https://www.edrdg.org), property of the EDRDG, CC BY-SA 4.0; this file has the same licence';
const readings = lines.filter((line) => !line.endsWith(' ')).join('\n');
writeFileSync(path, `${JSON.stringify({ source, readings }, null, 2)}\n`);
