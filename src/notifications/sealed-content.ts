import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Random } from '../kernel/clock.ts';
import type { NotificationId } from '../kernel/id.ts';
import { open, seal } from '../keys/chunked-encryption.ts';

/** What the sender wrote: at rest only sealed under the citizen's key. */
export type Content = { readonly subject?: string | undefined; readonly message: string };

/** Seals the content for its place: in the row of another notification it does not open. */
export function sealContent(key: Uint8Array, id: NotificationId, content: Content, random: Random): Buffer {
  return seal(key, contextOf(id), Buffer.from(canonicalJson(content)), random);
}

/** Opens the content; throws `SealBroken` when the citizen's key was destroyed or a byte changed. */
export function openContent(key: Uint8Array, id: NotificationId, sealed: Uint8Array): Content {
  // Written by `sealContent` above, and authenticated: it has the shape that was sealed.
  return JSON.parse(open(key, contextOf(id), sealed).toString('utf8')) as Content;
}

function contextOf(id: NotificationId): string {
  return `citizen-services/notification@v1\0${id}`;
}
