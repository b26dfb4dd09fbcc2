import { setTimeout as pause } from 'node:timers/promises';
import { createHttpClient, parseJsonBody, postJson } from './http-client.ts';

/** Programs that send notifications as service teams should: each with a key of its own, one after another. */
export type NotificationSenders = {
  /** The id that was answered under each key with 202. */
  readonly accepted: ReadonlyMap<string, string>;
  /** How often each other thing happened: an error code of the connection, or a status with its problem. */
  readonly failures: ReadonlyMap<string, number>;
  /** Answers that were not those of the first time under the same key; there must be none. */
  readonly inconsistentReplays: readonly string[];
  /** Lets each sender finish the key that it is at. */
  finish(): void;
  /** Resolves when all senders have ended. */
  readonly ended: Promise<void>;
};

export type NotificationSendersOptions = {
  readonly url: string;
  readonly token: string;
  readonly senders: number;
  readonly citizenIds: readonly string[];
  /** Goes into every message. */
  readonly marker: string;
  /** Whether a key is tried until it is accepted, or once; then a sender ends when nobody listens any more. */
  readonly until: 'accepted' | 'refused';
  /** The pause of a sender after each request. */
  readonly pauseMs: number;
};

/** Starts to send. Half of the senders keep their connection, the others make a new one for each request. */
export function startNotificationSenders(options: NotificationSendersOptions): NotificationSenders {
  const accepted = new Map<string, string>();
  const failures = new Map<string, number>();
  const inconsistentReplays: string[] = [];
  let finishing = false;

  async function attempt(ask: ReturnType<typeof createHttpClient>, key: string, citizenId: string): Promise<string> {
    const body = { citizenId, message: `${options.marker} ${key}`, reference: key };
    const asked = postJson(options.token, '/v1/notifications/send', body, { 'idempotency-key': key });
    try {
      const answer = await ask(asked);
      const { id, type } = parseJsonBody(answer);
      if (answer.status !== 202) return `${answer.status} ${String(type).split('/').at(-1)}`;
      if (accepted.has(key) && accepted.get(key) !== id) inconsistentReplays.push(key);
      accepted.set(key, String(id));
      return 'accepted';
    } catch (fault) {
      return fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);
    }
  }

  async function send(sender: number): Promise<void> {
    const ask = createHttpClient(options.url, sender % 2 === 0 ? 1 : undefined);
    for (let count = 0; !finishing; count += 1) {
      const key = `sender-${sender}-${count}`;
      const citizenId = options.citizenIds[count % options.citizenIds.length] ?? '';
      for (;;) {
        const outcome = await attempt(ask, key, citizenId);
        await pause(options.pauseMs);
        if (outcome === 'accepted') break;
        failures.set(outcome, (failures.get(outcome) ?? 0) + 1);
        if (options.until === 'accepted') continue;
        if (outcome === 'ECONNREFUSED') return ask.close();
        break;
      }
    }
    ask.close();
  }

  const all = Array.from({ length: options.senders }, (_, sender) => send(sender));
  return {
    ...{ accepted, failures, inconsistentReplays },
    finish: () => {
      finishing = true;
    },
    ended: Promise.all(all).then(() => undefined),
  };
}
