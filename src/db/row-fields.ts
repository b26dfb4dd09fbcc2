import { type Id, type IdKind, parseId } from '../kernel/id.ts';
import type { Row } from './database.ts';

/** A text column. Throws where the row holds something else: then statement and reader do not fit together. */
export function textField(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} is not text`);
  return value;
}

/** A column of whole numbers. */
export function integerField(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`column ${column} is not a whole number`);
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

/** A column of whole numbers that may be null. */
export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integerField(row, column);
}

/** A column that holds an id of that kind. */
export function idField<K extends IdKind>(row: Row, column: string, of: K): Id<K> {
  const id = parseId(of, textField(row, column));
  if (id === undefined) throw new TypeError(`column ${column} holds no id of a ${of}`);
  return id;
}

/** A text column that holds one of these words. */
export function enumField<W extends string>(row: Row, column: string, words: readonly W[]): W {
  const value = textField(row, column);
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw new TypeError(`column ${column} holds a word that this program does not know`);
  return word;
}
