import { connect } from 'node:net';
import type { RandomSource } from '../support/random-source.ts';
import type { FuzzRequest } from './fuzz-requests.ts';

type Framing = (parts: RequestParts) => Buffer;
type RequestParts = { readonly line: string; readonly lines: readonly string[]; readonly body: Buffer };

const host = 'host: 127.0.0.1';
const bytesOf = (line: string, lines: readonly string[], body: Uint8Array = Buffer.alloc(0)) =>
  Buffer.concat([Buffer.from(`${[line, ...lines].join('\r\n')}\r\n\r\n`, 'latin1'), body]);
const withLength =
  (difference: number): Framing =>
  ({ line, lines, body }) =>
    bytesOf(line, [host, ...lines, `content-length: ${Math.max(0, body.length + difference)}`], body);
const withLines =
  (...more: readonly string[]): Framing =>
  ({ line, lines, body }) =>
    bytesOf(line, [host, ...lines, ...more, `content-length: ${body.length}`], body);
const chunked =
  (chunks: string): Framing =>
  ({ line, lines }) =>
    bytesOf(line, [host, ...lines, 'transfer-encoding: chunked'], Buffer.from(chunks, 'latin1'));

/** Requests that no HTTP client sends. */
const framings: readonly [Framing, ...Framing[]] = [
  withLength(5),
  withLength(-3),
  withLines('transfer-encoding: chunked'),
  withLines('content-length: 1'),
  withLines('content-length: -1'),
  withLines('transfer-encoding: xchunked'),
  withLines('host: evil.example'),
  withLines('authorization: Bearer x'),
  withLines('x : y'),
  withLines('x: a\0b'),
  withLines('x: a\rb'),
  withLines(' folded: line'),
  withLines(`x: ${'y'.repeat(17_000)}`),
  withLines(...Array.from({ length: 900 }, (_, at) => `x-${at}: y`)),
  withLines('expect: 200-nothing'),
  chunked('zz\r\n{}\r\n0\r\n\r\n'),
  chunked('5\r\n{}\r\n0\r\n\r\n'),
  chunked('2;x=y\r\n{}\r\n0\r\ntrailer: x\r\n\r\n'),
  chunked('fffffffffffffffff\r\n{}'),
  ({ line, lines }) => bytesOf(line, lines),
  ({ line, lines, body }) => Buffer.concat([Buffer.from([line, host, ...lines, '', ''].join('\n')), body]),
  ({ line, lines }) => bytesOf(line, [host, ...lines]).subarray(0, 40),
  ({ line, lines }) => bytesOf(line.replace('HTTP/1.1', 'HTTP/9.9'), [host, ...lines]),
  ({ line, lines }) => bytesOf(line.replace('HTTP/1.1', 'HTTP/1.0'), lines),
  ({ line, lines }) => bytesOf(line.replace(' /', ' http://evil.example/'), [host, ...lines]),
  ({ line, lines }) => bytesOf(line.replace('/v1', `/v1/${'x'.repeat(9_000)}`), [host, ...lines]),
  ({ line, lines }) => bytesOf(line.replace(/^\w+/, 'get'), [host, ...lines]),
  ({ line, lines }) => bytesOf(line.replace(/^\w+/, 'CONNECT'), [host, ...lines]),
  ({ body }) => Buffer.concat([Buffer.from('\x16\x03\x01\x02\x00\x01'), body]),
];

/** The bytes of a request with a framing that is broken or unusual. */
export function breakFraming({ method, path, headers, body }: FuzzRequest, random: RandomSource): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return random.pick(framings)({ line: `${method} ${path} HTTP/1.1`, lines, body });
}

/**
 * Sends bytes, closes the sending direction, and returns what arrives until the server closes the connection, or until 3 seconds
 * pass without a byte.
 */
export function exchangeBytes(port: number, bytes: Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ host: '127.0.0.1', port });
  const chunks: Buffer[] = [];
  socket.setTimeout(3_000, () => socket.destroy());
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The server may close the connection before it has read everything.
  socket.on('error', () => socket.destroy());
  socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  socket.on('connect', () => socket.end(bytes));
  return promise;
}
