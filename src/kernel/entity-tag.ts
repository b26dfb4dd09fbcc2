/** Whether a list of entity tags includes this strong tag (RFC 9110, section 8.8.3.2); `*` includes any tag. */
export function etagListIncludes(list: string, etag: string, comparison: 'strongly' | 'weakly'): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (comparison === 'weakly' && tag === `W/${etag}`));
}
