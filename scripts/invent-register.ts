import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inventClaims } from '../test/support/invented-claims.ts';
import { inventRegister } from '../test/support/invented-register.ts';

/**
 * Writes a register of invented people of 17 origins with their claims, for `policies evaluate`:
 *   node scripts/invent-register.ts FOLDER [--people NUMBER_PER_ORIGIN] [--seed NUMBER]
 *   npm run -s cli -- policies evaluate --register FOLDER/register.csv --claims FOLDER/claims.csv --pairs FOLDER/pairs.csv --by origin
 * The claims file has the columns origin and kind.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { people: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const [folder] = positionals;
const [people, seed] = [Number(values.people), Number(values.seed)];
if (folder === undefined || !Number.isSafeInteger(people) || people < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('Usage: node scripts/invent-register.ts FOLDER [--people NUMBER_PER_ORIGIN] [--seed NUMBER]\n');
  process.exitCode = 2;
} else {
  const register = inventRegister(seed, people);
  const claims = inventClaims(register, seed + 1);
  const records = Object.values(register)
    .flat()
    .map(({ origin, household, record }) => ({ ...record, origin, household }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'register.csv'), csv(records));
  writeFileSync(
    join(folder, 'claims.csv'),
    csv(claims.map(({ values: claimed, origin, kind }) => ({ ...claimed, origin, kind }))),
  );
  writeFileSync(join(folder, 'pairs.csv'), csv(claims.map(({ claim, record, same }) => ({ claim, record, same }))));
  process.stdout.write(`${records.length} records and ${claims.length} pairs in ${folder}\n`);
}

function csv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
  return lines.map((cells) => `${cells.map(quoted).join(',')}\n`).join('');
}

function quoted(value: unknown): string {
  const text = String(value);
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
