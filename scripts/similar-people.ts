import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSimilarPeople } from '../test/support/similar-people.ts';

/**
 * Writes the synthetic set of similar people as three CSV files for `policies evaluate`:
 *   node scripts/similar-people.ts FOLDER
 *   npm run -s cli -- policies evaluate --register FOLDER/register.csv --claims FOLDER/claims.csv --pairs FOLDER/pairs.csv
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Usage: node scripts/similar-people.ts FOLDER\n');
  process.exitCode = 2;
} else {
  mkdirSync(folder, { recursive: true });
  const { register, claims, pairs } = makeSimilarPeople();
  for (const [name, rows] of Object.entries({ register, claims, pairs })) {
    writeFileSync(join(folder, `${name}.csv`), csv(rows));
  }
  process.stdout.write(`${register.length} records, ${claims.length} claims, ${pairs.length} pairs in ${folder}\n`);
}

function csv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return `${[columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))].map((row) => row.join(',')).join('\n')}\n`;
}
