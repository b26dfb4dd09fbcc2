import type { IncomingMessage } from 'node:http';
import { tokenPath } from '../auth/access-token.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { BufferedResponse } from './buffered-response.ts';

/** A refusal as `application/problem+json` (RFC 9457); `instance` is the id of the request, which is also in the log. */
export function problemResponse(refusal: Refusal, publicUrl: string, instance: string): BufferedResponse {
  const problem = problems[refusal.slug];
  const body = JSON.stringify({
    type: `${publicUrl}/problems/${refusal.slug}`,
    title: problem.title,
    status: problem.status,
    detail: refusal.detail,
    fix: problem.fix,
    ...(problem.status === 401 ? { tokenUrl: `${publicUrl}${tokenPath}` } : {}),
    ...refusal.members,
    ...(refusal.issues === undefined ? {} : { issues: refusal.issues }),
    retryable: problem.retryable === true,
    instance,
  });
  return {
    status: problem.status,
    headers: { ...refusal.headers, 'content-type': 'application/problem+json' },
    body,
  };
}

/** The page that a browser receives instead of the problem; undefined for every other request. */
export type RefusedPage = (request: IncomingMessage, refusal: Refusal) => BufferedResponse | undefined;

/** The response to a request that reaches no operation: a page for a browser, otherwise the problem. */
export function refusalResponse(
  request: IncomingMessage,
  { refusal, instance }: { readonly refusal: Refusal; readonly instance: string },
  { publicUrl, refusedPage }: { readonly publicUrl: string; readonly refusedPage?: RefusedPage | undefined },
): BufferedResponse {
  return refusedPage?.(request, refusal) ?? problemResponse(refusal, publicUrl, instance);
}
