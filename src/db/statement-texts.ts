import { sha256 } from '../kernel/hashing.ts';
import type { SqlValue, Statement } from './database.ts';

/** What is known about one SQL text: a name that no other text has, in any process, and how many parameters it takes. */
export type StatementText = { readonly name: string; readonly parameters: number };

/** Looks an SQL text up. */
export type StatementTexts = (sql: string) => StatementText;

const maxTexts = 2_000;
const nameBytes = 12;

/** The texts seen so far. Both engines keep a prepared statement for each, so a program that generates SQL is stopped. */
export function createStatementTexts(): StatementTexts {
  const known = new Map<string, StatementText>();
  return (sql) => {
    let text = known.get(sql);
    if (text === undefined) {
      if (known.size === maxTexts) {
        throw new TypeError(`more than ${maxTexts} SQL texts: a text must be a constant with $1 parameters`);
      }
      text = { name: sha256(Buffer.from(sql)).toString('base64url', 0, nameBytes), parameters: highestParameter(sql) };
      known.set(sql, text);
    }
    return text;
  };
}

function highestParameter(sql: string): number {
  let highest = 0;
  for (const [, digits] of sql.matchAll(/\$(\d+)/g)) highest = Math.max(highest, Number(digits));
  return highest;
}

/** Why the arguments of a statement cannot be stored alike on both engines, if so. It never says a value. */
export function validateStatement(statement: Statement, text: StatementText): string | undefined {
  const args = statement.args ?? [];
  if (args.length !== text.parameters) return `the SQL text takes ${text.parameters} values, ${args.length} came`;
  for (let index = 0; index < args.length; index += 1) {
    const fault = validateValue(args[index]);
    if (fault !== undefined) return `$${index + 1} ${fault}`;
  }
  return undefined;
}

function validateValue(value: SqlValue | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) return 'holds a lone surrogate, which both engines would change without a word';
      return value.includes('\0') ? 'holds U+0000, which PostgreSQL cannot store' : undefined;
    case 'number':
      return Number.isSafeInteger(value) ? undefined : 'is not a whole number below 2^53';
    case 'boolean':
      return undefined;
    case 'object':
      return value === null || value instanceof Uint8Array ? undefined : 'is neither null nor bytes';
    default:
      return `is of type ${typeof value}`;
  }
}
