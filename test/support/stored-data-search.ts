import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { undefinedIfMissing } from '../../src/kernel/undefined-if-missing.ts';
import type { ServerFixture } from './server-process.ts';

/**
 * Searches the stored data of a server for these texts: every file of its data folder, and on PostgreSQL every value of every
 * table. Finds them as UTF-8, UTF-16, hexadecimal and base64. Returns each find as `file or table: text`.
 */
export async function findInStoredData(
  { dataDir, databaseUrl }: ServerFixture,
  texts: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const path of relativeFilesIn(dataDir)) {
    // The server may rename a temporary file, such as the next checkpoint, after the folder was listed.
    const bytes = await undefinedIfMissing(readFile(join(dataDir, path)));
    if (bytes !== undefined) found.push(...findTextsIn(path, bytes, texts));
  }
  if (databaseUrl === undefined) return found;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query("select tablename as name from pg_tables where schemaname = 'public'");
    for (const { name } of rows as { name: string }[]) {
      // PostgreSQL writes bytea as hexadecimal.
      const dump = await client.query(`select t::text as line from "${name}" t`);
      const lines = (dump.rows as { line: string }[]).map(({ line }) => line).join('\n');
      found.push(...findTextsIn(name, Buffer.from(lines), texts));
    }
  } finally {
    await client.end();
  }
  return found;
}

/** The regular files below a folder, as relative paths. */
export function relativeFilesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function findTextsIn(place: string, bytes: Buffer, texts: readonly string[]): string[] {
  return texts
    .filter((text) => encodingsOf(text).some((form) => bytes.includes(form)))
    .map((text) => `${place}: ${text}`);
}

function encodingsOf(text: string): readonly Buffer[] {
  const utf8 = Buffer.from(text);
  // The base64 form of a text depends on its offset modulo 3. For each offset, only the characters that do not depend on the
  // bytes around the text are searched.
  const base64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), utf8]).toString('base64');
    return whole.slice(before === 0 ? 0 : before + 1, Math.floor(((before + utf8.length) * 4) / 3) - 1);
  });
  return [
    utf8,
    Buffer.from(text, 'utf16le'),
    Buffer.from(utf8.toString('hex')),
    ...base64.map((form) => Buffer.from(form)),
  ];
}
