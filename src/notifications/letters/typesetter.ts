import { fork } from 'node:child_process';
import type { LetterFault, LetterOrder, LetterProof } from './letter-process.ts';

const setWithinMs = 30_000;
/** One that has had nothing to do for so long gives its memory back. */
const idleMs = 60_000;

/** The process that sets letters, one at a time: a letter that takes it along takes no other, and has its time alone. */
export type Typesetter = {
  /** Not called again before it settled. Rejects when the process ended, or was silent for too long. */
  set(order: LetterOrder): Promise<Uint8Array | LetterFault>;
  isOpen(): boolean;
  /** Resolves when the process is gone. */
  close(): Promise<void>;
};

/** Starts it; idle it does not keep this process alive, and ends by itself after a while. */
export function startTypesetter(fonts: string | undefined): Typesetter {
  const path = import.meta.filename.replace(/typesetter(\.[jt]s)$/, 'letter-process$1');
  const child = fork(path, fonts === undefined ? [] : [fonts], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  });
  const ended = Promise.withResolvers<void>();
  let open = true;
  let inHand: PromiseWithResolvers<Uint8Array | LetterFault> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** The one end, whatever comes first: a process that could not be started never exits. */
  function end(): void {
    open = false;
    clearTimeout(timer);
    child.kill('SIGKILL');
    ended.resolve();
    inHand?.reject(new Error('the typesetter ended before the letter was set'));
    inHand = undefined;
  }

  function wake(): void {
    clearTimeout(timer);
    child.ref();
    child.channel?.ref();
  }

  child.on('message', ({ pdf, fault = 'not-set', broken }: LetterProof) => {
    if (broken === undefined) inHand?.resolve(pdf ?? fault);
    else inHand?.reject(new Error(`no letter can be set on this machine: ${broken}`));
    inHand = undefined;
    // The next one may find what this one has missed.
    if (broken !== undefined) return end();
    clearTimeout(timer);
    timer = setTimeout(end, idleMs).unref();
    child.unref();
    child.channel?.unref();
  });
  child.on('error', end);
  child.on('exit', end);
  return {
    set: (order) => {
      const set = Promise.withResolvers<Uint8Array | LetterFault>();
      inHand = set;
      wake();
      timer = setTimeout(end, setWithinMs);
      // Without file handles left there is not even a channel.
      if (child.connected) child.send(order, (fault) => fault !== null && end());
      else end();
      return set.promise;
    },
    isOpen: () => open,
    close: () => {
      wake();
      child.kill();
      return ended.promise;
    },
  };
}
