import type { Batch, SqlValue, Statement } from '../database.ts';
import { splitByRowCounts } from '../multi-row-statement.ts';
import type { PostgresValue } from './merge-lookups.ts';

type Unit = readonly Statement[];

/** A statement as the server executes it. */
type ServerStatement = { readonly sql: string; readonly args?: readonly PostgresValue[] };

/** The index of the server statement that executes a statement. `rowId`: of its rows, the statement gets those with this id. */
export type ReplySource = { readonly at: number; readonly rowId?: SqlValue };

/** The server statements for some units. */
export type BatchLayout = {
  readonly statements: readonly ServerStatement[];
  /** For each unit, the sources of its statements. */
  readonly sources: readonly (readonly ReplySource[])[];
  /** Outside this range a statement is merged from several units: when it fails, it is unknown which unit is at fault. */
  readonly separateRange: readonly [number, number];
};

/** A statement of a unit that gets its source once its place in the layout is known. */
type Placeable = { readonly statement: Statement; place(source: ReplySource): void };
type MergeGroup = { readonly batch: Batch; readonly members: Placeable[]; readonly ids: Set<SqlValue> };

/** Every statement by itself, in the order of the units. */
export function layOutSeparately(units: readonly Unit[]): BatchLayout {
  let at = 0;
  const sources = units.map((unit) => unit.map(() => ({ at: at++ })));
  return { statements: units.flat().map(toServerStatement), sources, separateRange: [0, at] };
}

/**
 * Merges statements of different units that share a batch: the updates at the start of each unit run before everything else,
 * and the inserts at its end run after everything else. The order within a unit stays, and units have no order among each
 * other. One statement with ten rows costs the server and this process less than half of ten statements.
 */
export function mergeStatements(units: readonly Unit[]): BatchLayout {
  const updates = new Map<string, MergeGroup>();
  const inserts = new Map<string, MergeGroup>();
  const rest: Placeable[] = [];
  const sources = units.map((unit) => {
    const own = new Array<ReplySource>(unit.length);
    const firstOther = unit.findIndex(({ batch }) => batch?.kind !== 'update');
    let head = firstOther === -1 ? unit.length : firstOther;
    const tail = unit.findLastIndex(({ batch }) => batch?.kind !== 'insert') + 1;
    for (const [index, statement] of unit.entries()) {
      const member = { statement, place: (source: ReplySource) => (own[index] = source) };
      if (index < head && addToGroup(updates, member)) continue;
      if (index >= tail && addToGroup(inserts, member)) continue;
      rest.push(member);
      // The updates after it must stay after it.
      head = Math.min(head, index);
    }
    return own;
  });
  const statements: ServerStatement[] = [];
  for (const group of updates.values()) placeGroup(statements, group);
  const from = statements.length;
  for (const { statement, place } of rest) place({ at: statements.push(toServerStatement(statement)) - 1 });
  const to = statements.length;
  for (const group of inserts.values()) placeGroup(statements, group);
  return { statements, sources, separateRange: [from, to] };
}

/** False where the group already updates the same row: a merged statement would apply only one of the two updates. */
function addToGroup(groups: Map<string, MergeGroup>, member: Placeable): boolean {
  const { sql, args = [], batch } = member.statement;
  if (batch === undefined) return false;
  const group = groups.get(sql) ?? { batch, members: [], ids: new Set() };
  groups.set(sql, group);
  if (batch.kind === 'update') {
    const id = args[batch.idIndex] ?? null;
    if (group.ids.has(id)) return false;
    group.ids.add(id);
  }
  group.members.push(member);
  return true;
}

function placeGroup(statements: ServerStatement[], { batch, members }: MergeGroup): void {
  const parts = batch.kind === 'update' ? [members] : splitByRowCounts(members);
  for (const part of parts) {
    const [first] = part;
    if (first === undefined) continue;
    const merged = part.length === 1 ? toServerStatement(first.statement) : mergeGroup(batch, part);
    const at = statements.push(merged) - 1;
    for (const { statement, place } of part) {
      place(batch.kind === 'update' ? { at, rowId: statement.args?.[batch.idIndex] ?? null } : { at });
    }
  }
}

function mergeGroup(batch: Batch, members: readonly Placeable[]): ServerStatement {
  const rows = members.map(({ statement }) => statement.args ?? []);
  if (batch.kind === 'insert') return { sql: batch.textFor(rows.length), args: rows.flat() };
  const [firstRow = []] = rows;
  return { sql: batch.sql, args: firstRow.map((_, column) => rows.map((row) => row[column] ?? null)) };
}

function toServerStatement({ sql, args, postgresSql = sql }: Statement): ServerStatement {
  return args === undefined ? { sql: postgresSql } : { sql: postgresSql, args };
}
