import { createHmac, hkdfSync } from 'node:crypto';
import type { Client, ClientSettings, FeedEvent } from './client.ts';
import { NetworkError, TimeoutError } from './client-errors.ts';
import { sendRequest } from './http-request.ts';

type ListenOptions = {
  readonly client: Client;
  /** The URL that receives the calls. */
  readonly target: URL;
  readonly secret: string;
  /** Number of the last event to skip. If undefined, only new events are sent. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  /** Receives one line per event. */
  readonly print: (line: string) => void;
  /** Receives the line at the start, and the line that says how to continue. */
  readonly note: (line: string) => void;
};

/** The same timeout as in the server. */
const timeoutMs = 15_000;

/** Derives the signing secret from the credentials, so that it does not change. It does not reveal the credentials. */
export function listenSecret({
  clientSecret,
  privateKey,
}: Pick<ClientSettings, 'clientSecret' | 'privateKey'>): string {
  const credential = clientSecret ?? JSON.stringify(privateKey);
  const bytes = hkdfSync('sha256', credential, '', 'citizen-services-client listen', 32);
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
}

/** Sends each event of the feed to the target like a webhook of the server, until the signal aborts. It does not retry. */
export async function forwardEvents({
  client,
  target,
  secret,
  signal,
  print,
  note,
  ...from
}: ListenOptions): Promise<void> {
  let { after } = from;
  try {
    after ??= await findEndOfFeed(client, signal);
    note(`Events from number ${Number(after) + 1} on go to ${target}, signed with ${secret}`);
    for await (const event of client.events({ after }, { signal })) {
      const outcome = await forwardEvent(event, { target, secret, signal });
      after = String(event.number);
      print(`${event.number} ${event.type} ${event.data.notification ?? event.data.batch} → ${outcome}`);
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
  } finally {
    if (after !== undefined) note(`To go on where this ended: --after ${after}`);
  }
}

async function findEndOfFeed(client: Client, signal: AbortSignal): Promise<string> {
  for (let after: string | undefined; ; ) {
    const { body } = await client.call('readEvents', { signal, query: after === undefined ? {} : { after } });
    if (body.items.length === 0) return body.after;
    after = body.after;
  }
}

async function forwardEvent(
  { id, type, timestamp, number, data }: FeedEvent,
  { target, secret, signal }: Pick<ListenOptions, 'target' | 'secret' | 'signal'>,
): Promise<string> {
  const body = JSON.stringify({ type, timestamp, number, data });
  const seconds = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'citizen-services',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
  const init = { method: 'POST', headers, body };
  try {
    return await sendRequest({ fetch, url: target.href, init }, { timeoutMs, signal }, async (response) => {
      await response.body?.cancel();
      return String(response.status);
    });
  } catch (fault) {
    if (fault instanceof NetworkError) return `no answer (${fault.code})`;
    if (fault instanceof TimeoutError) return `no answer within ${timeoutMs / 1_000} s`;
    throw fault;
  }
}
