import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Time limits for the body of a request. */
export const bodyLimits = {
  wholeMs: 30_000,
  /** At least `spanBytes` of a streamed body must arrive in each span. */
  spanMs: 15_000,
  spanBytes: 65_536,
  /** The number of incomplete bodies that are read into memory: half of the requests in flight (`loadLimits`). */
  maxAwaited: 1_000,
} as const;

/** A body may exceed its limit by up to one of these checks. */
const checkEveryMs = 1_000;

const streamed = new WeakSet<IncomingMessage>();

/** From now on the body of this request is limited by its rate instead of its total time. */
export function markStreamed(request: IncomingMessage): void {
  streamed.add(request);
}

/** The last body of a connection; `bytesBefore` is what the socket had read at the beginning of the span. */
type WatchedBody = { readonly request: IncomingMessage; waitedMs: number; bytesBefore: number };

/**
 * Calls `onSlow` once for each request whose body takes too long. Bytes that the server has not read yet are not the fault of the
 * sender. One timer checks all bodies, because a timer for each costs more than reading most bodies.
 *
 * When more than `maxAwaited` bodies are incomplete, the oldest counts as too slow. Otherwise a client without a token could
 * occupy the server by sending only headers (test/attacks/stalled-request-bodies.test.ts).
 */
export function createBodyTimeouts(onSlow: (request: IncomingMessage) => void) {
  // A connection sends one body at a time, so its next body replaces this one. The maps keep the order of arrival. A body moves
  // to `streams` when its operation has marked it as streamed.
  const bodies = new Map<Socket, WatchedBody>();
  const streams = new Map<Socket, WatchedBody>();
  const watchedSockets = new WeakSet<Socket>();

  function forget(socket: Socket): void {
    bodies.delete(socket);
    streams.delete(socket);
  }

  function reject(socket: Socket, { request }: WatchedBody): void {
    forget(socket);
    onSlow(request);
  }

  function enforceLimit(): void {
    if (bodies.size <= bodyLimits.maxAwaited) return;
    for (const [socket, body] of bodies) {
      const isStreamed = streamed.has(body.request);
      if (isStreamed) streams.set(socket, body);
      if (isStreamed || body.request.complete) bodies.delete(socket);
    }
    const [oldest] = bodies;
    if (oldest !== undefined && bodies.size > bodyLimits.maxAwaited) reject(...oldest);
  }

  const timer = setInterval(() => {
    for (const [socket, body] of [...bodies, ...streams]) {
      if (body.request.complete) forget(socket);
      else if (isTooSlow(socket, body)) reject(socket, body);
    }
  }, checkEveryMs).unref();

  return {
    begin: (request: IncomingMessage) => {
      const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
      if (coding === undefined && Number(length) === 0) return;
      const { socket } = request;
      forget(socket);
      bodies.set(socket, { request, waitedMs: 0, bytesBefore: socket.bytesRead });
      enforceLimit();
      if (watchedSockets.has(socket)) return;
      watchedSockets.add(socket);
      socket.once('close', () => forget(socket));
    },
    stop: () => clearInterval(timer),
  };
}

/** Adds the time of one check to the body, and decides at the end of each span. */
function isTooSlow(socket: Socket, body: WatchedBody): boolean {
  body.waitedMs += checkEveryMs;
  if (body.waitedMs % bodyLimits.spanMs !== 0) return false;
  const received = socket.bytesRead - body.bytesBefore;
  body.bytesBefore = socket.bytesRead;
  if (!streamed.has(body.request)) return body.waitedMs >= bodyLimits.wholeMs;
  return body.request.readableLength === 0 && received < bodyLimits.spanBytes;
}
