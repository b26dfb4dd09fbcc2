import { write, writeSync } from 'node:fs';

/** Takes whole lines, each with its end. */
export type LogWriter = { write(lines: string): void };

/**
 * Lines are written together: when so many characters have come, or after that time, and when the process ends. One write
 * for each line costs a request a tenth of its time.
 */
const linesTogether = 12_288;
const latestAfterMs = 100;
/** After that time it is tried again: so soon that a reader who was behind is caught up with. */
const againAfterMs = 10;
/** What comes while so many characters wait is lost: a disk may be full for long. */
const mostWaiting = 16_777_216;
/** A process that ends waits so long for a reader who is behind, */
const lastWaitMs = 2_000;
/** and so long for a write that is under way: what is written beside it would come before it, and might take its room. */
const underWayMs = 1_000;

/**
 * Writes a log to that descriptor. What cannot be written, since the disk is full or nobody reads it, ends no server: it
 * waits until there is room again, and then `onLost` is told how often there was none to wait in. (The destination of pino itself
 * writes without end when the process ends and nobody reads.)
 */
export function createLogWriter(descriptor: number, onLost: (times: number) => void): LogWriter {
  let waiting = '';
  let begun = Buffer.alloc(0);
  let state: 'idle' | 'writing' | 'failing' = 'idle';
  let lost = 0;

  function flush(): void {
    if (state === 'writing' || begun.length + waiting.length === 0) return;
    if (begun.length === 0) [begun, waiting] = [Buffer.from(waiting), ''];
    state = 'writing';
    write(descriptor, begun, (fault, written) => {
      state = fault === null ? 'idle' : 'failing';
      if (fault !== null) {
        setTimeout(flush, againAfterMs).unref();
        return;
      }
      begun = begun.subarray(written);
      const times = lost;
      lost = 0;
      if (times > 0) onLost(times);
      if (begun.length > 0 || waiting.length >= linesTogether) flush();
    });
  }

  setInterval(flush, latestAfterMs).unref();
  process.once('exit', () => {
    // What is being written needs no second hand, but its time: another thread writes it, which may not have begun. Here nobody
    // is told any more when it is done.
    if (state === 'writing') wait(underWayMs);
    writeNow(descriptor, Buffer.concat([...(state === 'writing' ? [] : [begun]), Buffer.from(waiting)]));
  });
  return {
    write: (lines) => {
      if (waiting.length >= mostWaiting) {
        lost += 1;
        return;
      }
      waiting += lines;
      if (waiting.length >= linesTogether && state === 'idle') flush();
    },
  };
}

/** Writes what there is room for; a reader who is behind gets some time. */
function writeNow(descriptor: number, bytes: Buffer): void {
  let rest = bytes;
  for (let waitedMs = 0; rest.length > 0 && waitedMs < lastWaitMs; ) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (fault) {
      if (!(fault instanceof Error && 'code' in fault && fault.code === 'EAGAIN')) return;
      wait(againAfterMs);
      waitedMs += againAfterMs;
    }
  }
}

const never = new Int32Array(new SharedArrayBuffer(4));

/** Stops this thread. */
function wait(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
