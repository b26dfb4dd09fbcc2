import type { Log } from '../api/log.ts';
import type { MetricLabels, Metrics } from '../api/metrics.ts';
import type { Commit } from '../ledger/commit.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { channelNames } from '../notifications/notification/notification.ts';
import { parseReasonCode, reasonOf } from '../notifications/notification/reason.ts';

/** Counts an event that was stored. */
export type EventCounter = (event: LedgerEvent) => void;

/**
 * The same commit, with what it has stored counted: an event says what came to be, whoever made it. A start recovers what a
 * crash has left before there are metrics, so what was stored till then is counted when they begin.
 */
export function createCountingCommit(commit: Commit): { readonly commit: Commit; begin(count: EventCounter): void } {
  let early: LedgerEvent[] = [];
  let count: EventCounter = (event) => early.push(event);
  return {
    commit: async (effect) => {
      const rows = await commit(effect);
      for (const event of effect.events) count(event);
      return rows;
    },
    begin: (given) => {
      count = given;
      for (const event of early) given(event);
      early = [];
    },
  };
}

/**
 * What is counted of events: what came of deliveries, and budgets of wrong guesses that were spent. Of these the log says by
 * whose last guess, since a label has only words of this program.
 */
export function createEventCounter(metrics: Metrics, log: Pick<Log, 'notice'>): EventCounter {
  const countDelivery = metrics.counter({
    name: 'citizen_services_delivery_outcomes_total',
    help: 'What came of attempts to deliver, by channel, outcome and who has to act.',
    labels: ['channel', 'outcome', 'who_acts'],
    initialLabels: channelNames.flatMap((channel) => knownOutcomes.map((outcome) => ({ channel, ...outcome }))),
  });
  const countSpentLimit = metrics.counter({
    name: 'citizen_services_guesses_spent_total',
    help: 'Persons about whom so much was guessed that all claims fit nothing for a time.',
    labels: [],
    initialLabels: [{}],
  });
  return (event) => {
    if (event.type === 'identity.guesses-spent') {
      countSpentLimit({});
      if ('client' in event.actor) log.notice('guesses about a person are spent', { clientId: event.actor.client });
    }
    if (event.type !== 'notification.delivery-ended') return;
    const { channel, outcome, reason } = event;
    countDelivery({
      channel,
      outcome,
      who_acts: reason === undefined ? '' : reasonOf(parseReasonCode(reason)).whoActs,
    });
  };
}

/** What alarms compare; the others come with their first. */
const knownOutcomes: readonly MetricLabels[] = [
  { outcome: 'sent', who_acts: '' },
  { outcome: 'delivered', who_acts: '' },
  ...['retry', 'failed', 'unknown'].map((outcome) => ({ outcome, who_acts: 'operator' })),
];
