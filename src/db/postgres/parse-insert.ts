/** A text that inserts one row and does nothing else, taken apart. */
export type ParsedInsert = { readonly before: string; readonly row: string; readonly parameters: number };

// No `on conflict`, `returning` or `select`: whatever stands in other rows changes nothing here.
const value = String.raw`\s*(?:\$\d+|\w+|'\w*')\s*`;
const insertText = new RegExp(String.raw`^(\s*insert into \w+ \([\w\s,]+\)\s+values )(\(${value}(?:,${value})*\))\s*$`);
const placeholder = /\$(\d+)/g;

/** Recognises `insert into … values (…)` whose values are parameters or constants. */
export function parseInsert(sql: string): ParsedInsert | undefined {
  const [, before, row] = insertText.exec(sql) ?? [];
  if (before === undefined || row === undefined) return undefined;
  const parameters = Math.max(0, ...Array.from(row.matchAll(placeholder), ([, digits]) => Number(digits)));
  return { before, row, parameters };
}

/** The text that inserts `size` rows, their values one row after the other. */
export function multiRowInsertText({ before, row, parameters }: ParsedInsert, size: number): string {
  const shifted = (by: number) => row.replace(placeholder, (_, digits: string) => `$${Number(digits) + by}`);
  return before + Array.from({ length: size }, (_, index) => shifted(index * parameters)).join(', ');
}
