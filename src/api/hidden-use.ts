import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../access/caller.ts';
import { instantDetail, parseInstant, toInstant } from '../kernel/clock.ts';
import { percentDecode } from '../kernel/percent-decode.ts';
import { type Issue, type Refusal, refusalOfIssues, refuse } from '../kernel/problem.ts';
import type { Commit, Effect } from '../ledger/commit.ts';
import type { Hidden, LedgerEvent } from '../ledger/event.ts';

/** The headers by which an authority with the scope `access-log:hide` delays that the citizen is told of a use. */
export const hidingHeaders = { until: 'access-log-hidden-until', reason: 'access-log-hidden-reason' } as const;

const longestReason = 200;

/**
 * Until when, and why, the use behind these headers is hidden; undefined where it is not. Both headers belong together,
 * the instant lies ahead and not beyond the operator's maximum, the reason is percent-encoded UTF-8 and shown later.
 */
export function hiddenUse(
  headers: IncomingHttpHeaders,
  caller: Caller,
  { now, longestMs }: { readonly now: number; readonly longestMs: number },
): Hidden | Refusal | undefined {
  const [until, reason] = [headers[hidingHeaders.until], headers[hidingHeaders.reason]];
  if (until === undefined && reason === undefined) return undefined;
  if (!caller.scopes.has('access-log:hide') || longestMs === 0) return refuse('hiding-not-permitted');
  const issues: Issue[] = [];
  const add = (name: string, code: string, detail: string) => issues.push({ in: 'header', name, code, detail });
  const at = typeof until === 'string' ? parseInstant(until) : undefined;
  if (until === undefined) add(hidingHeaders.until, 'required', 'required');
  else if (at === undefined) add(hidingHeaders.until, 'malformed', instantDetail);
  else if (at <= now || at > now + longestMs) {
    const days = Math.floor(longestMs / 86_400_000);
    add(hidingHeaders.until, 'out-of-range', `must be in the future, at most ${days} days ahead`);
  }
  const text = typeof reason === 'string' ? decode(reason) : undefined;
  if (reason === undefined) add(hidingHeaders.reason, 'required', 'required');
  else if (text === undefined)
    add(hidingHeaders.reason, 'malformed', `must be percent-encoded UTF-8 of 1 to ${longestReason} characters`);
  if (at === undefined || text === undefined || issues.length > 0) return refusalOfIssues(issues);
  return { hiddenUntil: toInstant(at), hiddenReason: text };
}

function decode(text: string): string | undefined {
  const reason = percentDecode(text)?.trim() ?? '';
  return /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(reason) ? reason : undefined;
}

/** A commit whose events all say that they are hidden, one that is hidden for longer for as long. */
export function hidingCommit(commit: Commit, hidden: Hidden): Commit {
  const isLonger = ({ hiddenUntil = '' }: Hidden) => hiddenUntil > (hidden.hiddenUntil ?? '');
  const hide = (event: LedgerEvent): LedgerEvent => (isLonger(event) ? event : { ...event, ...hidden });
  return ({ events: [first, ...more], statements }: Effect) =>
    commit({ events: [hide(first), ...more.map(hide)], statements });
}
