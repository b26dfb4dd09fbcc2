import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long the body of a request may take. */
export const bodyLimits = {
  /** A body that is read into memory: all of it. */
  wholeMs: 30_000,
  /** A body that is streamed: so much has to arrive in each of these spans, however long it is. */
  spanMs: 15_000,
  spanBytes: 65_536,
} as const;

/** Time is counted in looks, so that a body may have up to one of them less than its limit. */
const lookEveryMs = 1_000;

const streamed = new WeakSet<IncomingMessage>();

/** From now on the body of this request may take its time, as long as it keeps coming. */
export function allowStream(request: IncomingMessage): void {
  streamed.add(request);
}

/** Watches the bodies of one server. */
type BodyWatch = {
  /** Begins to watch the body of a request; one that has none is let be. */
  begin(request: IncomingMessage): void;
  stop(): void;
};

/** The body that came last on a connection; `seen` are the bytes at the beginning of its span. */
type Watched = { readonly request: IncomingMessage; waitedMs: number; seen: number };

/**
 * The watch of one server; `onSlow` is called once for a request whose body takes too long. Bytes that we have not taken
 * yet are our delay, not the sender's. One timer looks at all: one of its own costs a request more than its body does.
 */
export function createBodyWatch(onSlow: (request: IncomingMessage) => void): BodyWatch {
  // A connection has one body on its way at a time, so that the next one takes the place of the one before.
  const bodies = new Map<Socket, Watched>();
  const known = new WeakSet<Socket>();

  function lookAt(socket: Socket, body: Watched): void {
    const { request } = body;
    if (request.complete) {
      bodies.delete(socket);
      return;
    }
    body.waitedMs += lookEveryMs;
    if (body.waitedMs % bodyLimits.spanMs !== 0) return;
    const slow = streamed.has(request)
      ? request.readableLength === 0 && socket.bytesRead - body.seen < bodyLimits.spanBytes
      : body.waitedMs >= bodyLimits.wholeMs;
    body.seen = socket.bytesRead;
    if (!slow) return;
    bodies.delete(socket);
    onSlow(request);
  }

  const timer = setInterval(() => {
    for (const [socket, body] of bodies) lookAt(socket, body);
  }, lookEveryMs).unref();

  return {
    begin: (request) => {
      const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
      if (coding === undefined && Number(length) === 0) return;
      const { socket } = request;
      bodies.set(socket, { request, waitedMs: 0, seen: socket.bytesRead });
      if (known.has(socket)) return;
      known.add(socket);
      socket.once('close', () => bodies.delete(socket));
    },
    stop: () => clearInterval(timer),
  };
}
