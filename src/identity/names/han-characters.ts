import han from './han-readings.json' with { type: 'json' };
import japanese from './japanese-readings.json' with { type: 'json' };

/** The readings of a Han character: Pinyin and Jyutping without tones, and those in Japanese names, where q is a small tsu. */
type HanReadings = {
  readonly mandarin: readonly string[];
  readonly cantonese: readonly string[];
  readonly japanese: readonly string[];
};

type Tables = {
  readonly variants: ReadonlyMap<string, string>;
  readonly chinese: ReadonlyMap<string, string>;
  readonly japanese: ReadonlyMap<string, string>;
};
let tables: Tables | undefined;

/** Built for the first Han character, because most processes never need them. Takes about 5 ms. */
function readTables(): Tables {
  if (tables !== undefined) return tables;
  const characters = [...han.variants];
  const variants = new Map<string, string>();
  for (let at = 0; at < characters.length; at += 2) variants.set(characters[at] ?? '', characters[at + 1] ?? '');
  const names = new Map<string, string>();
  for (const [character, readings] of readLines(japanese.readings)) {
    const folded = variants.get(character) ?? character;
    names.set(folded, `${names.get(folded) ?? ''} ${readings}`);
  }
  tables = { variants, chinese: readLines(han.readings), japanese: names };
  return tables;
}

function readLines(lines: string): ReadonlyMap<string, string> {
  return new Map(
    lines.split('\n').map((line) => {
      const end = line.indexOf(' ');
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
}

/** The common form of all variants of a Han character: the simplified one if China has one. */
export function foldHanVariant(character: string): string {
  return readTables().variants.get(character) ?? character;
}

/** The readings of a Han character; empty lists for a character outside the standards. */
export function hanReadingsOf(character: string): HanReadings {
  const { chinese, japanese: names } = readTables();
  const folded = foldHanVariant(character);
  const [mandarin = '', cantonese = ''] = (chinese.get(folded) ?? '').split('/');
  return { mandarin: wordsOf(mandarin), cantonese: wordsOf(cantonese), japanese: wordsOf(names.get(folded) ?? '') };
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}
