import { type TStringOptions, Type } from 'typebox';
import type { Issue } from '../kernel/refusal.ts';

// The pages of a list: `next` of a response is the `cursor` of the request for the next page.

/** The schema of the parameter `cursor` of a list. */
export const cursorSchema = (bounds: Pick<TStringOptions, 'minLength' | 'maxLength' | 'pattern'>) =>
  Type.Optional(
    Type.String({ ...bounds, description: 'The member `next` of the previous page. Default: the first page.' }),
  );

/** The schema of the member `next` of a list. */
export const nextCursorSchema = Type.Union([Type.String(), Type.Null()], {
  description: 'The cursor of the next page. null: this is the last page.',
});

/** The issue of a `cursor` that no page of the list has returned. */
export const unknownCursor: Issue = {
  in: 'query',
  name: 'cursor',
  code: 'malformed',
  detail: 'must be `next` of an earlier page',
};

/** A page of `limit` items, and its `next`. `found` has one more item if there is a next page. */
export function pageOf<T, C>(found: readonly T[], limit: number, cursorOf: (last: T) => C) {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? cursorOf(last) : null };
}
