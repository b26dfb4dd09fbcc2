/** Writes a JSON value as YAML 1.2 in block style. Names and scalars stay as in JSON, which is valid YAML. */
export function toYaml(value: unknown): string {
  return `${block(JSON.parse(JSON.stringify(value)), '').trimStart()}\n`;
}

/** Writes the part after a name or dash: a scalar on the same line, or indented lines. */
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
