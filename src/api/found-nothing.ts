import { setTimeout as pause } from 'node:timers/promises';
import type { Refusal } from '../kernel/problem.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import type { Answer } from './operation.ts';

/** Whether an answer says that there is no such thing, or that the claims do not fit: a check that failed. */
export function foundNothing(result: Answer | Refusal): boolean {
  if ('slug' in result) return problems[result.slug].status === 404;
  return 'json' in result && (result.json as { readonly verified?: unknown } | null)?.verified === false;
}

const quantumMs = 5;

/**
 * Lets the answer "there is no such thing" leave at a whole multiple of five milliseconds after its question came: what is
 * there and another's costs more work than what is nowhere (its refusal is sealed for the citizen), and that must not show
 * (test/attacks/object-access.test.ts). `startedAt` as `performance.now()` told it.
 */
export async function atWholeQuantum(startedAt: number): Promise<void> {
  await pause(quantumMs - ((performance.now() - startedAt) % quantumMs));
}
