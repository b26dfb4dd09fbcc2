import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A statement as it stands in the source, its parameters as `$1`. */
export type SourceStatement = { readonly file: string; readonly sql: string };

const sourceFolder = join(import.meta.dirname, '../../src');

/** Tables that stay small however long a server runs. */
export const smallTables: ReadonlySet<string> = new Set(
  'client endpoint lease ledger_checkpoint ledger_head match_policy register_frequency retention_class schema_migration signing_key webhook webhook_host'.split(
    ' ',
  ),
);

/** What reads everything because that is what it is for. */
const fullScanFolders = /^(?:cli|app\/doctor)\//;

/** The catalogue of one engine, which the other has not; it is as large as the schema. */
const engineCatalogues = /\b(?:sqlite_master|pg_settings)\b/;

/** The statements of the server that stand in its source as texts; those made of parts where only their columns are. */
export function findSourceStatements(): SourceStatement[] {
  const text = /`\s*((?:select|with|insert|update|delete)\b[^`]*)`|(['"])((?:select|with|insert|update|delete) .*?)\2/g;
  const files = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !fullScanFolders.test(file))
    .flatMap((file) =>
      [...readFileSync(join(sourceFolder, file), 'utf8').matchAll(text)].map(([, long, , short]) => ({
        file,
        sql: (long ?? short ?? '').replaceAll(/select \$\{[^}]*\}/g, 'select *'),
      })),
    )
    .filter(
      ({ sql }) => /\b(?:from|into|update)\s+[a-z_]+/.test(sql) && !sql.includes('${') && !engineCatalogues.test(sql),
    );
}

/** Whether it takes the first rows of a table, whatever they are: those are found at once. */
export function hasLimitWithoutWhere(sql: string): boolean {
  return /\blimit\b/.test(sql) && !/\bwhere\b/.test(sql);
}
