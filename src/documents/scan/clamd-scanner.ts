import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createClamdProbes } from './clamd-probes.ts';
import { type Scanner, ScannerFault, type ScanVerdict } from './scanner.ts';

/** The address of clamd, and how long it may be silent: longer than its own MaxScanTime (120 s by default). */
type ClamdOptions = {
  readonly address: { readonly path: string } | { readonly host: string; readonly port: number };
  readonly silenceMs?: number;
};

/** clamd accepts no stream above 2 GiB, even with higher limits (Cisco-Talos/clamav, issue 942). */
const maxScanBytes = 2 ** 31 - 1;
const maxReplyBytes = 4_096;
const pieceBytes = 65_536;

/**
 * Scans with clamd over its socket (INSTREAM). Before use, and after each change of its version, probe files check that it
 * reports what it cannot scan. A clamd that answers `OK` for an encrypted file counts as down
 * (test/scenarios/documents-clamd.test.ts). Own code: the npm client reads a size limit as clean.
 */
export function createClamdScanner({ address, silenceMs = 150_000 }: ClamdOptions): Scanner {
  const request = (send: (connection: ClamdConnection) => Promise<void>) =>
    exchange(() => connect(address), silenceMs, send);
  let verifiedVersion: string | undefined;

  async function engine(): Promise<string> {
    const version = await asScannerDown(request((connection) => connection.write(Buffer.from('zVERSION\0'))));
    if (!/^ClamAV \S/.test(version)) throw new ScannerFault('down', 'the server at CLAMAV is not clamd');
    return version;
  }

  async function verifyConfiguration(version: string): Promise<void> {
    for (const { name, bytes, setting } of createClamdProbes()) {
      const reply = await asScannerDown(request((connection) => sendStream(connection, [bytes])));
      if (reply.endsWith(' FOUND')) continue;
      throw new ScannerFault('down', `clamd reports an ${name} as clean; set '${setting}' in clamd.conf`);
    }
    verifiedVersion = version;
  }

  return {
    engine,
    scan: async (bytes, size) => {
      const version = await engine();
      if (version !== verifiedVersion) await verifyConfiguration(version);
      if (size > maxScanBytes) return { verdict: 'unscannable', engine: version, finding: 'above 2 GiB' };
      let sent = 0;
      async function* countedBytes() {
        for await (const piece of bytes) {
          sent += piece.length;
          yield piece;
        }
      }
      const verdict = verdictOf(await request((connection) => sendStream(connection, countedBytes())), version);
      if (verdict.verdict === 'clean' && sent !== size) {
        throw new ScannerFault('failed', 'clamd responded before it received the whole document');
      }
      return verdict;
    },
  };
}

/** Before the document is sent, a fault says nothing about the document: it counts as `down`. */
async function asScannerDown(reply: Promise<string>): Promise<string> {
  try {
    return await reply;
  } catch (cause) {
    throw cause instanceof ScannerFault ? new ScannerFault('down', cause.message, { cause }) : cause;
  }
}

function verdictOf(reply: string, engine: string): ScanVerdict {
  if (reply === 'stream: OK') return { verdict: 'clean', engine };
  const finding = /^stream: (\S{1,200}) FOUND$/.exec(reply)?.[1];
  if (finding !== undefined) {
    const blind = /^Heuristics\.(?:Encrypted|Limits)\./.test(finding);
    return { verdict: blind ? 'unscannable' : 'infected', engine, finding };
  }
  if (/size limit exceeded/i.test(reply)) return { verdict: 'unscannable', engine, finding: 'above StreamMaxLength' };
  throw new ScannerFault('failed', 'clamd responded with neither OK nor FOUND');
}

/** The sending side of a connection. `write` waits for the socket, and does nothing once clamd has answered. */
type ClamdConnection = { write(bytes: Uint8Array): Promise<void>; isAnswered(): boolean };

async function sendStream(
  connection: ClamdConnection,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  await connection.write(Buffer.from('zINSTREAM\0'));
  const length = Buffer.alloc(4);
  for await (const given of source) {
    for (let at = 0; at < given.length; at += pieceBytes) {
      if (connection.isAnswered()) return;
      const piece = given.subarray(at, at + pieceBytes);
      length.writeUInt32BE(piece.length);
      await connection.write(Buffer.concat([length, piece]));
    }
  }
  await connection.write(Buffer.alloc(4));
}

/** One connection, one request, one answer that ends with NUL. A connection that ends without an answer is a fault. */
async function exchange(
  connectSocket: () => Socket,
  silenceMs: number,
  send: (connection: ClamdConnection) => Promise<void>,
): Promise<string> {
  const socket = connectSocket();
  const reply = Promise.withResolvers<string>();
  let [text, connected, answered] = ['', false, false];
  socket.setTimeout(silenceMs, () => socket.destroy(new ScannerFault('failed', 'no response in time')));
  socket.on('connect', () => {
    connected = true;
  });
  socket.on('data', (piece) => {
    text += piece.toString('latin1');
    if (text.length > maxReplyBytes) socket.destroy(new ScannerFault('failed', 'the response is too long'));
    const end = text.indexOf('\0');
    if (end < 0) return;
    answered = true;
    reply.resolve(text.slice(0, end).trim());
  });
  const lost = (cause?: Error) => {
    const kind = connected ? 'failed' : 'down';
    reply.reject(new ScannerFault(kind, `no response from clamd${cause === undefined ? '' : `: ${cause.message}`}`));
  };
  socket.on('error', lost);
  socket.on('close', () => lost());
  const connection: ClamdConnection = {
    isAnswered: () => answered || socket.destroyed,
    write: async (bytes) => {
      // An answer that has arrived is read before more is written: writing to a closed connection would lose it.
      await setImmediate();
      if (answered || socket.destroyed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.write(bytes, () => resolve());
      await Promise.race([promise, Promise.allSettled([reply.promise])]);
    },
  };
  const sending = send(connection);
  try {
    await Promise.race([sending, Promise.allSettled([reply.promise])]);
    return await reply.promise;
  } finally {
    socket.destroy();
    // A fault of the source takes precedence over the connection fault that it causes.
    await sending;
  }
}
