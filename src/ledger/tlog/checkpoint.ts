import { hashBytes } from './merkle.ts';

/** What a log says of itself at one size (c2sp.org/tlog-checkpoint). `origin` names the log. */
export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Uint8Array };

/** The text that is signed: origin, size and root, one a line. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/** The checkpoint of a note's text, its extension lines left aside; undefined where it is none. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  if (!text.endsWith('\n')) return undefined;
  const lines = text.slice(0, -1).split('\n');
  const [origin = '', sizeText = '', rootText = ''] = lines;
  if (lines.length < 3 || lines.some((line) => line === '')) return undefined;
  const size = parseCount(sizeText);
  const root = parseHash(rootText);
  return size === undefined || root === undefined ? undefined : { origin, size, root };
}

/** A whole number in decimal, without a leading zero, that a double holds exactly. */
export function parseCount(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) return undefined;
  const count = Number(text);
  return Number.isSafeInteger(count) ? count : undefined;
}

/** A hash in standard base64, in its one spelling. */
export function parseHash(text: string): Buffer | undefined {
  const bytes = parseBase64(text);
  return bytes?.length === hashBytes ? bytes : undefined;
}

/** Bytes in standard base64 with padding (RFC 4648, section 4), in their one spelling. */
export function parseBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Whether both speak of the same tree: equal size and root. */
export function isSameTree(left: Pick<Checkpoint, 'size' | 'root'>, right: Pick<Checkpoint, 'size' | 'root'>): boolean {
  return left.size === right.size && Buffer.compare(left.root, right.root) === 0;
}
