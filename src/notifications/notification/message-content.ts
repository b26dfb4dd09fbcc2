import { hash } from 'node:crypto';
import { openSealed, SealBroken, seal } from '../../crypto/chunked-encryption.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { DocumentId, NotificationId } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import { type MarkdownBlock, type PlaceholderValues, parseMarkdown } from '../text/markdown.ts';

/** A document that a message refers to: the citizen opens it in this house, it is never sent along. */
export type Attachment = { readonly id: DocumentId; readonly title: string };

/**
 * What the sender wrote: at rest only sealed under the citizen's key. `message` and `subject` are complete texts; where
 * the sender sent a template, it is kept beside them with its values, so that no value is ever read as Markdown.
 */
export type MessageContent = {
  readonly subject?: string | undefined;
  readonly message: string;
  readonly template?: string | undefined;
  readonly values?: PlaceholderValues | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  /** The language in which it was written, where that was chosen from those of a template; else the notification may name one. */
  readonly language?: string | undefined;
  /** Drawn where nobody may find the content by trying what has the digest that the ledger and its receipts have: see `drawSalt`. */
  readonly salt?: string | undefined;
  /**
   * Where it goes by the one channel that it leaves the house by, whatever the citizen's address is: of a code, and of the news that
   * an address was changed. What the citizen declines, and what has to be verified, does not stand against it.
   */
  readonly address?: string | undefined;
};

/** The structure of a message for pages, mail and letters. */
export function blocksOf({ message, template, values }: MessageContent): MarkdownBlock[] {
  return parseMarkdown(template ?? message, values);
}

/** The language of a message: that of its text, as its template or its sender has it, else of whom it is to. */
export function messageLanguageOf(
  { language }: MessageContent,
  requested: string | null,
  citizenLanguage: string | undefined,
): string | undefined {
  return language ?? requested ?? citizenLanguage;
}

/** Content as its row has it, and its digest as the ledger has it. */
type SealedContent = { readonly content: Buffer; readonly contentDigest: string };

/** Seals the content for its place: in the row of another notification it does not open. */
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
 * A salt for content that has few forms: a text that was chosen by the citizen's own language, of which the sender has them all and
 * the receipt; or a code of six digits, whose digest the citizen's own log has, and so whoever has taken over the sign-in.
 */
export function generateSalt(random: RandomBytes): string {
  return Buffer.from(random(saltBytes)).toString('base64url');
}

const saltBytes = 16;

function contentBytes({ attachments, ...content }: MessageContent): Buffer {
  const listed = attachments === undefined ? {} : { attachments: attachments.map(({ id, title }) => ({ id, title })) };
  return Buffer.from(canonicalJson({ ...content, ...listed }));
}

/** Throws `SealBroken` for another key or place, or when a byte changed. */
function openOrThrow(key: Uint8Array, id: NotificationId, sealed: Uint8Array): MessageContent {
  // Written by `sealContent` above, and authenticated: it has the shape that was sealed.
  return JSON.parse(openSealed(key, sealContextOf(id), sealed).toString('utf8')) as MessageContent;
}

/** The keys that may open what was sealed about a citizen. */
export type ContentKeys = Pick<CitizenKeys, 'keyOf' | 'decoyKeyOf'>;

/**
 * The content of a citizen's notification, also one that was sealed before the register had that id; undefined where the
 * key was destroyed or a byte changed.
 */
export async function openMessageContent(
  keys: ContentKeys,
  { id, citizenId }: { readonly id: NotificationId; readonly citizenId: string },
  sealed: Uint8Array,
): Promise<MessageContent | undefined> {
  return (
    tryOpenContent(await keys.keyOf(citizenId), id, sealed) ?? tryOpenContent(keys.decoyKeyOf(citizenId), id, sealed)
  );
}

/** The content by that key; undefined where it does not open. */
export function tryOpenContent(key: Uint8Array, id: NotificationId, sealed: Uint8Array): MessageContent | undefined {
  try {
    return openOrThrow(key, id, sealed);
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}

function sealContextOf(id: NotificationId): string {
  return `citizen-services/notification@v1\0${id}`;
}
