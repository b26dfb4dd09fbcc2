import { type ChildProcess, fork } from 'node:child_process';
import type { LetterFault, LetterOrder, LetterProof } from './letter-process.ts';

/** Sets letters as tagged PDF (PDF/UA-1). */
export type LetterPress = {
  /** The PDF, or why the letter cannot be set. Rejects when the press broke; the same letter can be set again. */
  set(data: string, at: number): Promise<Uint8Array | LetterFault>;
  close(): Promise<void>;
};

/** A child is replaced after so many letters: the typesetter keeps memory, and a crash in it takes nothing else along. */
const lettersPerChild = 500;
const setWithinMs = 30_000;
/** And one that has had nothing to do for so long gives its memory back. */
const idleMs = 60_000;

type Waiting = {
  readonly resolve: (set: Uint8Array | LetterFault) => void;
  readonly reject: (fault: Error) => void;
};
type Child = {
  readonly process: ChildProcess;
  readonly waiting: Map<number, Waiting>;
  readonly ended: PromiseWithResolvers<void>;
  taken: number;
  idle?: NodeJS.Timeout;
};

export type LetterPressOptions = {
  /** A folder of fonts (.ttf, .otf) for what the fonts that come along cannot show. */
  readonly fonts?: string | undefined;
  readonly perChild?: number;
};

/** Starts no child before the first letter; one that is idle does not keep the process alive. */
export function createLetterPress({ fonts, perChild = lettersPerChild }: LetterPressOptions = {}): LetterPress {
  const path = import.meta.filename.replace(/letter-press(\.[jt]s)$/, 'letter-process$1');
  const children = new Set<Child>();
  let present: Child | undefined;
  let number = 0;

  function start(): Child {
    const process = fork(path, fonts === undefined ? [] : [fonts], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
    });
    const child: Child = { process, waiting: new Map(), ended: Promise.withResolvers(), taken: 0 };
    children.add(child);
    process.on('message', (proof: LetterProof) => {
      child.waiting.get(proof.number)?.resolve(proof.pdf ?? proof.fault ?? 'not-set');
      child.waiting.delete(proof.number);
      if (child.waiting.size === 0) rest(child);
    });
    process.on('error', () => end(child));
    process.on('exit', () => end(child));
    return child;
  }

  /** A child in whose hands nothing is left ends: at once where it is replaced, else when nothing comes for a while. */
  function rest(child: Child): void {
    if (child !== present) child.process.kill();
    child.process.unref();
    child.process.channel?.unref();
    child.idle = setTimeout(() => end(child), idleMs).unref();
  }

  function wake(child: Child): void {
    clearTimeout(child.idle);
    child.process.ref();
    child.process.channel?.ref();
  }

  /** The one end of a child, whatever comes first: one that could not be started never exits. */
  function end(child: Child): void {
    if (!children.delete(child)) return;
    if (present === child) present = undefined;
    clearTimeout(child.idle);
    child.process.kill('SIGKILL');
    child.ended.resolve();
    for (const { reject } of child.waiting.values())
      reject(new Error('the typesetter ended before the letter was set'));
    child.waiting.clear();
  }

  return {
    set: async (data, at) => {
      if (present === undefined || present.taken >= perChild) {
        const old = present;
        present = start();
        if (old?.waiting.size === 0) old.process.kill();
      }
      const child = present;
      wake(child);
      child.taken += 1;
      number += 1;
      const order: LetterOrder = { number, data, at: Math.floor(at / 1_000) };
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | LetterFault>();
      child.waiting.set(order.number, { resolve, reject });
      const late = setTimeout(() => end(child), setWithinMs);
      // Without file handles left there is not even a channel.
      if (child.process.connected) child.process.send(order, (fault) => fault !== null && end(child));
      else end(child);
      return promise.finally(() => clearTimeout(late));
    },
    close: async () => {
      const all = [...children];
      for (const child of all) {
        wake(child);
        child.process.kill();
      }
      await Promise.all(all.map(({ ended }) => ended.promise));
    },
  };
}
