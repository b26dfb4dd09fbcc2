import { isObject } from '../kernel/is-object.ts';

const keyword = 'x-undocumented';

/** Marks a member of a request schema that the server accepts, and that no page and no document lists. */
export const undocumentedMember = { [keyword]: true } as const;

/** The names and schemas of the members that pages and documents list. */
export function documentedMembers(properties: unknown): readonly (readonly [name: string, member: unknown])[] {
  if (!isObject(properties)) return [];
  return Object.entries(properties).filter(([, member]) => !isObject(member) || member[keyword] !== true);
}
