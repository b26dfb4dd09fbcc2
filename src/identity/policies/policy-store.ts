import type { Read, Statement } from '../../db/database.ts';
import { integerField, textField } from '../../db/row-fields.ts';
import { calibratedPolicy, type MatchPolicy, shippedPolicies } from '../match/policy.ts';
import { parseMatchPolicy } from './policy-file.ts';

/** A policy that a client or setting names is missing or invalid: the database was changed by hand. */
class PolicyUnavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PolicyUnavailable';
  }
}

/** Stores a policy. The unit fails (`unique`) if the name is taken. */
export function insertPolicy(name: string, document: string, now: number): Statement {
  return {
    sql: 'insert into match_policy (name, document, created_at) values ($1, $2, $3)',
    args: [name, document, now],
  };
}

/** The built-in or added policy of that name; undefined if there is none. */
export async function findPolicy(read: Read, name: string): Promise<MatchPolicy | undefined> {
  const shipped = shippedPolicies.get(name);
  if (shipped !== undefined) return shipped;
  const [row] = await read('select document from match_policy where name = $1', [name]);
  if (row === undefined) return undefined;
  // A document without a basis was stored when this policy was the default. The rules of a name never change.
  const parsed = parseMatchPolicy(textField(row, 'document'), calibratedPolicy);
  if ('policy' in parsed) return parsed.policy;
  throw new PolicyUnavailable(`the stored policy ${name} cannot be read: ${parsed.fault}`);
}

/** Reads each policy once, because a stored policy never changes. Throws `PolicyUnavailable` for an unknown name. */
export function createPolicyCache(read: Read): (name: string) => MatchPolicy | Promise<MatchPolicy> {
  const cache = new Map<string, MatchPolicy>(shippedPolicies);
  return (name) => cache.get(name) ?? find(name);

  async function find(name: string): Promise<MatchPolicy> {
    const policy = await findPolicy(read, name);
    if (policy === undefined)
      throw new PolicyUnavailable(`a client has the matching policy ${name}, which does not exist`);
    cache.set(name, policy);
    return policy;
  }
}

/** The names of all policies, the built-in ones first. */
export async function policyNames(read: Read): Promise<string[]> {
  const rows = await read('select name from match_policy order by name');
  return [...shippedPolicies.keys(), ...rows.map((row) => textField(row, 'name'))];
}

/** The added policies with their documents, sorted by name. */
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
