import type { Refusal } from '../kernel/problem.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import type { Answer } from './operation.ts';

/** Whether an answer says that there is no such thing, or that the claims do not fit: a check that failed. */
export function foundNothing(result: Answer | Refusal): boolean {
  if ('slug' in result) return problems[result.slug].status === 404;
  return 'json' in result && (result.json as { readonly verified?: unknown } | null)?.verified === false;
}
