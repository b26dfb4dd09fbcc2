import type { Read, Statement } from '../../db/database.ts';
import { integerField, textField } from '../../db/row-fields.ts';
import { type MatchPolicy, shippedPolicies } from '../match/policy.ts';
import { parseMatchPolicy } from './policy-file.ts';

/** The statement that keeps a policy; its unit is refused (`unique`) where the name was given before. */
export function insertPolicy(name: string, document: string, now: number): Statement {
  return {
    sql: 'insert into match_policy (name, document, created_at) values ($1, $2, $3)',
    args: [name, document, now],
  };
}

/** The policy of that name: one that ships, or one that was added. */
export async function findPolicy(read: Read, name: string): Promise<MatchPolicy | undefined> {
  const shipped = shippedPolicies.get(name);
  if (shipped !== undefined) return shipped;
  const [row] = await read('select document from match_policy where name = $1', [name]);
  if (row === undefined) return undefined;
  const parsed = parseMatchPolicy(textField(row, 'document'));
  if ('policy' in parsed) return parsed.policy;
  throw new Error(`the stored policy ${name} cannot be read: ${parsed.fault}`);
}

/** The policies by name, each read once: under its name a policy never changes. A client whose policy is not there is a fault. */
export function createPolicyCache(read: Read): (name: string) => MatchPolicy | Promise<MatchPolicy> {
  const cache = new Map<string, MatchPolicy>(shippedPolicies);
  return (name) => cache.get(name) ?? find(name);

  async function find(name: string): Promise<MatchPolicy> {
    const policy = await findPolicy(read, name);
    if (policy === undefined) throw new Error(`a client has the matching policy ${name}, which is not there`);
    cache.set(name, policy);
    return policy;
  }
}

/** The names of all policies that can be given to a client, those that ship first. */
export async function policyNames(read: Read): Promise<string[]> {
  const rows = await read('select name from match_policy order by name');
  return [...shippedPolicies.keys(), ...rows.map((row) => textField(row, 'name'))];
}

/** The documents of the policies that were added, by name, with when. */
export async function addedPolicies(
  read: Read,
): Promise<readonly { readonly name: string; readonly document: string; readonly createdAt: number }[]> {
  const rows = await read('select name, document, created_at from match_policy order by name');
  return rows.map((row) => ({
    name: textField(row, 'name'),
    document: textField(row, 'document'),
    createdAt: integerField(row, 'created_at'),
  }));
}
