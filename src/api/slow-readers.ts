import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The bytes that a client must read in each span while a response waits for it. */
const readerLimits = { spanMs: 15_000, spanBytes: 65_536 };

type ReaderLimits = { readonly spanMs: number; readonly spanBytes: number };
type ReaderProgress = { sent: number; waiting: number };

/** Ends connections whose client reads its response too slowly, because the unread bytes occupy memory. */
export function endSlowReaders(server: Server, { spanMs, spanBytes }: ReaderLimits = readerLimits): void {
  const open = new Map<Socket, ReaderProgress>();
  const watch = (socket: Socket) => {
    open.set(socket, { sent: 0, waiting: 0 });
    socket.once('close', () => open.delete(socket));
  };
  // With TLS, unsent bytes are in the buffer of the TLS socket, not of the connection below it.
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
