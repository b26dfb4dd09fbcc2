import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../auth/caller.ts';
import { formatInstant, instantRequirement, parseInstant } from '../kernel/clock.ts';
import { percentDecode } from '../kernel/percent-decode.ts';
import { type Issue, type Refusal, refuse, refuseIssues } from '../kernel/refusal.ts';
import { singleLinePattern, singleLineRequirement } from '../kernel/single-line-text.ts';
import type { Effect } from '../ledger/commit.ts';
import type { Concealment, LedgerEvent } from '../ledger/ledger-event.ts';

/** The headers by which a client with the scope `access-log:hide` conceals an access from its citizen for a time. */
export const concealmentHeaders = { until: 'access-log-hidden-until', reason: 'access-log-hidden-reason' } as const;

const maxReasonLength = 200;

/** Parses until when and why an access is concealed; undefined without the headers, which are required together. */
export function parseConcealment(
  headers: IncomingHttpHeaders,
  caller: Caller,
  { now, longestMs }: { readonly now: number; readonly longestMs: number },
): Concealment | Refusal | undefined {
  const [until, reason] = [headers[concealmentHeaders.until], headers[concealmentHeaders.reason]];
  if (until === undefined && reason === undefined) return undefined;
  if (!caller.scopes.has('access-log:hide') || longestMs === 0) return refuse('hiding-not-permitted');
  const issues: Issue[] = [];
  const add = (name: string, code: string, detail: string) => issues.push({ in: 'header', name, code, detail });
  const at = typeof until === 'string' ? parseInstant(until) : undefined;
  if (until === undefined) add(concealmentHeaders.until, 'required', 'required');
  else if (at === undefined) add(concealmentHeaders.until, 'malformed', instantRequirement);
  else if (at <= now || at > now + longestMs) {
    const days = Math.floor(longestMs / 86_400_000);
    add(concealmentHeaders.until, 'out-of-range', `must be in the future, at most ${days} days ahead`);
  }
  const text = typeof reason === 'string' ? decodeReason(reason) : undefined;
  if (reason === undefined) add(concealmentHeaders.reason, 'required', 'required');
  else if (text === undefined)
    add(
      concealmentHeaders.reason,
      'malformed',
      `must be percent-encoded UTF-8 of 1 to ${maxReasonLength} characters: ${singleLineRequirement}`,
    );
  if (at === undefined || text === undefined || issues.length > 0) return refuseIssues(issues);
  return { hiddenUntil: formatInstant(at), hiddenReason: text };
}

function decodeReason(text: string): string | undefined {
  const reason = percentDecode(text)?.trim() ?? '';
  return singleLinePattern.test(reason) && [...reason].length <= maxReasonLength ? reason : undefined;
}

/** The same effect, with every event concealed; an event that is already concealed for longer stays as it is. */
export function concealEffect(effect: Effect, concealment: Concealment): Effect {
  const isConcealedLonger = ({ hiddenUntil = '' }: Concealment) => hiddenUntil > (concealment.hiddenUntil ?? '');
  const conceal = (event: LedgerEvent): LedgerEvent =>
    isConcealedLonger(event) ? event : { ...event, ...concealment };
  const [first, ...more] = effect.events;
  return { ...effect, events: [conceal(first), ...more.map(conceal)] };
}
