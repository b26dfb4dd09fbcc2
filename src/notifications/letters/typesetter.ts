import { fork } from 'node:child_process';
import type { LetterFault, RenderRequest, RenderResult } from './letter-process.ts';

const renderTimeoutMs = 30_000;
/** An idle process ends after this time, to free its memory. */
const idleTimeoutMs = 60_000;

/**
 * The process that renders letters, one at a time. A letter that crashes the process harms no other letter, and the time
 * limit counts for that letter alone.
 */
export type Typesetter = {
  /** Must not be called again before it has settled. Rejects if the process ended or did not answer in time. */
  render(request: RenderRequest): Promise<Uint8Array | LetterFault>;
  isOpen(): boolean;
  /** Resolves when the process has ended. */
  close(): Promise<void>;
};

/** No letter can be rendered now: the process failed, is busy, or was closed. */
export class TypesetterUnavailable extends Error {
  override readonly name = 'TypesetterUnavailable';
}

/** The folders of the operator: fonts (.ttf, .otf) for characters that the bundled fonts do not have, and logos (.svg, .png). */
export type TypesetterFolders = { readonly fonts?: string | undefined; readonly logos?: string | undefined };

/** Starts the process. While it is idle it does not keep this process alive, and it ends after a minute. */
export function startTypesetter({ fonts = '', logos = '' }: TypesetterFolders): Typesetter {
  const path = import.meta.filename.replace(/typesetter(\.[jt]s)$/, 'letter-process$1');
  const child = fork(path, [fonts, logos], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  });
  const ended = Promise.withResolvers<void>();
  let open = true;
  let pending: PromiseWithResolvers<Uint8Array | LetterFault> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Ends everything once. Called for `error` too, because a process that could not be started emits no `exit`. */
  function end(): void {
    open = false;
    clearTimeout(timer);
    child.kill('SIGKILL');
    ended.resolve();
    pending?.reject(new TypesetterUnavailable('the typesetter ended before the letter was rendered'));
    pending = undefined;
  }

  function keepAlive(): void {
    clearTimeout(timer);
    child.ref();
    child.channel?.ref();
  }

  child.on('message', ({ pdf, fault = 'not-set', broken }: RenderResult) => {
    if (broken === undefined) pending?.resolve(pdf ?? fault);
    else pending?.reject(new TypesetterUnavailable(`no letter can be rendered on this machine: ${broken}`));
    pending = undefined;
    // End this process: a new one may find the missing library.
    if (broken !== undefined) return end();
    clearTimeout(timer);
    timer = setTimeout(end, idleTimeoutMs).unref();
    child.unref();
    child.channel?.unref();
  });
  child.on('error', end);
  child.on('exit', end);
  return {
    render: (request) => {
      const result = Promise.withResolvers<Uint8Array | LetterFault>();
      pending = result;
      keepAlive();
      timer = setTimeout(end, renderTimeoutMs);
      // If no file descriptors were left, the process has no channel.
      if (child.connected) child.send(request, (fault) => fault !== null && end());
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
