import { hash } from 'node:crypto';
import { openSealed, SealBroken, seal } from '../../crypto/chunked-encryption.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { DocumentId, NotificationId } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import { type MarkdownBlock, type PlaceholderValues, parseMarkdown } from '../text/markdown.ts';

/** A document of a message. The citizen opens it on this server; it is never sent with the message. */
export type Attachment = { readonly id: DocumentId; readonly title: string };

/**
 * The content of a message, which is stored encrypted under the citizen's key only. `message` and `subject` are complete texts. For a
 * template, the template and its values are stored as well, so that no value is ever parsed as Markdown.
 */
export type MessageContent = {
  readonly subject?: string | undefined;
  readonly message: string;
  readonly template?: string | undefined;
  readonly values?: PlaceholderValues | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  /** Until when the sender needs an answer: a date (YYYY-MM-DD) or an instant (RFC 3339), as the sender wrote it. */
  readonly respondBy?: string | undefined;
  /** The language of the text that was chosen from a template; otherwise the notification may have a language. */
  readonly language?: string | undefined;
  /** Present when the content could be found from its digest in the ledger by trying candidates; see `generateSalt`. */
  readonly salt?: string | undefined;
  /**
   * The address for the one external channel of this message, in place of the citizen's address: for a code, and for the notice that an
   * address was changed. It is used even if the citizen has declined the channel or the address is not verified.
   */
  readonly address?: string | undefined;
};

/** The structure of a message for pages, mail and letters. */
export function blocksOf({ message, template, values }: MessageContent): MarkdownBlock[] {
  return parseMarkdown(template ?? message, values);
}

/** The language of a message: that of its template text, else the one that the sender named, else that of the citizen. */
export function messageLanguageOf(
  { language }: MessageContent,
  requested: string | null,
  citizenLanguage: string | undefined,
): string | undefined {
  return language ?? requested ?? citizenLanguage;
}

/** Encrypted content for the database, and the digest of the content for the ledger. */
type SealedContent = { readonly content: Buffer; readonly contentDigest: string };

/** Encrypts the content, bound to the id of its notification: it cannot be decrypted in the row of another one. */
export function sealMessageContent(
  key: Uint8Array,
  id: NotificationId,
  content: MessageContent,
  random: RandomBytes,
): SealedContent {
  const bytes = contentBytes(content);
  return { content: seal(key, sealContextOf(id), bytes, random), contentDigest: sha256Digest(bytes) };
}

/** The digest of the content, for its evidence and for the ledger. */
export function contentDigestOf(content: MessageContent): string {
  return sha256Digest(contentBytes(content));
}

const sha256Digest = (bytes: Uint8Array) => `sha-256:${hash('sha256', bytes, 'hex')}`;

/**
 * A salt for content with few candidates. Without it, a sender could compare the digest in the receipt with each text of a template, and
 * learn the citizen's language. An attacker with the citizen's sign-in could find a six-digit code from the digest in the access log.
 */
export function generateSalt(random: RandomBytes): string {
  return Buffer.from(random(saltBytes)).toString('base64url');
}

const saltBytes = 16;

function contentBytes(content: MessageContent): Buffer {
  return Buffer.from(canonicalJson(content));
}

/** The keys of citizens, which decrypt the content of their messages. */
export type ContentKeys = Pick<CitizenKeys, 'keyOf' | 'earlierKeyOf'>;

/**
 * Decrypts the content of a citizen's notification, even one from before the citizen was registered. Undefined when the key was
 * destroyed or a byte was altered.
 */
export async function openMessageContent(
  keys: ContentKeys,
  { id, citizenId }: { readonly id: NotificationId; readonly citizenId: string },
  sealed: Uint8Array,
): Promise<MessageContent | undefined> {
  return (
    tryOpenContent(await keys.keyOf(citizenId), id, sealed) ??
    tryOpenContent(await keys.earlierKeyOf(citizenId), id, sealed)
  );
}

/** Decrypts content by one key; undefined when the key or the notification is another one, or a byte was altered. */
export function tryOpenContent(key: Uint8Array, id: NotificationId, sealed: Uint8Array): MessageContent | undefined {
  try {
    // `sealMessageContent` has written it, and it is authenticated, so it has that shape.
    return JSON.parse(openSealed(key, sealContextOf(id), sealed).toString('utf8')) as MessageContent;
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}

function sealContextOf(id: NotificationId): string {
  return `citizen-services/notification@v1\0${id}`;
}
