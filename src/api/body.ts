import type { Readable } from 'node:stream';
import { type Refusal, refuse } from '../kernel/problem.ts';

/** What a JSON body may weigh, in bytes. */
export const jsonBodyLimit = 65_536;

const tooLarge = (limit: number) =>
  refuse('payload-too-large', `The limit is ${limit} bytes.`, { members: { limit }, headers: { connection: 'close' } });

/** The refusal where Content-Length already says that the body is too large; the body is then not read at all. */
export function announcedTooLarge(contentLength: string | undefined, limit: number): Refusal | undefined {
  return contentLength !== undefined && Number(contentLength) > limit ? tooLarge(limit) : undefined;
}

/** Reads a JSON body: an object in UTF-8 of at most `jsonBodyLimit` bytes, every name once, or the refusal. */
export async function readJsonBody(stream: Readable): Promise<{ value: unknown } | { refusal: Refusal }> {
  const whole = await readWhole(stream, jsonBodyLimit);
  if (whole === undefined) return { refusal: tooLarge(jsonBodyLimit) };
  try {
    const text = utf8.decode(whole);
    const value: unknown = JSON.parse(text);
    if (hasRepeatedName(text)) return { refusal: refuse('malformed-json', 'A name stands twice in one object.') };
    return { value };
  } catch (fault) {
    if (fault instanceof SyntaxError) return { refusal: refuse('malformed-json', 'The body is not JSON.') };
    if (fault instanceof TypeError) return { refusal: refuse('malformed-json', 'The body is not UTF-8.') };
    throw fault;
  }
}

/**
 * All bytes of a stream, or undefined for more than `limit`; then the rest is left unread, and the stream is not
 * destroyed, since the refusal goes out over its connection. By events: an iterator costs each request twice as much.
 */
function readWhole(stream: Readable, limit: number): Promise<Uint8Array | undefined> {
  if (stream.readableEnded) return Promise.resolve(new Uint8Array());
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const listeners = {
    // The stream is the request itself, without an encoding set: its chunks are buffers.
    data: (bytes: Uint8Array) => {
      length += bytes.length;
      if (length <= limit) chunks.push(bytes);
      else settle(() => resolve(undefined));
    },
    end: () => {
      const only = chunks[0];
      settle(() => resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)));
    },
    error: (fault: Error) => settle(() => reject(fault)),
    close: () => settle(() => reject(new Error('the request was broken off'))),
  };
  const settle = (settling: () => void) => {
    for (const [event, listener] of Object.entries(listeners)) stream.off(event, listener);
    stream.pause();
    settling();
  };
  for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener);
  return promise;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Whether any object in this valid JSON names a member twice: readers disagree on which one counts, so what was checked
 * could differ from what was hashed.
 */
export function hasRepeatedName(text: string): boolean {
  const open: Array<Set<string> | null> = [];
  const token = /"(?:[^"\\]|\\.)*"(?=\s*(:?))|[{}[\]]/gs;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const found = match[0];
    if (found === '{') open.push(new Set());
    else if (found === '[') open.push(null);
    else if (found === '}' || found === ']') open.pop();
    else if (match[1] === ':') {
      const names = open.at(-1);
      const name: unknown = found.includes('\\') ? JSON.parse(found) : found.slice(1, -1);
      if (names === null || names === undefined || typeof name !== 'string') continue;
      if (names.has(name)) return true;
      names.add(name);
    }
  }
  return false;
}
