import type { IncomingMessage } from 'node:http';

/** How long the body of a request may take. */
export const bodyLimits = {
  /** A body that is read into memory: all of it. */
  wholeMs: 30_000,
  /** A body that is streamed: so much has to arrive in each of these spans, however long it is. */
  spanMs: 15_000,
  spanBytes: 65_536,
} as const;

const streamed = new WeakSet<IncomingMessage>();

/** From now on the body of this request may take its time, as long as it keeps coming. */
export function allowStream(request: IncomingMessage): void {
  streamed.add(request);
}

/**
 * Watches the body of one request; `onSlow` is called once when it takes too long. Bytes that we have not taken yet are
 * our delay, not the sender's.
 */
export function watchBody(request: IncomingMessage, onSlow: () => void): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && Number(length) === 0) return;
  let spans = 0;
  let seen = request.socket.bytesRead;
  const look = () => {
    spans += 1;
    const { bytesRead } = request.socket;
    const waiting = request.readableLength > 0;
    const slow = streamed.has(request)
      ? !waiting && bytesRead - seen < bodyLimits.spanBytes
      : spans * bodyLimits.spanMs >= bodyLimits.wholeMs;
    seen = bytesRead;
    if (!slow) return;
    end();
    onSlow();
  };
  const timer = setInterval(look, bodyLimits.spanMs);
  const end = () => {
    clearInterval(timer);
    request.socket.off('close', end);
  };
  request.once('end', end);
  request.once('close', end);
  // A request that was answered before its body came emits neither of them.
  request.socket.once('close', end);
}
