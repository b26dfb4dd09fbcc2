import { connect } from 'node:net';

const idleMs = 10_000;

/**
 * Sends bytes as they stand to a server on loopback and gives all that comes back until it closes, or until ten
 * seconds pass without a byte: far more than a busy machine takes. For requests that no HTTP client would send.
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

/** The status lines in what came back: how many answers there were, and which. */
export function statusCodesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}
