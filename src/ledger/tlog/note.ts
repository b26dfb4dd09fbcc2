import { parseBase64 } from './checkpoint.ts';

/** A public key that verifies signatures of a note (c2sp.org/signed-note). Name and id together identify its line. */
export type NoteVerifier = {
  readonly name: string;
  /** The key id: 4 bytes in hex. */
  readonly keyId: string;
  /** Whether these bytes after the key id sign the text; for a cosignature they begin with the time. */
  verify(text: string, signature: Uint8Array): boolean;
};

/** A private key that signs notes. Only cosignatures use `nowMs` (epoch ms). */
export type NoteSigner = {
  readonly name: string;
  readonly keyId: string;
  /** The public key as one line, for the users of the log. */
  readonly vkey: string;
  sign(text: string, nowMs: number): Uint8Array;
  /** Signs a subtree without a time; only for key types that can. */
  signSubtree?(subtree: LogSubtree): Uint8Array;
};

/** The hash over the leaves `start` to before `end` of a log. */
export type LogSubtree = {
  readonly origin: string;
  readonly start: number;
  readonly end: number;
  readonly hash: Uint8Array;
};

/** One signature line of a note. */
export type SignatureLine = { readonly name: string; readonly keyId: string; readonly signature: Uint8Array };

/** A parsed note (c2sp.org/signed-note). Nothing is verified yet. */
export type Note = { readonly text: string; readonly signatures: readonly SignatureLine[] };

type OpenedNote = { readonly text: string; readonly verified: readonly SignatureLine[] };

/** A limit for any note: a log and its witnesses need less, although an ML-DSA signature line has over 3 kB. */
export const maxNoteBytes = 1_000_000;
const maxSignatures = 100;

// All control characters except the newline.
const controlCharacter = /[^\n -\u{10ffff}]/u;
const keyNamePattern = /^[^\p{White_Space}+]+$/u;

/** Whether a key may have this name: not empty, without white space and plus. */
export function isKeyName(name: string): boolean {
  return keyNamePattern.test(name) && !controlCharacter.test(name);
}

/** Parses a note; undefined if it is malformed. */
export function parseNote(whole: string): Note | undefined {
  if (whole.length > maxNoteBytes || controlCharacter.test(whole) || !whole.isWellFormed()) return undefined;
  const end = whole.lastIndexOf('\n\n');
  if (end < 0) return undefined;
  const signatures = parseSignatures(whole.slice(end + 2));
  return signatures === undefined ? undefined : { text: whole.slice(0, end + 1), signatures };
}

/** Parses signature lines; undefined if one is malformed, or there is none. */
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

/** The text of a note, with its signature lines in order. */
export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(formatSignature).join('')}`;
}

/** A signature as the line of a note. */
export function formatSignature({ name, keyId, signature }: SignatureLine): string {
  const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), signature]);
  return `— ${name} ${bytes.toString('base64')}\n`;
}

/** Whether a signature line names this key. */
export function isSignedBy(line: SignatureLine, key: Pick<NoteVerifier, 'name' | 'keyId'>): boolean {
  return line.name === key.name && line.keyId === key.keyId;
}

/**
 * Verifies a note with trusted keys. Undefined if it is malformed, if the signature of a trusted key is invalid, or if no
 * trusted key signed. Lines of unknown keys are ignored.
 */
export function openNote(given: string | Note, verifiers: readonly NoteVerifier[]): OpenedNote | undefined {
  const note = typeof given === 'string' ? parseNote(given) : given;
  if (note === undefined) return undefined;
  const verified: SignatureLine[] = [];
  for (const line of note.signatures) {
    const key = verifiers.find((verifier) => isSignedBy(line, verifier));
    if (key === undefined) continue;
    if (!key.verify(note.text, line.signature)) return undefined;
    if (!verified.some((one) => isSignedBy(one, key))) verified.push(line);
  }
  return verified.length === 0 ? undefined : { text: note.text, verified };
}

/** Signs a text, which must end with a newline, with each key. */
export function signNote(text: string, signers: readonly NoteSigner[], nowMs: number): string {
  if (!text.endsWith('\n') || controlCharacter.test(text))
    throw new TypeError('the text of a note must be lines without control characters');
  const signatures = signers.map(({ name, keyId, sign }) => ({ name, keyId, signature: sign(text, nowMs) }));
  return formatNote({ text, signatures });
}
