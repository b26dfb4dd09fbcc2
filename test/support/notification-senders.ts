import { setTimeout as pause } from 'node:timers/promises';
import { createHttpClient, parseJsonBody, postJson } from './http-client.ts';

/** Clients that send notifications one after another, each with an idempotency key of its own. */
export type NotificationSenders = {
  /** The id in the 202 response, by key. */
  readonly accepted: ReadonlyMap<string, string>;
  /** The number of each failure: an error code of the connection, or a status with its problem. */
  readonly failures: ReadonlyMap<string, number>;
  /** Keys whose repeated request got another id; there must be none. */
  readonly inconsistentReplays: readonly string[];
  /** Lets each sender finish its current key. */
  finish(): void;
  /** Resolves when all senders have ended. */
  readonly ended: Promise<void>;
};

export type NotificationSendersOptions = {
  readonly url: string;
  readonly token: string;
  readonly senders: number;
  readonly citizenIds: readonly string[];
  /** A text in every message. */
  readonly marker: string;
  /** `accepted` tries each key until it is accepted. `refused` tries it once, and ends a sender when its connection is refused. */
  readonly until: 'accepted' | 'refused';
  /** The pause of a sender after each request. */
  readonly pauseMs: number;
};

/** Starts the senders. Half of them reuse their connection, the others open one for each request. */
export function startNotificationSenders(options: NotificationSendersOptions): NotificationSenders {
  const accepted = new Map<string, string>();
  const failures = new Map<string, number>();
  const inconsistentReplays: string[] = [];
  let finishing = false;

  async function attempt(
    request: ReturnType<typeof createHttpClient>,
    key: string,
    citizenId: string,
  ): Promise<string> {
    const body = { citizenId, message: `${options.marker} ${key}`, reference: key };
    const post = postJson(options.token, '/v1/notifications/send', body, { 'idempotency-key': key });
    try {
      const answer = await request(post);
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
    const client = createHttpClient(options.url, sender % 2 === 0 ? 1 : undefined);
    for (let count = 0; !finishing; count += 1) {
      const key = `sender-${sender}-${count}`;
      const citizenId = options.citizenIds[count % options.citizenIds.length] ?? '';
      for (;;) {
        const outcome = await attempt(client, key, citizenId);
        await pause(options.pauseMs);
        if (outcome === 'accepted') break;
        failures.set(outcome, (failures.get(outcome) ?? 0) + 1);
        if (options.until === 'accepted') continue;
        if (outcome === 'ECONNREFUSED') return client.close();
        break;
      }
    }
    client.close();
  }

  const all = Array.from({ length: options.senders }, (_, sender) => send(sender));
  return {
    accepted,
    failures,
    inconsistentReplays,
    finish: () => {
      finishing = true;
    },
    ended: Promise.all(all).then(() => undefined),
  };
}
