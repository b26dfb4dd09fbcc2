import type { EventId } from '../../kernel/id.ts';
import { callFailures, type WebhookCallResult } from './post-call.ts';

/** The outcomes of an attempt: the HTTP status was 2xx, 410 or any other one, or there was none. */
export const callOutcomes = ['accepted', 'gone', 'rejected', ...callFailures] as const;
/** The outcome of an attempt. */
export type CallOutcome = (typeof callOutcomes)[number];

/** The states of a call: it waits for an attempt, the receiver has accepted it, or the server has given it up. */
export const callStates = ['waiting', 'done', 'dead'] as const;

/** The last attempt of a call (times in epoch ms). `answer` is the HTTP status. */
export type CallAttempt = {
  readonly outcome: CallOutcome;
  readonly answer: number | null;
  readonly startedAt: number;
  readonly durationMs: number;
};

/** A call of a webhook, with its last attempt; undefined before the end of the first one. */
export type ListedCall = {
  readonly eventId: EventId;
  readonly type: string;
  readonly eventAt: number;
  readonly state: (typeof callStates)[number];
  readonly attempts: number;
  /** When the next attempt is due; for a call in progress, when it is repeated if its process crashes. */
  readonly runAt: number;
  readonly last: CallAttempt | undefined;
};

/** The outcome of an attempt by its result. 410 Gone: the receiver wants no more calls (Standard Webhooks 1.0.0). */
export function callOutcomeOf(result: WebhookCallResult): CallOutcome {
  if ('failed' in result) return result.failed;
  if (result.status >= 200 && result.status < 300) return 'accepted';
  return result.status === 410 ? 'gone' : 'rejected';
}
