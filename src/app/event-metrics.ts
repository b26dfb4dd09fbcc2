import type { Log } from '../api/log.ts';
import type { MetricLabels, Metrics } from '../api/metrics.ts';
import type { OnCommitted } from '../ledger/commit.ts';
import { channelNames } from '../notifications/notification/notification.ts';
import { parseReasonCode, reasonOf } from '../notifications/notification/reason.ts';

/**
 * Counts events in the metrics: how delivery attempts ended, and citizens whose verification limit was reached. For the second,
 * the log names the client of the last attempt: a label must not hold a value that is not listed here.
 */
export function countEvents(onCommitted: OnCommitted, metrics: Metrics, log: Pick<Log, 'notice'>): void {
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
  onCommitted(['identity.guesses-spent', 'notification.delivery-ended'], (events) => {
    for (const event of events) {
      if (event.type === 'identity.guesses-spent') {
        countSpentLimit({});
        if ('client' in event.actor) log.notice('guesses about a person are spent', { clientId: event.actor.client });
      }
      if (event.type === 'notification.delivery-ended') {
        const whoActs = event.reason === undefined ? '' : reasonOf(parseReasonCode(event.reason)).whoActs;
        countDelivery({ channel: event.channel, outcome: event.outcome, who_acts: whoActs });
      }
    }
  });
}

/** The label values that alarms compare. They exist from the start; other values appear with their first event. */
const knownOutcomes: readonly MetricLabels[] = [
  { outcome: 'sent', who_acts: '' },
  { outcome: 'delivered', who_acts: '' },
  ...['retry', 'failed', 'unknown'].map((outcome) => ({ outcome, who_acts: 'operator' })),
];
