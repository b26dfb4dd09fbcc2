import pino from 'pino';

/** Receives whole lines, each with its line feed. */
export type LogDestination = { write(lines: string): void };

/** Lines are written together, because one write for each line costs a request a tenth of its time. */
const batchBytes = 12_288;
const flushEveryMs = 100;
const retryMs = 10;
/** Lines are dropped while this many bytes wait, for instance on a full disk. */
const maxPendingBytes = 16_777_216;
const exitTimeoutMs = 2_000;

/** Writes lines to a file descriptor. If it is full or slow, up to 16 MiB wait; `onDropped` receives the number of lost lines. */
export function openLogDestination(descriptor: number, onDropped: (count: number) => void): LogDestination {
  let exitDeadline: number | undefined;
  let isRetryScheduled = false;
  let dropped = 0;
  const destination = pino.destination({
    dest: descriptor,
    // Asynchronous destinations of pino never return from the flush at exit when the reader is gone (sonic-boom 4.2). A synchronous
    // write does not block, because Node.js opens the pipe of standard error as non-blocking.
    sync: true,
    minLength: batchBytes,
    maxLength: maxPendingBytes,
    periodicFlush: flushEveryMs,
    retryEAGAIN: () => exitDeadline !== undefined && performance.now() < exitDeadline,
  });
  // The destination keeps the lines of a failed write, except after EPIPE: nobody can read them any more.
  destination.on('error', () => {
    if (isRetryScheduled) return;
    isRetryScheduled = true;
    setTimeout(() => {
      isRetryScheduled = false;
      destination.flush();
    }, retryMs).unref();
  });
  destination.on('drop', () => {
    dropped += 1;
  });
  destination.on('drain', () => {
    const count = dropped;
    dropped = 0;
    if (count > 0) onDropped(count);
  });
  process.once('exit', () => {
    exitDeadline = performance.now() + exitTimeoutMs;
    // A flush stops when less than a batch is left.
    destination.flush();
    destination.flush();
  });
  return destination;
}
