import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { ServerFixture } from './server-process.ts';

/**
 * Where any of these texts stands in what the server has at rest, as `place: text`: every byte of every file of its data
 * folder, and on PostgreSQL every value of every table. Looks for them as UTF-8, UTF-16, hexadecimal and base64.
 */
export async function findInStoredData(
  { dataDir, databaseUrl }: ServerFixture,
  texts: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const path of relativeFilesIn(dataDir))
    found.push(...findTextsIn(path, readFileSync(join(dataDir, path)), texts));
  if (databaseUrl === undefined) return found;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query("select tablename as name from pg_tables where schemaname = 'public'");
    for (const { name } of rows as { name: string }[]) {
      // bytea comes as hexadecimal.
      const dump = await client.query(`select t::text as line from "${name}" t`);
      const lines = (dump.rows as { line: string }[]).map(({ line }) => line).join('\n');
      found.push(...findTextsIn(name, Buffer.from(lines), texts));
    }
  } finally {
    await client.end();
  }
  return found;
}

/** The files below a folder, as paths within it; sockets are none. */
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
  // Base64 of a text inside another depends on where it begins: of each of the three places, what is the same always.
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
