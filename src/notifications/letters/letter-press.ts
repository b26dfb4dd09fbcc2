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

type Waiting = {
  readonly resolve: (set: Uint8Array | LetterFault) => void;
  readonly reject: (fault: Error) => void;
};
type Child = {
  readonly process: ChildProcess;
  readonly waiting: Map<number, Waiting>;
  readonly ended: PromiseWithResolvers<void>;
  taken: number;
};

/** Starts no child before the first letter. */
export function createLetterPress({ perChild = lettersPerChild } = {}): LetterPress {
  const path = import.meta.filename.replace(/letter-press(\.[jt]s)$/, 'letter-process$1');
  const children = new Set<Child>();
  let present: Child | undefined;
  let number = 0;

  function start(): Child {
    const process = fork(path, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
    });
    const child: Child = { process, waiting: new Map(), ended: Promise.withResolvers(), taken: 0 };
    children.add(child);
    process.on('message', (proof: LetterProof) => {
      child.waiting.get(proof.number)?.resolve(proof.pdf ?? proof.fault ?? 'not-set');
      child.waiting.delete(proof.number);
      if (child !== present && child.waiting.size === 0) process.kill();
    });
    process.on('error', () => end(child));
    process.on('exit', () => end(child));
    return child;
  }

  /** The one end of a child, whatever comes first: one that could not be started never exits. */
  function end(child: Child): void {
    if (!children.delete(child)) return;
    if (present === child) present = undefined;
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
      for (const { process } of all) process.kill();
      await Promise.all(all.map(({ ended }) => ended.promise));
    },
  };
}
