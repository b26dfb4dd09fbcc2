import type { IncomingMessage } from 'node:http';
import { problems } from '../kernel/problem-catalogue.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { BufferedResponse } from './buffered-response.ts';

/** A refusal as `application/problem+json` (RFC 9457); `instance` is the request's id, also in the log. */
export function problemResponse(refusal: Refusal, publicUrl: string, instance: string): BufferedResponse {
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

/**
 * What a person reads in place of a problem: the page for a request that asks for one where citizens come; undefined for all
 * others. Of the request it sees no more than what a browser says of itself.
 */
export type RefusedPage = (request: IncomingMessage, refusal: Refusal) => Promise<BufferedResponse> | undefined;

/** What one refusal is answered with. */
type ReportedRefusal = { readonly refusal: Refusal; readonly instance: string };

/** Hands `send` what goes out for a refusal: the page, where this request gets one, else the problem, at once. */
export function sendRefusal(
  request: IncomingMessage,
  { refusal, instance }: ReportedRefusal,
  { publicUrl, refusedPage }: { readonly publicUrl: string; readonly refusedPage?: RefusedPage | undefined },
  send: (answer: BufferedResponse) => void,
): void {
  const problem = () => problemResponse(refusal, publicUrl, instance);
  const page = refusedPage?.(request, refusal);
  if (page === undefined) send(problem());
  else page.catch(problem).then(send);
}
