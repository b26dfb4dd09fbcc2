import { fork } from 'node:child_process';
import type { LetterFault, RenderRequest, RenderResult } from './letter-process.ts';

const renderTimeoutMs = 30_000;
/** One that has had nothing to do for so long gives its memory back. */
const idleTimeoutMs = 60_000;

/** The process that sets letters, one at a time: a letter that takes it along takes no other, and has its time alone. */
export type Typesetter = {
  /** Not called again before it settled. Rejects when the process ended, or was silent for too long. */
  render(order: RenderRequest): Promise<Uint8Array | LetterFault>;
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
  let pending: PromiseWithResolvers<Uint8Array | LetterFault> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** The one end, whatever comes first: a process that could not be started never exits. */
  function end(): void {
    open = false;
    clearTimeout(timer);
    child.kill('SIGKILL');
    ended.resolve();
    pending?.reject(new Error('the typesetter ended before the letter was set'));
    pending = undefined;
  }

  function keepAlive(): void {
    clearTimeout(timer);
    child.ref();
    child.channel?.ref();
  }

  child.on('message', ({ pdf, fault = 'not-set', broken }: RenderResult) => {
    if (broken === undefined) pending?.resolve(pdf ?? fault);
    else pending?.reject(new Error(`no letter can be set on this machine: ${broken}`));
    pending = undefined;
    // The next one may find what this one has missed.
    if (broken !== undefined) return end();
    clearTimeout(timer);
    timer = setTimeout(end, idleTimeoutMs).unref();
    child.unref();
    child.channel?.unref();
  });
  child.on('error', end);
  child.on('exit', end);
  return {
    render: (order) => {
      const result = Promise.withResolvers<Uint8Array | LetterFault>();
      pending = result;
      keepAlive();
      timer = setTimeout(end, renderTimeoutMs);
      // Without file handles left there is not even a channel.
      if (child.connected) child.send(order, (fault) => fault !== null && end());
      else end();
      return result.promise;
    },
    isOpen: () => open,
    close: () => {
      keepAlive();
      child.kill();
      return ended.promise;
    },
  };
}
