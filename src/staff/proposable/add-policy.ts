import { Type } from 'typebox';
import { addMatchPolicy, policyNameOf } from '../../identity/policies/add-policy.ts';
import { findPolicy } from '../../identity/policies/policy-store.ts';
import { defineProposable } from './proposable-operation.ts';

const taken = 'A policy with this name exists. Give the changed policy a new name.';

/** Stores a matching policy for verifications under its name. */
export const proposablePolicy = defineProposable({
  name: 'addPolicy',
  proposers: ['staff:operate'],
  summary: 'Add a matching policy',
  affectsAllServices: true,
  input: Type.Object(
    {
      document: Type.String({
        minLength: 2,
        maxLength: 100_000,
        description: 'The policy file, as for "policies add".',
      }),
    },
    { additionalProperties: false },
  ),
  check: async ({ document }, { read }) => {
    const parsed = policyNameOf(document);
    if ('fault' in parsed) return { fault: `Expected a policy, received another content: ${parsed.fault}.` };
    return (await findPolicy(read, parsed.name)) === undefined
      ? { before: { policy: parsed.name, exists: false } }
      : { fault: taken };
  },
  apply: async ({ document: text }, { commitWith, ...context }) => {
    const parsed = policyNameOf(text);
    if ('fault' in parsed) return parsed;
    const { name } = parsed;
    const deps = { ...context, commit: commitWith({ policy: name, exists: true }) };
    return (await addMatchPolicy(deps, { name, text })) === 'added' ? undefined : { fault: taken };
  },
});
