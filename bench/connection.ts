import { connect, type Socket } from 'node:net';

/** What to ask, and how the answer is known to be right. */
export type ExpectedExchange = {
  readonly request: string;
  readonly status: number;
  /** The text that the body holds, or one byte at its place in a body of that length. */
  readonly body: string | { readonly length: number; readonly at: number; readonly byte: number };
};

/** A keep-alive connection that asks one thing at a time. Rejects with what was wrong with an answer. */
export type LoadConnection = {
  ask(exchange: ExpectedExchange): Promise<void>;
  /** Whether the server has said that it closes behind the last answer (RFC 9112, section 9.6). */
  readonly isClosing: boolean;
  close(): void;
};

const answerLimitMs = 20_000;
const endOfHead = Buffer.from('\r\n\r\n');

type PendingExchange = { readonly exchange: ExpectedExchange; resolve(): void; reject(fault: Error): void };
type ResponseHead = { readonly status: number; readonly length: number; readonly closes: boolean };

/**
 * Opens a connection over plain sockets: the client of a bench shares the cores with what it measures, and this costs a
 * third of what node:http does.
 */
export async function openConnection(port: number): Promise<LoadConnection> {
  const reader = createReader();
  const socket = connect({
    ...{ port, host: '127.0.0.1', noDelay: true },
    // One buffer for all that arrives, so that a megabyte of an answer costs no memory.
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
  socket.on('error', (fault) => reader.fail(fault));
  socket.on('close', () => reader.fail(new Error('the server closed the connection before it answered')));
  socket.setTimeout(answerLimitMs, () => socket.destroy(new Error(`no answer within ${answerLimitMs} ms`)));
  return {
    ask: (exchange) => sendExchange(socket, reader, exchange),
    get isClosing() {
      return reader.isOver;
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
  expect(waiting: PendingExchange): void;
  take(bytes: Buffer): void;
  fail(fault: Error): void;
  readonly isOver: boolean;
};

/** Reads answers of HTTP/1.1 with a Content-Length; anything else is a fault. */
function createReader(): Reader {
  let waiting: PendingExchange | undefined;
  let head: ResponseHead | undefined;
  let buffered: Buffer | undefined;
  let bodyBytes = 0;
  let isBodyCorrect = false;
  let isOver = false;

  function finish(fault: Error | undefined): void {
    const done = waiting;
    waiting = undefined;
    isOver = head?.closes === true;
    head = undefined;
    buffered = undefined;
    bodyBytes = 0;
    isBodyCorrect = false;
    if (fault === undefined) done?.resolve();
    else done?.reject(fault);
  }

  function takeBody(bytes: Buffer, length: number, expected: ExpectedExchange['body']): void {
    if (typeof expected === 'string') {
      buffered = buffered === undefined ? bytes : Buffer.concat([buffered, bytes]);
      if (buffered.length >= length) isBodyCorrect = buffered.includes(expected, 0, 'latin1');
      // What is held must outlive the buffer that the next bytes are read into.
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
      waiting = next;
    },
    fail: finish,
    get isOver() {
      return isOver;
    },
    take: (bytes) => {
      if (waiting === undefined) return;
      const { exchange } = waiting;
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
          finish(new Error(`${head.status} came where ${exchange.status} was due: ${all.toString().slice(0, 2_000)}`));
          return;
        }
        body = all.subarray(end + endOfHead.length);
      }
      takeBody(body, head.length, exchange.body);
      if (bodyBytes < head.length) return;
      const fault =
        isBodyCorrect && bodyBytes === head.length ? undefined : new Error(`a wrong body came, of ${bodyBytes} bytes`);
      finish(fault);
    },
  };
}

function readHead(text: string): ResponseHead {
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  const closes = /\r\nconnection: *close/i.test(text);
  return { status: Number(text.slice(9, 12)), length: length === undefined ? -1 : Number(length), closes };
}
