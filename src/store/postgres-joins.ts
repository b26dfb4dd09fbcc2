import type { Statement, Value } from './db.ts';
import { inSizes } from './multi-row.ts';
import { insertOf, parseInsert } from './postgres-inserts.ts';
import { parseUpdate, updateOf } from './postgres-updates.ts';

type Unit = readonly Statement[];

/** Where a statement of a unit is done; `id`: of the rows that come back there, which is its own. */
export type Place = { readonly at: number; readonly id?: Value };

/** How the statements of some units go to the server. */
export type Layout = {
  readonly statements: readonly Statement[];
  /** For each unit and each of its statements. */
  readonly places: readonly (readonly Place[])[];
  /** From the first place to before the second a statement is of one unit; that another one fails tells nothing about a unit. */
  readonly alone: readonly [number, number];
};

/** A text that can do for several rows what it does for one. */
type Joinable = {
  readonly is: 'update' | 'insert';
  /** Which of the values is the id of the row, where it comes back. */
  readonly idAt?: number;
  textFor(size: number): string;
};

/** A statement on its way into a layout. */
type Member = { readonly statement: Statement; tell(place: Place): void };
type Group = { readonly joinable: Joinable; readonly members: Member[]; readonly ids: Set<Value> };

/** Every statement by itself, in the order in which the units hold them. */
export function layApart(units: readonly Unit[]): Layout {
  let at = 0;
  const places = units.map((unit) => unit.map(() => ({ at: at++ })));
  return { statements: units.flat(), places, alone: [0, at] };
}

/**
 * Statements of one text as one: the updates of a row at the beginning of each unit, before everything else, and the plain
 * inserts at its end, behind it. To a server ten rows in one statement are half the work of ten statements, and less still
 * for the program that sends them. Units have no order among each other: another batch may hold either.
 */
export function createJoins(): (units: readonly Unit[]) => Layout {
  const known = new Map<string, Joinable | undefined>();

  function joinableIn({ sql, rows }: Statement): Joinable | undefined {
    if (!known.has(sql)) known.set(sql, parse(sql));
    const joinable = known.get(sql);
    return joinable?.is === 'insert' && rows !== undefined ? undefined : joinable;
  }

  return (units) => {
    const groups = { update: new Map<string, Group>(), insert: new Map<string, Group>() };
    const rest: Member[] = [];
    const places = units.map((unit) => {
      const own = new Array<Place>(unit.length);
      const joinables = unit.map(joinableIn);
      let head = lengthWhile(joinables, 'update');
      const tail = unit.length - lengthWhile(joinables.toReversed(), 'insert');
      for (const [index, statement] of unit.entries()) {
        const member = { statement, tell: (place: Place) => (own[index] = place) };
        const joinable = index < head || index >= tail ? joinables[index] : undefined;
        if (joinable !== undefined && joins(groups[joinable.is], joinable, member)) continue;
        rest.push(member);
        // What comes behind it stays behind it.
        head = Math.min(head, index);
      }
      return own;
    });
    const statements: Statement[] = [];
    laySeveral(statements, groups.update);
    const from = statements.length;
    for (const { statement, tell } of rest) tell({ at: statements.push(statement) - 1 });
    const to = statements.length;
    laySeveral(statements, groups.insert);
    return { statements, places, alone: [from, to] };
  };
}

function lengthWhile(joinables: readonly (Joinable | undefined)[], is: Joinable['is']): number {
  const end = joinables.findIndex((joinable) => joinable?.is !== is);
  return end === -1 ? joinables.length : end;
}

/** Adds it to those of its text; not where one of them changes the same row, of which a joined update would do one only. */
function joins(groups: Map<string, Group>, joinable: Joinable, member: Member): boolean {
  const { sql, args = [] } = member.statement;
  const group = groups.get(sql) ?? { joinable, members: [], ids: new Set() };
  groups.set(sql, group);
  if (joinable.idAt !== undefined) {
    const id = args[joinable.idAt] ?? null;
    if (group.ids.has(id)) return false;
    group.ids.add(id);
  }
  group.members.push(member);
  return true;
}

function laySeveral(statements: Statement[], groups: ReadonlyMap<string, Group>): void {
  for (const { joinable, members } of groups.values()) {
    for (const part of inSizes(members)) {
      const args = part.flatMap(({ statement }) => statement.args ?? []);
      const at = statements.push({ sql: joinable.textFor(part.length), args }) - 1;
      for (const { statement, tell } of part) {
        tell(joinable.idAt === undefined ? { at } : { at, id: statement.args?.[joinable.idAt] ?? null });
      }
    }
  }
}

function parse(sql: string): Joinable | undefined {
  const insert = parseInsert(sql);
  if (insert !== undefined) return { is: 'insert', textFor: texts(sql, (size) => insertOf(insert, size)) };
  const update = parseUpdate(sql);
  if (update === undefined) return undefined;
  return { is: 'update', idAt: update.idAt, textFor: texts(sql, (size) => updateOf(update, size)) };
}

/** The text of each number of rows, made once; that of one row is the caller's own. */
function texts(sql: string, textOf: (size: number) => string): (size: number) => string {
  const known = new Map([[1, sql]]);
  return (size) => {
    const text = known.get(size) ?? textOf(size);
    known.set(size, text);
    return text;
  };
}
