import { connect, type Socket } from 'node:net';

/** What to ask, and how the answer is known to be right. */
export type Exchange = {
  readonly request: string;
  readonly status: number;
  /** The text that the body holds, or one byte at its place in a body of that length. */
  readonly body: string | { readonly length: number; readonly at: number; readonly byte: number };
};

/** A keep-alive connection that asks one thing at a time. Rejects with what was wrong with an answer. */
export type Connection = {
  ask(exchange: Exchange): Promise<void>;
  /** Whether the server has said that it closes behind the last answer (RFC 9112, section 9.6). */
  readonly isOver: boolean;
  close(): void;
};

const answerLimitMs = 20_000;
const endOfHead = Buffer.from('\r\n\r\n');

type Waiting = { readonly exchange: Exchange; resolve(): void; reject(fault: Error): void };
type Head = { readonly status: number; readonly length: number; readonly closes: boolean };

/**
 * Opens a connection over plain sockets: the client of a bench shares the cores with what it measures, and this costs a
 * third of what node:http does.
 */
export async function openConnection(port: number): Promise<Connection> {
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
    ask: (exchange) => ask(socket, reader, exchange),
    get isOver() {
      return reader.isOver;
    },
    close: () => socket.destroy(),
  };
}

function ask(socket: Socket, reader: Reader, exchange: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    reader.expect({ exchange, resolve, reject });
    socket.write(exchange.request);
  });
}

type Reader = {
  expect(waiting: Waiting): void;
  take(bytes: Buffer): void;
  fail(fault: Error): void;
  readonly isOver: boolean;
};

/** Reads answers of HTTP/1.1 with a Content-Length; anything else is a fault. */
function createReader(): Reader {
  let waiting: Waiting | undefined;
  let head: Head | undefined;
  let held: Buffer | undefined;
  let taken = 0;
  let isRight = false;
  let isOver = false;

  function settle(fault: Error | undefined): void {
    const done = waiting;
    waiting = undefined;
    isOver = head?.closes === true;
    head = undefined;
    held = undefined;
    taken = 0;
    isRight = false;
    if (fault === undefined) done?.resolve();
    else done?.reject(fault);
  }

  function takeBody(bytes: Buffer, length: number, expected: Exchange['body']): void {
    if (typeof expected === 'string') {
      held = held === undefined ? bytes : Buffer.concat([held, bytes]);
      if (held.length >= length) isRight = held.includes(expected, 0, 'latin1');
      // What is held must outlive the buffer that the next bytes are read into.
      else if (held === bytes) held = Buffer.from(bytes);
    } else {
      if (expected.at >= taken && expected.at < taken + bytes.length) {
        isRight = length === expected.length && bytes[expected.at - taken] === expected.byte;
      }
    }
    taken += bytes.length;
  }

  return {
    expect: (next) => {
      waiting = next;
    },
    fail: settle,
    get isOver() {
      return isOver;
    },
    take: (bytes) => {
      if (waiting === undefined) return;
      const { exchange } = waiting;
      let body = bytes;
      if (head === undefined) {
        const all: Buffer = held === undefined ? bytes : Buffer.concat([held, bytes]);
        const end = all.indexOf(endOfHead);
        if (end < 0) {
          held = Buffer.from(all);
          return;
        }
        held = undefined;
        head = readHead(all.toString('latin1', 0, end));
        if (head.status !== exchange.status || head.length < 0) {
          settle(new Error(`${head.status} came where ${exchange.status} was due: ${all.toString().slice(0, 2_000)}`));
          return;
        }
        body = all.subarray(end + endOfHead.length);
      }
      takeBody(body, head.length, exchange.body);
      if (taken < head.length) return;
      const fault = isRight && taken === head.length ? undefined : new Error(`a wrong body came, of ${taken} bytes`);
      settle(fault);
    },
  };
}

function readHead(text: string): Head {
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  const closes = /\r\nconnection: *close/i.test(text);
  return { status: Number(text.slice(9, 12)), length: length === undefined ? -1 : Number(length), closes };
}
