import { IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { hasDuplicateMember } from '../kernel/has-duplicate-member.ts';
import { locateJsonFault } from '../kernel/locate-json-fault.ts';
import { type Issue, type Refusal, refuse } from '../kernel/refusal.ts';

/** The largest JSON body, in bytes. */
export const jsonBodyLimit = 65_536;

/** Refuses a body of more than `limit` bytes. */
export const payloadTooLarge = (limit: number) =>
  refuse('payload-too-large', `The limit is ${limit} bytes.`, { members: { limit }, headers: { connection: 'close' } });

/** The refusal if Content-Length exceeds `limit` plus the `framing` bytes of the encoding. The body is not read. */
export function declaredTooLarge(contentLength: string | undefined, limit: number, framing = 0): Refusal | undefined {
  return Number(contentLength ?? 0) > limit + framing ? payloadTooLarge(limit) : undefined;
}

const expectingContinue = new WeakSet<IncomingMessage>();

/** The guard calls it instead of the response that Node.js would send at once. */
export function markExpectsContinue(request: IncomingMessage): void {
  expectingContinue.add(request);
}

/** Sends 100 Continue, once, to a client that waits for it. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (expectingContinue.delete(request) && !response.headersSent) response.writeContinue();
}

/**
 * The body of a request, unread. A client that waits for 100 Continue receives it at the first read. By then the guard, the token,
 * the quota and the headers are checked, so that a refused body is never sent (test/attacks/expect-continue.test.ts).
 */
export function unreadBody(request: IncomingMessage, response: ServerResponse): Readable {
  if (!expectingContinue.has(request)) return request;
  async function* continueAndRead() {
    sendContinue(request, response);
    // Destroying the request would close the connection before the response is sent.
    yield* request.iterator({ destroyOnReturn: false });
  }
  const body = Readable.from(continueAndRead(), { objectMode: false });
  // The client can disconnect after the body is read. An error without a listener would end the process.
  return body.on('error', () => undefined);
}

/** Reads a JSON body, or returns the refusal: UTF-8, at most `jsonBodyLimit` bytes, no member name twice in one object. */
export async function readJsonBody(stream: Readable): Promise<{ value: unknown } | { refusal: Refusal }> {
  const bytes = await readBody(stream, jsonBodyLimit);
  if (bytes === 'too-large') return { refusal: payloadTooLarge(jsonBodyLimit) };
  if (bytes === 'broken-off') return { refusal: refuse('malformed-json', 'The body is incomplete.') };
  let text = '';
  try {
    text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (hasDuplicateMember(text, value))
      return { refusal: refuse('malformed-json', 'A member name occurs twice in one object.') };
    return { value };
  } catch (fault) {
    if (fault instanceof SyntaxError) return { refusal: notJson(text) };
    if (fault instanceof TypeError) return { refusal: refuse('malformed-json', 'The body is not UTF-8.') };
    throw fault;
  }
}

function notJson(text: string): Refusal {
  if (text === '') return refuse('malformed-json', 'The body is empty.', { members: { line: 1, column: 1 } });
  const position = locateJsonFault(text);
  if (position === undefined) return refuse('malformed-json', 'The body is not valid JSON.');
  const { line, column } = position;
  return refuse('malformed-json', `The body is not valid JSON at line ${line}, column ${column}.`, {
    members: position,
  });
}

/** Some clients send an empty object when no body is expected. */
const maxEmptyBodyBytes = 64;

/** The issue of a body that the operation does not take. Accepting it would ignore what the client asks for. */
export async function unexpectedBodyIssues(stream: Readable): Promise<readonly Issue[]> {
  const bytes = await readBody(stream, maxEmptyBodyBytes);
  if (typeof bytes !== 'string' && /^\s*(?:\{\s*\}\s*)?$/.test(Buffer.from(bytes).toString('latin1'))) return [];
  const detail = 'this operation accepts no body; its input is in the path';
  return [{ in: 'body', pointer: '', code: 'unknown-input', detail }];
}

type BodyBytes = Uint8Array | 'too-large' | 'broken-off';

function readBody(stream: Readable, limit: number): BodyBytes | Promise<BodyBytes> {
  return readBuffered(stream, limit) ?? readAll(stream, limit);
}

/** Most bodies have arrived when the client is authenticated. Reading them at once costs half as much as listening for events. */
function readBuffered(stream: Readable, limit: number): Uint8Array | undefined {
  if (!(stream instanceof IncomingMessage) || !stream.complete || stream.readableEnded) return undefined;
  if (stream.readableLength === 0 || stream.readableLength > limit) return undefined;
  // Without a length, Node.js 26 returns only the first of several chunks. Without an encoding the stream returns buffers.
  return (stream.read(stream.readableLength) as Uint8Array | null) ?? undefined;
}

/**
 * Reads all bytes of a stream, up to `limit`. It leaves the rest unread and does not destroy the stream, because the refusal is sent
 * over its connection. An error of the stream is a client that is gone or too slow, and no fault of the server.
 */
function readAll(stream: Readable, limit: number): Promise<BodyBytes> {
  if (stream.readableEnded) return Promise.resolve(new Uint8Array());
  // The client went away during authentication. A destroyed stream emits no further event.
  if (stream.destroyed) return Promise.resolve('broken-off');
  const { promise, resolve } = Promise.withResolvers<BodyBytes>();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const listeners = {
    // Without an encoding the chunks are buffers.
    data: (bytes: Uint8Array) => {
      length += bytes.length;
      if (length <= limit) chunks.push(bytes);
      else finish('too-large');
    },
    end: () => finish(Buffer.concat(chunks)),
    error: () => finish('broken-off'),
    close: () => finish('broken-off'),
  };
  const finish = (bytes: BodyBytes) => {
    for (const [event, listener] of Object.entries(listeners)) stream.off(event, listener);
    stream.pause();
    resolve(bytes);
  };
  for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener);
  return promise;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
