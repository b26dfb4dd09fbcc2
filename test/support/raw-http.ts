import { connect } from 'node:net';

const idleMs = 10_000;

/**
 * Sends bytes unchanged to a server on loopback. Resolves with all that is received until the connection closes, or until
 * ten seconds pass without a byte, which a busy server does not need. For requests that no HTTP client would send.
 */
export function sendRawHttp(port: number, bytes: string | Buffer): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: '127.0.0.1', port });
  const chunks: Uint8Array[] = [];
  const finish = () => {
    socket.destroy();
    resolve(Buffer.concat(chunks).toString('utf8'));
  };
  socket.setTimeout(idleMs, finish);
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', (fault) => (chunks.length > 0 ? finish() : reject(fault)));
  socket.on('close', finish);
  socket.on('connect', () => socket.write(bytes));
  return promise;
}

/** The status codes of all responses in a received text, in order. */
export function statusCodesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}
