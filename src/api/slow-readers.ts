import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What a reader has to take of an answer that waits for it, in each span. */
export const readerLimits = { spanMs: 15_000, spanBytes: 65_536 };

type ReaderLimits = { readonly spanMs: number; readonly spanBytes: number };
type ReaderProgress = { sent: number; waiting: number };

/**
 * Ends connections whose reader stands still or drips while an answer waits for it: what it does not take lies in our
 * memory. One look at all connections at once, so that a request costs nothing for it.
 */
export function endSlowReaders(server: Server, { spanMs, spanBytes }: ReaderLimits = readerLimits): void {
  const open = new Map<Socket, ReaderProgress>();
  const watch = (socket: Socket) => {
    open.set(socket, { sent: 0, waiting: 0 });
    socket.once('close', () => open.delete(socket));
  };
  // Over TLS the connection below has nothing waiting: what waits is seen on the one above.
  server.on('connection', watch);
  server.on('secureConnection', watch);
  const timer = setInterval(() => {
    for (const [socket, seen] of open) {
      const waiting = socket.writableLength;
      const sent = socket.bytesWritten - waiting;
      const slow = seen.waiting > 0 && waiting > 0 && sent - seen.sent < spanBytes;
      open.set(socket, { sent, waiting });
      if (slow) socket.destroy();
    }
  }, spanMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}
