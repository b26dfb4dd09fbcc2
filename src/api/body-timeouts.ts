import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long the body of a request may take. */
export const bodyLimits = {
  /** A body that is read into memory: all of it. */
  wholeMs: 30_000,
  /** A body that is streamed: so much has to arrive in each of these spans, however long it is. */
  spanMs: 15_000,
  spanBytes: 65_536,
  /** So many bodies that are read into memory are waited for: half of the requests that may be at work (`loadLimits`). */
  maxAwaited: 1_000,
} as const;

/** Time is counted in looks, so that a body may have up to one of them less than its limit. */
const checkEveryMs = 1_000;

const streamed = new WeakSet<IncomingMessage>();

/** From now on the body of this request may take its time, as long as it keeps coming. */
export function markStreamed(request: IncomingMessage): void {
  streamed.add(request);
}

/** Watches the bodies of one server. */
type BodyTimeouts = {
  /** Begins to watch the body of a request; one that has none is let be. */
  begin(request: IncomingMessage): void;
  stop(): void;
};

/** The body that came last on a connection; `seen` are the bytes at the beginning of its span. */
type Watched = { readonly request: IncomingMessage; waitedMs: number; seen: number };

/**
 * The watch of one server; `onSlow` is called once for a request whose body takes too long. Bytes that we have not taken
 * yet are our delay, not the sender's. One timer looks at all: one of its own costs a request more than its body does.
 * Where more bodies are waited for than may be, the one that began first has taken too long: who sends heads alone, and
 * needs no token for it, would else be all that is at work (test/attacks/stalled-request-bodies.test.ts).
 */
export function createBodyTimeouts(onSlow: (request: IncomingMessage) => void): BodyTimeouts {
  // A connection has one body on its way at a time, so that the next one takes the place of the one before. Each in the order in
  // which they began; whether a body is streamed is known when its operation is.
  const bodies = new Map<Socket, Watched>();
  const streams = new Map<Socket, Watched>();
  const watchedSockets = new WeakSet<Socket>();

  function checkBody(socket: Socket, body: Watched): void {
    const { request } = body;
    if (request.complete) {
      forget(socket);
      return;
    }
    body.waitedMs += checkEveryMs;
    if (body.waitedMs % bodyLimits.spanMs !== 0) return;
    const slow = streamed.has(request)
      ? request.readableLength === 0 && socket.bytesRead - body.seen < bodyLimits.spanBytes
      : body.waitedMs >= bodyLimits.wholeMs;
    body.seen = socket.bytesRead;
    if (!slow) return;
    forget(socket);
    onSlow(request);
  }

  function forget(socket: Socket): void {
    bodies.delete(socket);
    streams.delete(socket);
  }

  function enforceLimit(): void {
    if (bodies.size <= bodyLimits.maxAwaited) return;
    for (const [socket, body] of bodies) {
      const isStreamed = streamed.has(body.request);
      if (isStreamed) streams.set(socket, body);
      if (isStreamed || body.request.complete) bodies.delete(socket);
    }
    const [oldest] = bodies;
    if (oldest === undefined || bodies.size <= bodyLimits.maxAwaited) return;
    const [socket, { request }] = oldest;
    forget(socket);
    onSlow(request);
  }

  const timer = setInterval(() => {
    for (const [socket, body] of [...bodies, ...streams]) checkBody(socket, body);
  }, checkEveryMs).unref();

  return {
    begin: (request) => {
      const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
      if (coding === undefined && Number(length) === 0) return;
      const { socket } = request;
      forget(socket);
      bodies.set(socket, { request, waitedMs: 0, seen: socket.bytesRead });
      enforceLimit();
      if (watchedSockets.has(socket)) return;
      watchedSockets.add(socket);
      socket.once('close', () => forget(socket));
    },
    stop: () => clearInterval(timer),
  };
}
