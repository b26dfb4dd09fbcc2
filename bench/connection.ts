import { connect, type Socket } from 'node:net';
import { BenchFailed } from './bench-failed.ts';

/** A request, and the properties of the expected response. */
export type ExpectedExchange = {
  readonly request: string;
  readonly status: number;
  /** Text that the body contains, or the length of the body and the value of one byte in it. */
  readonly body: string | { readonly length: number; readonly at: number; readonly byte: number };
};

/** A keep-alive connection with one request at a time. */
export type LoadConnection = {
  /** Rejects if the response is not the expected one. */
  send(exchange: ExpectedExchange): Promise<void>;
  /** Whether the server announced that it closes the connection after the last response (RFC 9112, section 9.6). */
  readonly isClosing: boolean;
  close(): void;
};

const responseTimeoutMs = 20_000;
const endOfHead = Buffer.from('\r\n\r\n');

type PendingExchange = { readonly exchange: ExpectedExchange; resolve(): void; reject(error: Error): void };
type ResponseHead = { readonly status: number; readonly length: number; readonly closes: boolean };

/**
 * Opens a connection over a plain socket. The load generator shares the cores with the server under test, and a plain socket
 * needs a third of the CPU time of node:http.
 */
export async function openConnection(port: number): Promise<LoadConnection> {
  const reader = createReader();
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    // All reads use one buffer, so that a response of 1 MiB allocates no memory.
    onread: {
      buffer: Buffer.allocUnsafe(262_144),
      callback: (length: number, buffer: Uint8Array) => {
        reader.take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
        return true;
      },
    },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.on('error', (error) => reader.fail(error));
  socket.on('close', () => reader.fail(new BenchFailed('expected a response, but the server closed the connection')));
  socket.setTimeout(responseTimeoutMs, () =>
    socket.destroy(new BenchFailed(`expected a response within ${responseTimeoutMs} ms`)),
  );
  return {
    send: (exchange) => sendExchange(socket, reader, exchange),
    get isClosing() {
      return reader.isClosing;
    },
    close: () => socket.destroy(),
  };
}

function sendExchange(socket: Socket, reader: Reader, exchange: ExpectedExchange): Promise<void> {
  return new Promise((resolve, reject) => {
    reader.expect({ exchange, resolve, reject });
    socket.write(exchange.request);
  });
}

type Reader = {
  expect(pending: PendingExchange): void;
  take(bytes: Buffer): void;
  fail(error: Error): void;
  readonly isClosing: boolean;
};

/** Reads HTTP/1.1 responses with a Content-Length. Any other response is an error. */
function createReader(): Reader {
  let pending: PendingExchange | undefined;
  let head: ResponseHead | undefined;
  let buffered: Buffer | undefined;
  let bodyBytes = 0;
  let isBodyCorrect = false;
  let isClosing = false;

  function finish(error: Error | undefined): void {
    const done = pending;
    pending = undefined;
    isClosing = head?.closes === true;
    head = undefined;
    buffered = undefined;
    bodyBytes = 0;
    isBodyCorrect = false;
    if (error === undefined) done?.resolve();
    else done?.reject(error);
  }

  function takeBody(bytes: Buffer, length: number, expected: ExpectedExchange['body']): void {
    if (typeof expected === 'string') {
      buffered = buffered === undefined ? bytes : Buffer.concat([buffered, bytes]);
      if (buffered.length >= length) isBodyCorrect = buffered.includes(expected, 0, 'latin1');
      // A copy, because the next read overwrites the shared buffer.
      else if (buffered === bytes) buffered = Buffer.from(bytes);
    } else {
      if (expected.at >= bodyBytes && expected.at < bodyBytes + bytes.length) {
        isBodyCorrect = length === expected.length && bytes[expected.at - bodyBytes] === expected.byte;
      }
    }
    bodyBytes += bytes.length;
  }

  return {
    expect: (next) => {
      pending = next;
    },
    fail: finish,
    get isClosing() {
      return isClosing;
    },
    take: (bytes) => {
      if (pending === undefined) return;
      const { exchange } = pending;
      let body = bytes;
      if (head === undefined) {
        const all: Buffer = buffered === undefined ? bytes : Buffer.concat([buffered, bytes]);
        const end = all.indexOf(endOfHead);
        if (end < 0) {
          buffered = Buffer.from(all);
          return;
        }
        buffered = undefined;
        head = readHead(all.toString('latin1', 0, end));
        if (head.status !== exchange.status || head.length < 0) {
          finish(
            new BenchFailed(`expected ${exchange.status}, received ${head.status}: ${all.toString().slice(0, 2_000)}`),
          );
          return;
        }
        body = all.subarray(end + endOfHead.length);
      }
      takeBody(body, head.length, exchange.body);
      if (bodyBytes < head.length) return;
      const error =
        isBodyCorrect && bodyBytes === head.length
          ? undefined
          : new BenchFailed(`expected another body, received ${bodyBytes} bytes`);
      finish(error);
    },
  };
}

function readHead(text: string): ResponseHead {
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  const closes = /\r\nconnection: *close/i.test(text);
  return { status: Number(text.slice(9, 12)), length: length === undefined ? -1 : Number(length), closes };
}
