import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { type Scanner, ScannerFault, type Verdict } from '../scanner.ts';
import { clamdProbes } from './clamd-probes.ts';

/** Where clamd listens, and how long it may be silent: longer than its own MaxScanTime (120 s by default). */
export type ClamdOptions = {
  readonly address: { readonly path: string } | { readonly host: string; readonly port: number };
  readonly silenceMs?: number;
};

/** clamd takes no stream above 2 GiB, whatever its limits say (Cisco-Talos/clamav, issue 942). */
const mostBytes = 2 ** 31 - 1;
const mostReplyBytes = 4_096;
const pieceBytes = 65_536;

/**
 * clamd over its socket, by INSTREAM. It is used only after it has shown that it reports what it cannot look into, anew
 * after each change of its version: a clamd that would say `OK` to an encrypted file counts as down (test/scenarios/documents-clamd.test.ts).
 */
export function clamdScanner({ address, silenceMs = 150_000 }: ClamdOptions): Scanner {
  const ask = (send: (talk: Talk) => Promise<void>) => converse(() => connect(address), silenceMs, send);
  let proven: string | undefined;

  async function engine(): Promise<string> {
    const version = await asDown(ask((talk) => talk.write(Buffer.from('zVERSION\0'))));
    if (!/^ClamAV \S/.test(version)) throw new ScannerFault('down', 'what answers at CLAMAV is not clamd');
    return version;
  }

  async function prove(version: string): Promise<void> {
    for (const { name, bytes, setting } of clamdProbes()) {
      const reply = await asDown(ask((talk) => stream(talk, [bytes])));
      if (reply.endsWith(' FOUND')) continue;
      throw new ScannerFault('down', `clamd calls an ${name} clean; it needs '${setting}' in clamd.conf`);
    }
    proven = version;
  }

  return {
    engine,
    scan: async (bytes, size) => {
      const version = await engine();
      if (version !== proven) await prove(version);
      if (size > mostBytes) return { verdict: 'unscannable', engine: version, finding: 'above 2 GiB' };
      let sent = 0;
      async function* counted() {
        for await (const piece of bytes) {
          sent += piece.length;
          yield piece;
        }
      }
      const verdict = verdictOf(await ask((talk) => stream(talk, counted())), version);
      if (verdict.verdict === 'clean' && sent !== size) {
        throw new ScannerFault('failed', 'clamd answered before it had the whole document');
      }
      return verdict;
    },
  };
}

/** A fault before the document was sent is not its doing. */
async function asDown(reply: Promise<string>): Promise<string> {
  try {
    return await reply;
  } catch (cause) {
    throw cause instanceof ScannerFault ? new ScannerFault('down', cause.message, { cause }) : cause;
  }
}

function verdictOf(reply: string, engine: string): Verdict {
  if (reply === 'stream: OK') return { verdict: 'clean', engine };
  const finding = /^stream: (\S{1,200}) FOUND$/.exec(reply)?.[1];
  if (finding !== undefined) {
    const blind = /^Heuristics\.(?:Encrypted|Limits)\./.test(finding);
    return { verdict: blind ? 'unscannable' : 'infected', engine, finding };
  }
  if (/size limit exceeded/i.test(reply)) return { verdict: 'unscannable', engine, finding: 'above StreamMaxLength' };
  throw new ScannerFault('failed', 'clamd answered neither OK nor FOUND');
}

/** The sending half of a conversation; `write` waits until there is room, and does nothing once clamd has answered. */
type Talk = { write(bytes: Uint8Array): Promise<void>; answered(): boolean };

async function stream(talk: Talk, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  await talk.write(Buffer.from('zINSTREAM\0'));
  const length = Buffer.alloc(4);
  for await (const given of source) {
    for (let at = 0; at < given.length; at += pieceBytes) {
      if (talk.answered()) return;
      const piece = given.subarray(at, at + pieceBytes);
      length.writeUInt32BE(piece.length);
      await talk.write(Buffer.concat([length, piece]));
    }
  }
  await talk.write(Buffer.alloc(4));
}

/** One connection, one question, one answer ended by NUL. A connection that ends without one is a fault. */
async function converse(dial: () => Socket, silenceMs: number, send: (talk: Talk) => Promise<void>): Promise<string> {
  const socket = dial();
  const reply = Promise.withResolvers<string>();
  let [text, connected, answered] = ['', false, false];
  socket.setTimeout(silenceMs, () => socket.destroy(new Error('silent for too long')));
  socket.on('connect', () => {
    connected = true;
  });
  socket.on('data', (piece) => {
    text += piece.toString('latin1');
    if (text.length > mostReplyBytes) socket.destroy(new Error('too long an answer'));
    const end = text.indexOf('\0');
    if (end < 0) return;
    answered = true;
    reply.resolve(text.slice(0, end).trim());
  });
  const lost = (cause?: Error) => {
    const kind = connected ? 'failed' : 'down';
    reply.reject(new ScannerFault(kind, `no answer from clamd${cause === undefined ? '' : `: ${cause.message}`}`));
  };
  socket.on('error', lost);
  socket.on('close', () => lost());
  const talk: Talk = {
    answered: () => answered || socket.destroyed,
    write: async (bytes) => {
      // An answer that is there already is read before more is written: writing to a closed end would lose it.
      await setImmediate();
      if (answered || socket.destroyed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.write(bytes, () => resolve());
      await Promise.race([promise, settled(reply.promise)]);
    },
  };
  const sending = send(talk);
  try {
    await Promise.race([sending, settled(reply.promise)]);
    return await reply.promise;
  } finally {
    socket.destroy();
    // A fault of the source wins over that of the connection which it cost.
    await sending;
  }
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await promise.then(
    () => undefined,
    () => undefined,
  );
}
