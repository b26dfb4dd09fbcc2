import type { Operations } from './api-types.ts';
import type { Call, CallOptions } from './call-operation.ts';
import { UnreadableError } from './client-errors.ts';
import type { Clock } from './retry.ts';

type Answers = { [Id in keyof Operations]: Operations[Id]['answers'] };
type ListedNotification = Answers['listNotifications'][200]['items'][number];
type ListedDocument = Answers['listDocuments'][200]['documents'][number];
/** An event of the feed. Its `number` as text is the `after` to go on from. */
export type FeedEvent = Answers['readEvents'][200]['items'][number];

/** Lists, page by page as they are gone through. */
export type Pages = {
  notifications(
    query?: Operations['listNotifications']['query'],
    options?: CallOptions,
  ): AsyncGenerator<ListedNotification, void>;
  /** The records of a citizen's documents. Where some are damaged it throws an UnreadableError, once all others have come. */
  documents(query: Operations['listDocuments']['query'], options?: CallOptions): AsyncGenerator<ListedDocument, void>;
  /**
   * What became of your notifications, in order and without gaps, from after the number `after`. It waits for more until it is
   * left or its signal aborts; with `follow: false` it ends where the feed does.
   */
  events(
    from?: { readonly after?: string; readonly follow?: boolean; readonly pollMs?: number },
    options?: CallOptions,
  ): AsyncGenerator<FeedEvent, void>;
};

export function createPages(call: Call, clock: Clock): Pages {
  return {
    notifications: async function* (query, options) {
      for (let cursor = query?.cursor; ; ) {
        const given = { ...query, ...(cursor === undefined ? {} : { cursor }) };
        const { body } = await call('listNotifications', { ...options, query: given });
        yield* body.items;
        cursor = body.next;
        if (cursor === undefined) return;
      }
    },
    documents: async function* (query, options) {
      const unreadable: string[] = [];
      for (let { after } = query; ; ) {
        const given = { ...query, ...(after === undefined ? {} : { after }) };
        const { body } = await call('listDocuments', { ...options, query: given });
        yield* body.documents;
        unreadable.push(...body.unreadable);
        if (body.next === null) break;
        after = body.next;
      }
      if (unreadable.length > 0) throw new UnreadableError(unreadable);
    },
    events: async function* ({ after, follow = true, pollMs = 2_000 } = {}, options) {
      for (let cursor = after; ; ) {
        const query = cursor === undefined ? {} : { after: cursor };
        const { body } = await call('readEvents', { ...options, query });
        yield* body.items;
        cursor = body.after;
        if (body.items.length > 0) continue;
        if (!follow) return;
        await clock.wait(pollMs, options?.signal);
      }
    },
  };
}
