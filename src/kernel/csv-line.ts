/** The start of a cell that a spreadsheet would run as a formula. */
const formulaStart = /^[\s\uFEFF]*[=+\-@\t\r\n|%＝＋－＠]/;

/**
 * A line of CSV (RFC 4180). Attack: a spreadsheet runs a cell that begins with one of these characters as a formula, and the values come
 * from services and from uploads. The apostrophe makes such a cell a text (usage-words.test.ts).
 */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  const quoted = cells.map((cell) => {
    const text = formulaStart.test(withoutApostrophes(cell)) ? `'${cell}` : cell;
    return `"${text.replaceAll('"', '""')}"`;
  });
  return `${quoted.join(delimiter)}\r\n`;
}

/** The cell that `csvLine` has written: removes the apostrophe that it adds. */
export function unguardCell(cell: string): string {
  return cell.startsWith("'") && formulaStart.test(withoutApostrophes(cell)) ? cell.slice(1) : cell;
}

const withoutApostrophes = (cell: string) => cell.replace(/^'+/, '');
