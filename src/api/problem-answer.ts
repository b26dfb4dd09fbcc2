import type { Refusal } from '../kernel/problem.ts';
import { problems } from '../kernel/problem-catalogue.ts';

/** What goes out for one request; header names in lower case. */
export type Outgoing = {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: string;
};

/** A refusal as `application/problem+json` (RFC 9457); `instance` is the request's id, also in the log. */
export function problemAnswer(refusal: Refusal, publicUrl: string, instance: string): Outgoing {
  const problem = problems[refusal.slug];
  const body = JSON.stringify({
    type: `${publicUrl}/problems/${refusal.slug}`,
    title: problem.title,
    status: problem.status,
    detail: refusal.detail,
    fix: problem.fix,
    ...refusal.members,
    ...(refusal.issues === undefined ? {} : { issues: refusal.issues }),
    retryable: problem.retryable,
    instance,
  });
  return {
    status: problem.status,
    headers: { ...refusal.headers, 'content-type': 'application/problem+json' },
    body,
  };
}
