import { sha256 } from '../kernel/hashing.ts';
import type { SqlValue, Statement } from './database.ts';

/** The name of an SQL text (a hash, equal in every process), and the number of its parameters. */
type StatementText = { readonly name: string; readonly parameters: number };

/** Returns the name and the number of parameters of an SQL text. Throws after 2,000 different texts. */
export type StatementTexts = (sql: string) => StatementText;

const maxTexts = 2_000;
const nameBytes = 12;

/** Both engines keep a prepared statement for each text. Therefore code that generates texts must fail. */
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

/** Why the arguments cannot be stored equally on both engines; undefined where they can. The message contains no value. */
export function validateStatement(statement: Statement, text: StatementText): string | undefined {
  const args = statement.args ?? [];
  if (args.length !== text.parameters)
    return `expected ${text.parameters} values for the SQL text, received ${args.length}`;
  for (let index = 0; index < args.length; index += 1) {
    const fault = validateValue(args[index]);
    if (fault !== undefined) return `$${index + 1} ${fault}`;
  }
  return undefined;
}

function validateValue(value: SqlValue | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) return 'holds a lone surrogate, which both engines would replace silently';
      return value.includes('\0') ? 'holds U+0000, which PostgreSQL cannot store' : undefined;
    case 'number':
      return Number.isSafeInteger(value) ? undefined : 'is not an integer below 2^53';
    case 'boolean':
      return undefined;
    case 'object':
      return value === null || value instanceof Uint8Array ? undefined : 'is neither null nor bytes';
    default:
      return `is of type ${typeof value}`;
  }
}
