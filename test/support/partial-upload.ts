import type { OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

/** A deposit on a separate connection that has sent only a part of its body. */
export type PartialUpload = {
  /** Sends the rest; resolves with the whole response when the connection closes. */
  finish(): Promise<string>;
  /** Closes the connection before the body is complete. */
  abort(): void;
};

/** Sends the headers and the first half of a document; with `chunked`, without its length. */
export async function startPartialUpload(
  port: number,
  bytes: Buffer,
  headers: OutgoingHttpHeaders,
  chunked = false,
): Promise<PartialUpload> {
  const length = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': bytes.length };
  const { 'content-length': _length, ...others } = headers;
  const lines = Object.entries({ host: '127.0.0.1', connection: 'close', ...others, ...length });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const half = bytes.length >> 1;
  const encodeChunk = (piece: Buffer) =>
    chunked ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]) : piece;

  const socket = connect({ host: '127.0.0.1', port });
  const answer: Buffer[] = [];
  const closed = Promise.withResolvers<void>();
  socket.on('data', (piece: Buffer) => answer.push(piece));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => closed.resolve());
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', resolve);
  });
  await new Promise<void>((resolve) => {
    socket.write(`POST /v1/documents HTTP/1.1\r\n${head}\r\n`);
    socket.write(encodeChunk(bytes.subarray(0, half)), () => resolve());
  });
  return {
    finish: async () => {
      socket.write(encodeChunk(bytes.subarray(half)));
      if (chunked) socket.write('0\r\n\r\n');
      await closed.promise;
      return Buffer.concat(answer).toString('utf8');
    },
    abort: () => socket.destroy(),
  };
}
