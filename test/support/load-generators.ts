import { createCipheriv, createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from './http-client.ts';

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

type NotificationSendersOptions = {
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

/** Processes that deposit documents repeatedly. */
export type DocumentUploaders = {
  /** The documents answered with 201, with the index of their size. */
  readonly deposited: ReadonlyMap<string, number>;
  /** The number of failed deposits. */
  readonly failedUploads: { count: number };
  /** Lets each process end after its current deposit. */
  finish(): void;
  readonly ended: Promise<void>;
};

/** The bytes of a document of that size: random-looking, and always the same. */
export function makeDocumentBytes(size: number): Buffer {
  const key = createHash('sha256').update(String(size)).digest();
  const bytes = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
  bytes.write('%PDF-1.7\n');
  return bytes;
}

/** Starts one process for each size; each deposits for that citizen and reports the digest. */
export function startDocumentUploaders(
  url: string,
  token: string,
  { citizenId, sizes }: { readonly citizenId: string; readonly sizes: readonly number[] },
): DocumentUploaders {
  const deposited = new Map<string, number>();
  const failedUploads = { count: 0 };
  let finishing = false;

  async function upload(size: number): Promise<void> {
    const ask = createHttpClient(url);
    const body = makeDocumentBytes(size);
    const digest = createHash('sha256').update(body).digest('base64');
    const headers = bearerHeaders(token, {
      'content-type': 'application/pdf',
      'content-length': size,
      'repr-digest': `sha-256=:${digest}:`,
      'citizen-id': citizenId,
      'document-title': 'Under way',
    });
    while (!finishing) {
      try {
        const answer = await ask({ method: 'POST', path: '/v1/documents', headers, body });
        if (answer.status === 201) deposited.set(String(parseJsonBody(answer)['id']), size);
        else failedUploads.count += 1;
      } catch (fault) {
        if (!(fault instanceof Error && 'code' in fault)) throw fault;
        failedUploads.count += 1;
      }
      await pause(20);
    }
  }

  return {
    deposited,
    failedUploads,
    finish: () => {
      finishing = true;
    },
    ended: Promise.all(sizes.map(upload)).then(() => undefined),
  };
}
