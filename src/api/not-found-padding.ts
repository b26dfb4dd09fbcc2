import { setTimeout as pause } from 'node:timers/promises';
import { problems } from '../kernel/problem-catalogue.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { OperationResponse } from './operation.ts';

/** Whether an answer says that there is no such thing, or that the claims do not fit: a check that failed. */
export function isFailedLookup(result: OperationResponse | Refusal): boolean {
  if ('slug' in result) return problems[result.slug].status === 404;
  return 'json' in result && (result.json as { readonly verified?: unknown } | null)?.verified === false;
}

const paddingIntervalMs = 5;

/**
 * Lets the answer "there is no such thing" leave at a whole multiple of five milliseconds after its question came: what is
 * there and another's costs more work than what is nowhere (its refusal is sealed for the citizen), and that must not show
 * (test/attacks/object-access.test.ts). `startedAt` as `performance.now()` told it.
 */
export async function padNotFoundResponse(startedAt: number): Promise<void> {
  const leaveAt = startedAt + paddingIntervalMs * (Math.floor((performance.now() - startedAt) / paddingIntervalMs) + 1);
  // A timer drops the fraction of a millisecond that it is given, and counts from the millisecond that is under way: early
  // by up to two, and by how much would tell of the work.
  for (let leftMs = leaveAt - performance.now(); leftMs > 0; leftMs = leaveAt - performance.now())
    await pause(Math.ceil(leftMs));
}
