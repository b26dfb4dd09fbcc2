import type { Read } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { parseId } from '../../kernel/id.ts';
import { findLegalNotice } from '../legal-effect/find-legal-notice.ts';
import type { Calendar } from '../legal-effect/legal-effect.ts';
import type { LegalNotice } from '../notification/legal-notice.ts';
import { type ContentKeys, openMessageContent } from '../notification/message-content.ts';
import { findNotification, findNotificationWithContent } from '../notification/notification-store.ts';
import { findPlacedMark } from './citizen-inbox.ts';

/** A message in the access log of its citizen. */
export type OwnMessage = {
  readonly type: 'message';
  readonly id: string;
  readonly state: 'available' | 'unavailable' | 'erased';
  /** Undefined for a message without a subject, and for one that is not in the inbox. */
  readonly title?: string | undefined;
  /** The language of the subject, if the sender named it. */
  readonly language?: string | undefined;
};

/**
 * The message of that id with its subject, opened under the key of the citizen. A message that is not in the inbox yet has no subject
 * here: its sender has named the time at which the citizen may read it.
 */
export async function findOwnMessage(
  { read, citizenKeys }: { readonly read: Read; readonly citizenKeys: ContentKeys },
  id: string,
  citizenId: string,
): Promise<OwnMessage> {
  const parsed = parseId('notification', id);
  const found = parsed === undefined ? undefined : await findNotificationWithContent(read, parsed);
  if (parsed === undefined || found === undefined || found.notification.citizenId !== citizenId)
    return { type: 'message', id, state: 'erased' };
  const content = await openMessageContent(citizenKeys, found.notification, found.content);
  if (content === undefined) return { type: 'message', id, state: 'erased' };
  if ((await findPlacedMark(read, parsed)) === undefined) return { type: 'message', id, state: 'unavailable' };
  const { language } = found.notification;
  return { type: 'message', id, state: 'available', title: content.subject, language: language ?? undefined };
}

/** The notice of the citizen's message of that id, if opening the message can still decide when it counts as served. */
export async function findPendingNotice(
  deps: { readonly read: Read; readonly calendar: Calendar; readonly clock: Clock },
  id: string,
  citizenId: string,
): Promise<LegalNotice | undefined> {
  const parsed = parseId('notification', id);
  const notification = parsed === undefined ? undefined : await findNotification(deps.read, parsed);
  if (notification?.citizenId !== citizenId) return undefined;
  const notice = await findLegalNotice(deps, notification, { now: deps.clock.now() });
  return notice?.effectiveOn === undefined ? notice : undefined;
}
