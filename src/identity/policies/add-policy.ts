import { hash } from 'node:crypto';
import { WriteRefused } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import type { Commit } from '../../ledger/commit.ts';
import type { Actor } from '../../ledger/ledger-event.ts';
import { standardPolicy3 } from '../match/policy.ts';
import { parseMatchPolicy } from './policy-file.ts';
import { insertPolicy } from './policy-store.ts';

type AddDeps = {
  readonly commit: Commit;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  readonly actor: Actor;
};

/** The name of a policy file, or why it is no policy. */
export function policyNameOf(text: string): { readonly name: string } | { readonly fault: string } {
  const parsed = parseMatchPolicy(text);
  return 'fault' in parsed ? parsed : { name: parsed.policy.name };
}

/** Stores a policy that `policyNameOf` accepts, under its name. `taken`: another policy has the name, and nothing was stored. */
export async function addMatchPolicy(
  { commit, clock, createId, actor }: AddDeps,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<'added' | 'taken'> {
  const document = withBasis(text);
  const head = { id: createId('event'), at: clock.now(), actor };
  try {
    await commit({
      events: [{ type: 'policy.added', ...head, name, digest: hash('sha256', document, 'hex') }],
      statements: [insertPolicy(name, document, head.at)],
    });
    return 'added';
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'unique') return 'taken';
    throw fault;
  }
}

/** The document with its basis, because a later version may have another default. */
function withBasis(document: string): string {
  // `parseMatchPolicy` has accepted the document.
  const file = JSON.parse(document) as { readonly basis?: string };
  return file.basis === undefined ? JSON.stringify({ ...file, basis: standardPolicy3.name }) : document;
}
