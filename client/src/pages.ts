import type { Operations } from './api-types.ts';
import type { Call, CallOptions } from './call-operation.ts';
import { UnreadableError } from './client-errors.ts';
import type { Clock } from './retry.ts';

type Answers = { [Id in keyof Operations]: Operations[Id]['answers'] };
type ListedNotification = Answers['listNotifications'][200]['items'][number];
type ListedDocument = Answers['listDocuments'][200]['items'][number];
type ListedCall = Answers['listWebhookCalls'][200]['items'][number];
/** An event of the feed. To continue after it, pass its `number` as text in `after`. */
export type FeedEvent = Answers['readEvents'][200]['items'][number];

/** Lists as async iterators. Each fetches the next page when the caller needs it. */
export type Pages = {
  notifications(
    query?: Operations['listNotifications']['query'],
    options?: CallOptions,
  ): AsyncGenerator<ListedNotification, void>;
  /** The records of a citizen's documents, or without `citizenId` of all that your client deposited. If some are damaged, it throws an UnreadableError after all others. */
  documents(query?: Operations['listDocuments']['query'], options?: CallOptions): AsyncGenerator<ListedDocument, void>;
  /** The calls of your webhook with the last attempt of each, those of the newest events first. */
  webhookCalls(id: string, options?: CallOptions): AsyncGenerator<ListedCall, void>;
  /**
   * The events of your notifications after the number `after`, in order and without gaps. It waits for new events until you
   * leave the loop or the signal aborts. With `follow: false` it ends at the end of the feed. `types` names the only types to return.
   */
  events(
    from?: {
      readonly after?: string;
      readonly follow?: boolean;
      readonly pollMs?: number;
      readonly types?: readonly string[];
    },
    options?: CallOptions,
  ): AsyncGenerator<FeedEvent, void>;
};

/** Creates the lists of a client. */
export function createPages(call: Call, clock: Clock): Pages {
  return {
    notifications: async function* (query, options) {
      for (let cursor = query?.cursor; ; ) {
        const pageQuery = { ...query, ...(cursor === undefined ? {} : { cursor }) };
        const { body } = await call('listNotifications', { ...options, query: pageQuery });
        yield* body.items;
        if (body.next === null) return;
        cursor = body.next;
      }
    },
    documents: async function* (query, options) {
      const unreadable: string[] = [];
      for (let cursor = query?.cursor; ; ) {
        const pageQuery = { ...query, ...(cursor === undefined ? {} : { cursor }) };
        const { body } = await call('listDocuments', { ...options, query: pageQuery });
        yield* body.items;
        unreadable.push(...body.unreadable);
        if (body.next === null) break;
        cursor = body.next;
      }
      if (unreadable.length > 0) throw new UnreadableError(unreadable);
    },
    webhookCalls: async function* (id, options) {
      for (let cursor: string | undefined; ; ) {
        const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
        const { body } = await call('listWebhookCalls', { ...options, params: { id }, query });
        yield* body.items;
        if (body.next === null) return;
        cursor = body.next;
      }
    },
    events: async function* ({ after, follow = true, pollMs = 2_000, types } = {}, options) {
      const filter = types === undefined ? {} : { types: types.join(',') };
      for (let cursor = after; ; ) {
        const query = { ...filter, ...(cursor === undefined ? {} : { after: cursor }) };
        const { body } = await call('readEvents', { ...options, query });
        yield* body.items;
        cursor = body.after;
        if (body.more) continue;
        if (!follow) return;
        await clock.wait(pollMs, options?.signal);
      }
    },
  };
}
