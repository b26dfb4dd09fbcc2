import { isObject } from '../../src/kernel/is-object.ts';

const isId = (value: unknown) => typeof value === 'string' && /^[\w-]+$/.test(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;
const areUnique = (values: readonly unknown[]) =>
  new Set(values.map((value) => JSON.stringify(value))).size === values.length;

/** The first rule of DCQL (OpenID4VP 1.0, section 6) that a query breaks; undefined if it is valid. */
export function findDcqlFault(query: unknown): string | undefined {
  if (!isObject(query) || !isList(query['credentials'])) return 'credentials must be a list';
  const credentials = query['credentials'].filter(isObject);
  const ids = credentials.map(({ id }) => id);
  if (!ids.every(isId) || !areUnique(ids))
    return 'the id of a credential must be unique, with letters, digits, _ and -';
  for (const credential of credentials) {
    const fault = findCredentialFault(credential);
    if (fault !== undefined) return `${credential['id']}: ${fault}`;
  }
  const sets = query['credential_sets'] ?? [{ options: [ids] }];
  const options = isList(sets) ? sets.map((set) => (isObject(set) ? set['options'] : undefined)) : [undefined];
  const isKnown = (option: unknown) => isList(option) && option.every((id) => ids.includes(id));
  if (!options.every((option) => isList(option) && option.every(isKnown)))
    return 'credential_sets must name credentials';
  return undefined;
}

function findCredentialFault(credential: Record<string, unknown>): string | undefined {
  const { format, meta, claims, claim_sets: sets, trusted_authorities: authorities } = credential;
  if (!isObject(meta)) return 'meta must be an object';
  if (format === 'dc+sd-jwt' && !isList(meta['vct_values'])) return 'vct_values must be a list';
  if (format === 'mso_mdoc' && typeof meta['doctype_value'] !== 'string') return 'doctype_value must be text';
  if (authorities !== undefined && !isList(authorities)) return 'trusted_authorities must not be empty';
  if (claims === undefined) return sets === undefined ? undefined : 'claim_sets needs claims';
  if (!isList(claims)) return 'claims must not be empty';
  const paths = claims.map((claim) => (isObject(claim) ? claim['path'] : undefined));
  if (!paths.every(isList)) return 'a path must be a list';
  if (!areUnique(paths)) return 'a claim must be named once';
  if (format === 'mso_mdoc' && !paths.every((path) => path.length === 2)) return 'a path must be namespace and element';
  const ids = claims.map((claim) => (isObject(claim) ? claim['id'] : undefined));
  if (sets === undefined) return undefined;
  if (!ids.every(isId) || !areUnique(ids)) return 'with claim_sets, each claim must have its own id';
  const areKnown = isList(sets) && sets.every((set) => isList(set) && set.every((id) => ids.includes(id)));
  return areKnown && areUnique(sets) ? undefined : 'claim_sets must name claims';
}
