/**
 * Writes src/identity/match/given-names.json from the lists of given names by language in the package @faker-js/faker. With `--check` it
 * writes nothing, and fails if the file is stale. The server reads the file, because the package needs 30 MiB of memory.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allLocales } from '@faker-js/faker';
import { formsOf } from '../src/identity/names/normalise.ts';

const file = join(import.meta.dirname, '../src/identity/match/given-names.json');
/** Kanji have several readings, and the package does not give the one of a name. Jokes and invented languages are no names. */
const excludedLocales = /^(ja|zh_TW|eo|en_AU_ocker|base)$/;

type Sex = 'female' | 'male' | 'generic';
type NameUse = { readonly languages: Set<string>; readonly sexes: Set<Sex> };

function collectUses(): Map<string, NameUse> {
  const uses = new Map<string, NameUse>();
  for (const [locale, { person }] of Object.entries(allLocales)) {
    if (excludedLocales.test(locale)) continue;
    for (const sex of ['female', 'male', 'generic'] as const) {
      for (const word of (person?.first_name?.[sex] ?? []).flatMap((name) => formsOf(name)[0]?.split(' ') ?? [])) {
        if (!/^[a-z]{2,}$/.test(word)) continue;
        const use = uses.get(word) ?? { languages: new Set(), sexes: new Set() };
        uses.set(word, use);
        use.languages.add(locale.slice(0, 2));
        use.sexes.add(sex);
      }
    }
  }
  return uses;
}

/** Names with the same languages and sex are one group. `sex`: f or m if all lists agree, otherwise empty. */
function groupText([key, words]: readonly [string, readonly string[]]): string {
  const [sex = '', languages = ''] = key.split(':');
  return JSON.stringify({ languages, sex, names: words.toSorted().join(' ') });
}

function keyOf({ languages, sexes }: NameUse): string {
  const sex = sexes.has('female') === sexes.has('male') ? '' : sexes.has('female') ? 'f' : 'm';
  return `${sex}:${[...languages].sort().join(' ')}`;
}

const groups = new Map<string, string[]>();
for (const [word, use] of collectUses()) groups.set(keyOf(use), [...(groups.get(keyOf(use)) ?? []), word]);
const sorted = [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
const text = `[\n${sorted.map((group) => `  ${groupText(group)}`).join(',\n')}\n]\n`;
if (process.argv.includes('--check')) {
  const isFresh = readFileSync(file, 'utf8') === text;
  if (!isFresh) process.stderr.write('given-names: stale; run node scripts/given-names.ts\n');
  process.exitCode = isFresh ? 0 : 1;
} else {
  writeFileSync(file, text);
}
