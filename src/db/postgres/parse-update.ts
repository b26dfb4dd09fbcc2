/** A text that changes one row by its id and gives its id back, taken apart. */
export type ParsedUpdate = {
  /** Which of its values is the id, from 0. */
  readonly idIndex: number;
  /** The type that the text states for each value. */
  readonly types: readonly string[];
  readonly before: string;
  readonly after: string;
};

const updateText =
  /^(\s*update \w+ set (?:(?!\bwhere\b|\bselect\b).)*?)(\s+where id = cast\(\$(\d+) as text\)(?:\s+and\s(?:(?!\bor\b).)*)?\s+returning id\s*)$/s;
const typed = /cast\(\$(\d+) as (\w+)\)/g;

/** Recognises `update … set … where id = cast($n as text) … returning id` in which every value states its type. */
export function parseUpdate(sql: string): ParsedUpdate | undefined {
  const [, set, where, key] = updateText.exec(sql) ?? [];
  if (set === undefined || where === undefined) return undefined;
  const types: string[] = [];
  for (const [, digits, type = ''] of sql.matchAll(typed)) types[Number(digits) - 1] = type;
  const named = (text: string) => text.replaceAll(typed, (_, digits: string) => `given.v${digits}`);
  const [before, after] = [named(set), named(where)];
  // A value without a type, or one that stands nowhere: the text is run by itself.
  if (before.includes('$') || after.includes('$') || Object.keys(types).length !== types.length) return undefined;
  return { idIndex: Number(key) - 1, types, before, after };
}

/** The text that does so for `size` rows, their values one row after the other. */
export function multiRowUpdateText({ types, before, after }: ParsedUpdate, size: number): string {
  const row = (from: number) => types.map((type, index) => `cast($${from + index + 1} as ${type})`).join(', ');
  const rows = Array.from({ length: size }, (_, index) => `(${row(index * types.length)})`);
  const names = types.map((_, index) => `v${index + 1}`);
  return `${before} from (values ${rows.join(', ')}) as given (${names.join(', ')})${after}`;
}
