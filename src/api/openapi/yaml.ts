/**
 * A JSON value as YAML 1.2 in block style: names and scalars stay as JSON writes them, which YAML reads alike. Ends with
 * a line break.
 */
export function toYaml(value: unknown): string {
  return `${block(JSON.parse(JSON.stringify(value)), '').trimStart()}\n`;
}

/** What follows a name or dash: a scalar on the same line, or lines of their own. */
function block(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return ` ${JSON.stringify(value)}`;
  const lines = Array.isArray(value)
    ? value.map((item) => `\n${indent}-${block(item, `${indent}  `)}`)
    : Object.entries(value).map(
        ([name, member]) => `\n${indent}${JSON.stringify(name)}:${block(member, `${indent}  `)}`,
      );
  if (lines.length === 0) return Array.isArray(value) ? ' []' : ' {}';
  return lines.join('');
}
