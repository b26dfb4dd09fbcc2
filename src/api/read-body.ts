import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { hasDuplicateMember } from '../kernel/has-duplicate-member.ts';
import { type Issue, type Refusal, refuse } from '../kernel/refusal.ts';

/** What a JSON body may weigh, in bytes. */
export const jsonBodyLimit = 65_536;

/** The refusal of more than `limit` bytes, where that is what the caller can send. */
export const payloadTooLarge = (limit: number) =>
  refuse('payload-too-large', `The limit is ${limit} bytes.`, { members: { limit }, headers: { connection: 'close' } });

/**
 * The refusal where Content-Length already says that the body is too large, `framing` bytes around it included; the body is then
 * not read at all.
 */
export function declaredTooLarge(contentLength: string | undefined, limit: number, framing = 0): Refusal | undefined {
  return Number(contentLength ?? 0) > limit + framing ? payloadTooLarge(limit) : undefined;
}

/** Reads a JSON body: an object in UTF-8 of at most `jsonBodyLimit` bytes, every name once, or the refusal. */
export async function readJsonBody(stream: Readable): Promise<{ value: unknown } | { refusal: Refusal }> {
  const whole = readBuffered(stream, jsonBodyLimit) ?? (await readAll(stream, jsonBodyLimit));
  if (whole === 'too-large') return { refusal: payloadTooLarge(jsonBodyLimit) };
  if (whole === 'broken-off') return { refusal: refuse('malformed-json', 'The body ended before it was whole.') };
  try {
    const text = utf8.decode(whole);
    const value: unknown = JSON.parse(text);
    if (hasDuplicateMember(text, value))
      return { refusal: refuse('malformed-json', 'A name stands twice in one object.') };
    return { value };
  } catch (fault) {
    if (fault instanceof SyntaxError) return { refusal: refuse('malformed-json', 'The body is not JSON.') };
    if (fault instanceof TypeError) return { refusal: refuse('malformed-json', 'The body is not UTF-8.') };
    throw fault;
  }
}

/** Room for the empty object that some clients send where they have nothing to say. */
const maxEmptyBodyBytes = 64;

/** What is wrong with a body where the operation takes none: all of it, since what it asks for would not be done. */
export async function unexpectedBodyIssues(stream: Readable): Promise<readonly Issue[]> {
  const whole = readBuffered(stream, maxEmptyBodyBytes) ?? (await readAll(stream, maxEmptyBodyBytes));
  if (typeof whole !== 'string' && /^\s*(?:\{\s*\}\s*)?$/.test(Buffer.from(whole).toString('latin1'))) return [];
  const detail = 'nothing may stand in the body of this operation; what is asked stands in the path';
  return [{ in: 'body', pointer: '', code: 'unknown-input', detail }];
}

/**
 * The body of a request that has come whole, as nearly every one has by the time that its caller is known: read at once,
 * where listening for its parts and its end costs as much as parsing it.
 */
function readBuffered(stream: Readable, limit: number): Uint8Array | undefined {
  if (!(stream instanceof IncomingMessage) || !stream.complete || stream.readableEnded) return undefined;
  if (stream.readableLength === 0 || stream.readableLength > limit) return undefined;
  // Asked for no length, Node.js 26 gives one part of several. Without an encoding set what is read is a buffer.
  return (stream.read(stream.readableLength) as Uint8Array | null) ?? undefined;
}

/**
 * All bytes of a stream. Of more than `limit` the rest is left unread, and the stream is not destroyed, since the refusal
 * goes out over its connection. A stream that breaks off is a caller that went away, or was too slow: no fault of ours. By
 * events: an iterator costs each request twice as much.
 */
function readAll(stream: Readable, limit: number): Promise<Uint8Array | 'too-large' | 'broken-off'> {
  if (stream.readableEnded) return Promise.resolve(new Uint8Array());
  // Gone while we looked who calls: it tells of nothing any more.
  if (stream.destroyed) return Promise.resolve('broken-off');
  const { promise, resolve } = Promise.withResolvers<Uint8Array | 'too-large' | 'broken-off'>();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const listeners = {
    // The stream is the request itself, without an encoding set: its chunks are buffers.
    data: (bytes: Uint8Array) => {
      length += bytes.length;
      if (length <= limit) chunks.push(bytes);
      else finish(() => resolve('too-large'));
    },
    end: () => {
      const only = chunks[0];
      finish(() => resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)));
    },
    error: () => finish(() => resolve('broken-off')),
    close: () => finish(() => resolve('broken-off')),
  };
  const finish = (complete: () => void) => {
    for (const [event, listener] of Object.entries(listeners)) stream.off(event, listener);
    stream.pause();
    complete();
  };
  for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener);
  return promise;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
