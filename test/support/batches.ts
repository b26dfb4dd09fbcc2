import { batchEventTypes } from '../../src/notifications/webhooks/feed-store.ts';
import { bearerHeaders, createHttpClient, type HttpResponse, parseJsonBody } from './http-client.ts';
import { waitUntil } from './wait-until.ts';

/** The JSON of a batch, as the tests compare it. */
type BatchView = {
  readonly id: string;
  readonly state: string;
  readonly code: string | null;
  readonly detail: string | null;
  readonly rows: number | null;
  readonly checked: number;
  readonly refused: number;
  readonly accepted: number;
  readonly notifications?: Readonly<Record<string, number>>;
};

/** A row in the list of rows. */
type BatchRowView = {
  readonly row: number;
  readonly state: string;
  readonly code?: string;
  readonly detail?: string;
  readonly notificationId?: string;
};

type UploadOptions = {
  readonly query?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly type?: string;
};

type BatchEvent = { readonly type: string; readonly data: { readonly batch?: string } };

/** All events of batches in the feed of the client. */
async function batchEvents(send: ReturnType<typeof createHttpClient>, token: string): Promise<BatchEvent[]> {
  const events: BatchEvent[] = [];
  for (let after = '0'; ; ) {
    const path = `/v1/events?types=${batchEventTypes.join(',')}&after=${after}`;
    const page = parseJsonBody(await send({ path, headers: bearerHeaders(token) }));
    events.push(...(page['items'] as BatchEvent[]));
    after = String(page['after']);
    if (page['more'] !== true) return events;
  }
}

/** Calls the operations on batches of one server with one token. */
export function createBatchCaller(url: string, token: string) {
  const send = createHttpClient(url);
  const base = '/v1/notification-batches';
  const get = (path: string) => send({ path: `${base}${path}`, headers: bearerHeaders(token) });
  const post = (path: string) => send({ method: 'POST', path: `${base}${path}`, headers: bearerHeaders(token) });
  const upload = (body: string | Uint8Array, { query = {}, key, type = 'text/csv' }: UploadOptions = {}) => {
    const keyHeader = key === undefined ? {} : { 'idempotency-key': key };
    const headers = bearerHeaders(token, { 'content-type': type, ...keyHeader });
    const path = `${base}?${new URLSearchParams(query)}`;
    return send({ method: 'POST', path, headers, body });
  };
  const read = async (id: string) => batchIn(await get(`/${id}`));
  const readUntil = async (id: string, states: readonly string[]) => {
    let found = await read(id);
    await waitUntil(async () => {
      found = await read(id);
      return states.includes(found.state);
    });
    return found;
  };
  return {
    get,
    post,
    upload,
    read,
    readUntil,
    /** Uploads a file, and waits until the batch has one of these states. */
    run: async (body: string | Uint8Array, options: UploadOptions = {}, states = endStates) => {
      const created = await upload(body, options);
      if (created.status !== 202) throw new Error(`expected 202: ${created.status} ${created.body}`);
      return await readUntil(batchIn(created).id, states);
    },
    /** All rows with an outcome. */
    rows: async (id: string, state?: string) => {
      const rows: BatchRowView[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const filter: string = state === undefined ? '' : `&state=${state}`;
        const page = parseJsonBody(await get(`/${id}/rows?limit=100&after=${after}${filter}`));
        rows.push(...(page['items'] as BatchRowView[]));
        after = page['next'] as number | null;
      }
      return rows;
    },
    /** The events of the feed about the end of a batch, once they have their numbers. */
    endEvents: async (id: string) => {
      let found: readonly BatchEvent[] = [];
      await waitUntil(async () => {
        found = (await batchEvents(send, token)).filter(({ data }) => data.batch === id);
        return found.length > 0;
      });
      return found.map(({ type, data }) => ({ type, data }));
    },
    results: async (id: string, state?: string) =>
      (await get(`/${id}/results${state === undefined ? '' : `?state=${state}`}`)).body.toString('utf8'),
  };
}

const endStates: readonly string[] = ['done', 'refused', 'cancelled'];

/** The batch in a response. */
export function batchIn(response: HttpResponse): BatchView {
  return parseJsonBody(response) as BatchView;
}
