/**
 * Whether an object in this valid JSON text has two members of one name. Parsers disagree on which one counts, so the checked
 * value could differ from the hashed one. `value` is the parsed text: it keeps one member of each name, while the text has one
 * colon for each member.
 */
export function hasDuplicateMember(text: string, value: unknown): boolean {
  return countMembersInText(text) !== countMembersInValue(value);
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];

/** Counts the colons outside of strings. */
function countMembersInText(text: string): number {
  let count = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) inString = !inString;
    else if (inString && unit === backslash) at += 1;
    else if (!inString && unit === colon) count += 1;
  }
  return count;
}

/** Without recursion, because a body can be nested deeper than the stack. */
function countMembersInValue(value: unknown): number {
  let count = 0;
  const stack = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += members.length;
    for (const member of members) if (typeof member === 'object') stack.push(member);
  }
  return count;
}
