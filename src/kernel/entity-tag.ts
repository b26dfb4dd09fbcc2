/** Whether a list of entity tags names this strong one (RFC 9110, section 8.8.3.2); `*` names any. */
export function namesTag(list: string, etag: string, how: 'strongly' | 'weakly'): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (how === 'weakly' && tag === `W/${etag}`));
}
