import { type Id, type IdKind, parseId } from '../kernel/id.ts';
import type { Row } from './database.ts';

/** A text column. Throws where the row holds another type, because then the statement and its reader do not match. */
export function textField(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} is not text`);
  return value;
}

/** A column of integers. */
export function integerField(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`column ${column} is not an integer`);
  return value;
}

/** A column of bytes. */
export function bytesField(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new TypeError(`column ${column} is not bytes`);
  return value;
}

/** A text column that may be null. */
export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : textField(row, column);
}

/** A column of integers that may be null. */
export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integerField(row, column);
}

/** A column that holds an id of the given kind. Throws where it holds none. */
export function idField<K extends IdKind>(row: Row, column: string, of: K): Id<K> {
  const id = parseId(of, textField(row, column));
  if (id === undefined) throw new TypeError(`column ${column} holds no id of the kind ${of}`);
  return id;
}

/** A text column that holds one of these values. Throws where it holds another one, such as one of a newer program. */
export function enumField<V extends string>(row: Row, column: string, values: readonly V[]): V {
  const text = textField(row, column);
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw new TypeError(`column ${column} holds a value that this program does not know`);
  return value;
}
