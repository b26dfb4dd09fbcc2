import { hashBytes } from './merkle.ts';

/** A checkpoint (c2sp.org/tlog-checkpoint): the size and root hash of a log at one moment. `origin` identifies the log. */
export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Uint8Array };

/** The signed text of a checkpoint: origin, size and root, each on a line. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/** The checkpoint in the text of a note, without its extension lines; undefined if the text is malformed. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  if (!text.endsWith('\n')) return undefined;
  const lines = text.slice(0, -1).split('\n');
  const [origin = '', sizeText = '', rootText = ''] = lines;
  if (lines.length < 3 || lines.some((line) => line === '')) return undefined;
  const size = parseCount(sizeText);
  const root = parseHash(rootText);
  return size === undefined || root === undefined ? undefined : { origin, size, root };
}

/** A decimal number without leading zeros, up to 2^53 − 1. */
export function parseCount(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) return undefined;
  const count = Number(text);
  return Number.isSafeInteger(count) ? count : undefined;
}

/** A SHA-256 hash in standard base64. */
export function parseHash(text: string): Buffer | undefined {
  const bytes = parseBase64(text);
  return bytes?.length === hashBytes ? bytes : undefined;
}

/** Bytes in standard base64 with padding (RFC 4648, section 4). Only the canonical encoding is accepted. */
export function parseBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Whether two checkpoints have the same size and root. */
export function isSameTree(left: Pick<Checkpoint, 'size' | 'root'>, right: Pick<Checkpoint, 'size' | 'root'>): boolean {
  return left.size === right.size && Buffer.compare(left.root, right.root) === 0;
}
