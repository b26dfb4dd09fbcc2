import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A statement of the server: the file that contains it, and its text with parameters such as `$1`. */
export type SourceStatement = { readonly file: string; readonly sql: string };

const sourceFolder = join(import.meta.dirname, '../../src');

/**
 * Tables that stay small, however long a server runs. The look-ups of staff are deleted after 30 minutes, and a kind of credential has at
 * most 10,000 lists.
 */
export const smallTables: ReadonlySet<string> = new Set(
  'client endpoint lease ledger_alarm ledger_checkpoint ledger_head match_policy paused_channel register_frequency retention_class schema_migration signing_key staff_look_up staff_proposal wallet_list webhook webhook_host'.split(
    ' ',
  ),
);

/** Commands that read whole tables on purpose. */
const fullScanFolders = /^(?:cli|app\/doctor)\//;

/** Catalogues that only one engine has. They are as large as the schema. */
const engineCatalogues = /\b(?:sqlite_master|pg_settings)\b/;

/** The text that selects rows on each engine, for the placeholder `rowLock` of a claim. */
const rowLocks = { sqlite: '', postgres: 'for update skip locked' } as const;

/** The text of a statement that has another text for PostgreSQL. */
const onlyForSqlite = /\bsql:\s*(?:'[^'\n]*'|"[^"\n]*"|`[^`]*`),(?=\s*(?:\/\/[^\n]*\s+)?postgresSql:)/g;

/**
 * The statements in the source of the server, as one engine runs them: literal texts, also where their columns are a constant,
 * and the lookups that `lookupByKey` declares. Texts with other placeholders are left out.
 */
export function findSourceStatements(engine: keyof typeof rowLocks): SourceStatement[] {
  const text = /`\s*((?:select|with|insert|update|delete)\b[^`]*)`|(['"])((?:select|with|insert|update|delete) .*?)\2/g;
  const files = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !fullScanFolders.test(file))
    .flatMap((file) => {
      const all = readFileSync(join(sourceFolder, file), 'utf8');
      const source = engine === 'postgres' ? all.replaceAll(onlyForSqlite, '') : all;
      const texts = Array.from(source.matchAll(text), ([, long, , short]) =>
        (long ?? short ?? '')
          .replaceAll(/select \$\{[^}]*\}/g, 'select *')
          .replaceAll(/\$\{rowLock\}/g, rowLocks[engine]),
      );
      return [...texts, ...lookupsIn(source, engine)].map((sql) => ({ file, sql }));
    })
    .filter(
      ({ sql }) =>
        /\b(?:from|into|update)\s+[a-z_]+/.test(sql) &&
        !sql.includes('${') &&
        !engineCatalogues.test(sql) &&
        // The statements for PostgreSQL.
        !(engine === 'sqlite' && /unnest\(|any\(array\(/.test(sql)),
    );
}

/** The texts of the declared lookups: for one key, and on PostgreSQL for many. */
function lookupsIn(source: string, engine: keyof typeof rowLocks): string[] {
  return Array.from(source.matchAll(/lookupByKey\(\s*'(\w+)',\s*'(\w+)'/g)).flatMap(([, table = '', key = '']) => {
    const select = `select * from ${table} where ${key} =`;
    return engine === 'sqlite' ? [`${select} $1`] : [`${select} $1`, `${select} any(cast($1 as text[]))`];
  });
}

/** Whether a statement takes the first rows of a table without a condition: it finds them at once. */
export function hasLimitWithoutWhere(sql: string): boolean {
  return /\blimit\b/.test(sql) && !/\bwhere\b/.test(sql);
}
