/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A copy of the document in which each `$ref` is replaced with its target. A member beside a `$ref` stays. */
export function resolveReferences(document: JsonObject): JsonObject {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...own } = value as JsonObject;
    const members = Object.fromEntries(Object.entries(own).map(([name, member]) => [name, resolve(member)]));
    if (typeof $ref !== 'string') return $ref === undefined ? members : { ...members, $ref: resolve($ref) };
    // Each reference of the document leads to an object.
    return { ...(resolve(targetOf(document, $ref)) as JsonObject), ...members };
  };
  // The document is an object.
  return resolve(document) as JsonObject;
}

function targetOf(document: JsonObject, reference: string): unknown {
  let found: unknown = document;
  for (const name of reference.split('/').slice(1)) found = (found as JsonObject | undefined)?.[name];
  if (found === undefined) throw new TypeError(`the OpenAPI document has no ${reference}`);
  return found;
}
