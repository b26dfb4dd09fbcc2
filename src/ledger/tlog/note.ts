import { parseBase64 } from './checkpoint.ts';

/** A key that signatures of a note are checked with. Name and id together tell which line is its own. */
export type NoteVerifier = {
  readonly name: string;
  /** Four bytes, as hex. */
  readonly keyId: string;
  /** Whether these bytes behind the key id sign the text; the time in a cosignature is part of them. */
  verify(text: string, signature: Uint8Array): boolean;
};

/** A key that signs notes. `nowMs` is only told by signatures that carry their time. */
export type NoteSigner = {
  readonly name: string;
  readonly keyId: string;
  /** The public half in its one-line form. */
  readonly vkey: string;
  sign(text: string, nowMs: number): Uint8Array;
  /** Signs a part of a log, without a time: there for cosigners whose kind of signature can. */
  signSubtree?(subtree: LogSubtree): Uint8Array;
};

/** The leaves from `start` up to, without, `end` of the log of that name, and the hash over them. */
export type LogSubtree = {
  readonly origin: string;
  readonly start: number;
  readonly end: number;
  readonly hash: Uint8Array;
};

/** One signature line of a note, whoever made it. */
export type SignatureLine = { readonly name: string; readonly keyId: string; readonly signature: Uint8Array };

/** A note taken apart (c2sp.org/signed-note); nothing of it is verified yet. */
export type Note = { readonly text: string; readonly signatures: readonly SignatureLine[] };

/** A note opened with the keys that one trusts: the signatures of those keys alone, all of them good. */
export type OpenedNote = { readonly text: string; readonly verified: readonly SignatureLine[] };

/** More than any log and its witnesses need; ML-DSA signatures have nearly 5 kB. */
export const maxNoteBytes = 1_000_000;
const maxSignatures = 100;

// Any control character but the newline.
const controlCharacter = /[^\n -\u{10ffff}]/u;
const keyNamePattern = /^[^\p{White_Space}+]+$/u;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether a key may have this name: not empty, no blank, no plus. */
export function isKeyName(name: string): boolean {
  return keyNamePattern.test(name) && !controlCharacter.test(name);
}

/** Takes a note apart; undefined where it is none. */
export function parseNote(bytes: Uint8Array | string): Note | undefined {
  if (bytes.length > maxNoteBytes) return undefined;
  const whole = typeof bytes === 'string' ? bytes : decode(bytes);
  if (whole === undefined || controlCharacter.test(whole) || !whole.isWellFormed()) return undefined;
  const end = whole.lastIndexOf('\n\n');
  if (end < 0) return undefined;
  const signatures = parseSignatures(whole.slice(end + 2));
  return signatures === undefined ? undefined : { text: whole.slice(0, end + 1), signatures };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The signatures in these lines; undefined where one of them is malformed, or where there is none. */
export function parseSignatures(lines: string): SignatureLine[] | undefined {
  const all = lines.endsWith('\n') ? lines.slice(0, -1).split('\n') : [];
  if (all.length === 0 || all.length > maxSignatures) return undefined;
  const signatures: SignatureLine[] = [];
  for (const line of all) {
    const [dash, name = '', base64 = '', ...more] = line.split(' ');
    const bytes = parseBase64(base64);
    if (dash !== '—' || !isKeyName(name) || bytes === undefined || bytes.length < 5 || more.length > 0)
      return undefined;
    signatures.push({ name, keyId: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) });
  }
  return signatures;
}

/** The note with these signature lines below its text, in their order. */
export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(formatSignature).join('')}`;
}

/** A signature as the line that stands in a note. */
export function formatSignature({ name, keyId, signature }: SignatureLine): string {
  const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), signature]);
  return `— ${name} ${bytes.toString('base64')}\n`;
}

/**
 * Opens a note with the keys that one trusts; undefined where it is malformed, where a known key's signature is bad, or
 * where no known key signed. Lines of unknown keys are left aside.
 */
export function openNote(
  bytes: Uint8Array | string | Note,
  verifiers: readonly NoteVerifier[],
): OpenedNote | undefined {
  const note = typeof bytes === 'object' && 'text' in bytes ? bytes : parseNote(bytes);
  if (note === undefined) return undefined;
  const verified: SignatureLine[] = [];
  for (const line of note.signatures) {
    const key = verifiers.find(({ name, keyId }) => name === line.name && keyId === line.keyId);
    if (key === undefined) continue;
    if (!key.verify(note.text, line.signature)) return undefined;
    if (!verified.some((one) => one.name === line.name && one.keyId === line.keyId)) verified.push(line);
  }
  return verified.length === 0 ? undefined : { text: note.text, verified };
}

/** Signs a text, which ends in a newline, with each key. */
export function signNote(text: string, signers: readonly NoteSigner[], nowMs: number): string {
  if (!text.endsWith('\n') || controlCharacter.test(text)) throw new TypeError('the text of a note is lines');
  const signatures = signers.map(({ name, keyId, sign }) => ({ name, keyId, signature: sign(text, nowMs) }));
  return formatNote({ text, signatures });
}
