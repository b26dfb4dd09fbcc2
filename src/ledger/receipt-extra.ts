import { keyBytes, SealBroken } from '../crypto/chunked-encryption.ts';
import { openEventContent } from './event-content.ts';
import { parseEntry } from './ledger-entry.ts';

/**
 * The `extra` line of a receipt: the leaf, from which anyone computes the leaf hash, and the key of its content if its holder
 * may read it. Format: u8 version = 1 ‖ u8 has key ‖ key[32]? ‖ leaf.
 */
export type ReceiptExtra = { readonly entry: Uint8Array; readonly contentKey: Uint8Array | undefined };

/** The bytes of an `extra` line. */
export function encodeReceiptExtra({ entry, contentKey }: ReceiptExtra): Buffer {
  return Buffer.concat([Buffer.of(1, contentKey === undefined ? 0 : 1), contentKey ?? Buffer.alloc(0), entry]);
}

/** Parses an `extra` line; undefined if it is malformed. */
export function parseReceiptExtra(bytes: Uint8Array): ReceiptExtra | undefined {
  const [version, hasKey] = bytes;
  if (version !== 1 || (hasKey !== 0 && hasKey !== 1)) return undefined;
  const from = 2 + hasKey * keyBytes;
  if (bytes.length <= from) return undefined;
  return { entry: bytes.subarray(from), contentKey: hasKey === 1 ? bytes.subarray(2, from) : undefined };
}

/** The content of an entry; undefined without a key, or if the key does not open it. */
export function openEntryContent({ entry, contentKey }: ReceiptExtra): Readonly<Record<string, unknown>> | undefined {
  const parsed = parseEntry(entry);
  if (parsed === undefined || contentKey === undefined) return undefined;
  try {
    return openEventContent(contentKey, parsed.id, parsed.content);
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}
