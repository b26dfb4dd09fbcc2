import type { Statement, Value } from './db.ts';
import { inSizes } from './multi-row.ts';

type Unit = readonly Statement[];

/** How the statements of some units go to the server. */
export type Layout = {
  readonly statements: readonly Statement[];
  /** For each unit and each of its statements the place in `statements` of what does it. */
  readonly places: readonly (readonly number[])[];
  /** From this place on a statement may do the work of several units: that it fails tells nothing about one of them. */
  readonly joinedFrom: number;
};

/** A text that inserts one row and does nothing else, taken apart. */
type Insert = { readonly before: string; readonly row: string };

// No `on conflict`, `returning` or `select`: whatever stands in other rows changes nothing here.
const value = String.raw`\s*(?:\$\d+|\w+|'\w*')\s*`;
const insertText = new RegExp(String.raw`^(\s*insert into \w+ \([\w\s,]+\)\s+values )(\(${value}(?:,${value})*\))\s*$`);

/** Every statement by itself, in the order in which the units hold them. */
export function layApart(units: readonly Unit[]): Layout {
  let at = 0;
  const places = units.map((unit) => unit.map(() => at++));
  return { statements: units.flat(), places, joinedFrom: at };
}

/**
 * The plain inserts at the end of each unit, those of one text in one statement, behind everything else. To a server ten
 * rows in one statement are half the work of ten statements, and less still for the program that sends them. Units have no
 * order among each other: another batch may hold either.
 */
export function createJoinInserts(): (units: readonly Unit[]) => Layout {
  const inserts = new Map<string, Insert | undefined>();
  const texts = new Map<string, string>();

  function isInsert({ sql, rows }: Statement): boolean {
    if (!inserts.has(sql)) inserts.set(sql, parse(sql));
    return rows === undefined && inserts.get(sql) !== undefined;
  }

  function textFor(sql: string, parameters: number, size: number): string {
    const insert = inserts.get(sql);
    if (size === 1 || insert === undefined) return sql;
    const name = `${size} ${sql}`;
    let text = texts.get(name);
    if (text === undefined) {
      const rows = Array.from({ length: size }, (_, row) => shifted(insert.row, row * parameters));
      text = insert.before + rows.join(', ');
      texts.set(name, text);
    }
    return text;
  }

  return (units) => {
    const statements: Statement[] = [];
    const places: number[][] = [];
    const joined = new Map<string, { readonly args: readonly Value[]; readonly tell: (place: number) => void }[]>();
    for (const unit of units) {
      const own: number[] = [];
      places.push(own);
      const endsAt = unit.findLastIndex((statement) => !isInsert(statement)) + 1;
      for (const [index, statement] of unit.entries()) {
        if (index < endsAt) own.push(statements.push(statement) - 1);
        else {
          const { sql, args = [] } = statement;
          const rows = joined.get(sql) ?? [];
          rows.push({ args, tell: (place) => (own[index] = place) });
          joined.set(sql, rows);
        }
      }
    }
    const joinedFrom = statements.length;
    for (const [sql, rows] of joined) {
      for (const part of inSizes(rows)) {
        const parameters = part[0]?.args.length ?? 0;
        const args = part.flatMap((row) => row.args);
        const place = statements.push({ sql: textFor(sql, parameters, part.length), args }) - 1;
        for (const { tell } of part) tell(place);
      }
    }
    return { statements, places, joinedFrom };
  };
}

function parse(sql: string): Insert | undefined {
  const [, before, row] = insertText.exec(sql) ?? [];
  return before === undefined || row === undefined ? undefined : { before, row };
}

/** The placeholders of a row, so many later. */
function shifted(row: string, by: number): string {
  return row.replace(/\$(\d+)/g, (_, digits: string) => `$${Number(digits) + by}`);
}
