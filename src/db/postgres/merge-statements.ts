import type { SqlValue, Statement } from '../database.ts';
import { splitByRowCounts } from '../multi-row-statement.ts';
import { multiRowInsertText, parseInsert } from './parse-insert.ts';
import { multiRowUpdateText, parseUpdate } from './parse-update.ts';

type Unit = readonly Statement[];

/** Where a statement of a unit is done; `id`: of the rows that come back there, which is its own. */
export type ReplySource = { readonly at: number; readonly rowId?: SqlValue };

/** How the statements of some units go to the server. */
export type BatchLayout = {
  readonly statements: readonly Statement[];
  /** For each unit and each of its statements. */
  readonly sources: readonly (readonly ReplySource[])[];
  /** From the first place to before the second a statement is of one unit; that another one fails tells nothing about a unit. */
  readonly separateRange: readonly [number, number];
};

/** A text that can do for several rows what it does for one. */
type MergeableText = {
  readonly is: 'update' | 'insert';
  /** Which of the values is the id of the row, where it comes back. */
  readonly idIndex?: number;
  textFor(size: number): string;
};

/** A statement on its way into a layout. */
type PlannedStatement = { readonly statement: Statement; tell(place: ReplySource): void };
type MergeGroup = {
  readonly joinable: MergeableText;
  readonly members: PlannedStatement[];
  readonly ids: Set<SqlValue>;
};

/** Every statement by itself, in the order in which the units hold them. */
export function layOutSeparately(units: readonly Unit[]): BatchLayout {
  let at = 0;
  const sources = units.map((unit) => unit.map(() => ({ at: at++ })));
  return { statements: units.flat(), sources, separateRange: [0, at] };
}

/**
 * Statements of one text as one: the updates of a row at the beginning of each unit, before everything else, and the plain
 * inserts at its end, behind it. To a server ten rows in one statement are half the work of ten statements, and less still
 * for the program that sends them. Units have no order among each other: another batch may hold either.
 */
export function createStatementMerger(): (units: readonly Unit[]) => BatchLayout {
  const known = new Map<string, MergeableText | undefined>();

  function joinableIn({ sql, rows }: Statement): MergeableText | undefined {
    if (!known.has(sql)) known.set(sql, parseMergeable(sql));
    const joinable = known.get(sql);
    return joinable?.is === 'insert' && rows !== undefined ? undefined : joinable;
  }

  return (units) => {
    const groups = { update: new Map<string, MergeGroup>(), insert: new Map<string, MergeGroup>() };
    const rest: PlannedStatement[] = [];
    const sources = units.map((unit) => {
      const own = new Array<ReplySource>(unit.length);
      const joinables = unit.map(joinableIn);
      let head = countWhile(joinables, 'update');
      const tail = unit.length - countWhile(joinables.toReversed(), 'insert');
      for (const [index, statement] of unit.entries()) {
        const member = { statement, tell: (place: ReplySource) => (own[index] = place) };
        const joinable = index < head || index >= tail ? joinables[index] : undefined;
        if (joinable !== undefined && addToGroup(groups[joinable.is], joinable, member)) continue;
        rest.push(member);
        // What comes behind it stays behind it.
        head = Math.min(head, index);
      }
      return own;
    });
    const statements: Statement[] = [];
    layOutMerged(statements, groups.update);
    const from = statements.length;
    for (const { statement, tell } of rest) tell({ at: statements.push(statement) - 1 });
    const to = statements.length;
    layOutMerged(statements, groups.insert);
    return { statements, sources, separateRange: [from, to] };
  };
}

function countWhile(joinables: readonly (MergeableText | undefined)[], is: MergeableText['is']): number {
  const end = joinables.findIndex((joinable) => joinable?.is !== is);
  return end === -1 ? joinables.length : end;
}

/** Adds it to those of its text; not where one of them changes the same row, of which a joined update would do one only. */
function addToGroup(groups: Map<string, MergeGroup>, joinable: MergeableText, member: PlannedStatement): boolean {
  const { sql, args = [] } = member.statement;
  const group = groups.get(sql) ?? { joinable, members: [], ids: new Set() };
  groups.set(sql, group);
  if (joinable.idIndex !== undefined) {
    const id = args[joinable.idIndex] ?? null;
    if (group.ids.has(id)) return false;
    group.ids.add(id);
  }
  group.members.push(member);
  return true;
}

function layOutMerged(statements: Statement[], groups: ReadonlyMap<string, MergeGroup>): void {
  for (const { joinable, members } of groups.values()) {
    for (const part of splitByRowCounts(members)) {
      const args = part.flatMap(({ statement }) => statement.args ?? []);
      const at = statements.push({ sql: joinable.textFor(part.length), args }) - 1;
      for (const { statement, tell } of part) {
        tell(joinable.idIndex === undefined ? { at } : { at, rowId: statement.args?.[joinable.idIndex] ?? null });
      }
    }
  }
}

function parseMergeable(sql: string): MergeableText | undefined {
  const insert = parseInsert(sql);
  if (insert !== undefined)
    return { is: 'insert', textFor: memoizeTextByRowCount(sql, (size) => multiRowInsertText(insert, size)) };
  const update = parseUpdate(sql);
  if (update === undefined) return undefined;
  return {
    is: 'update',
    idIndex: update.idIndex,
    textFor: memoizeTextByRowCount(sql, (size) => multiRowUpdateText(update, size)),
  };
}

/** The text of each number of rows, made once; that of one row is the caller's own. */
function memoizeTextByRowCount(sql: string, textOf: (size: number) => string): (size: number) => string {
  const known = new Map([[1, sql]]);
  return (size) => {
    const text = known.get(size) ?? textOf(size);
    known.set(size, text);
    return text;
  };
}
