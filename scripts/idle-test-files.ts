import type { run } from 'node:test';

const checkIntervalMs = 1_000;

/**
 * Watches the processes of a test run, each named by its first file. If no test of a started process runs for `silentMs`, a
 * leftover of its tests keeps it alive, such as an open socket. Returns a function that lists these processes. Calls `stop` when
 * the run waits only for such processes. `processOf` returns the process of a test file.
 */
export function watchIdleFiles(
  events: ReturnType<typeof run>,
  {
    silentMs,
    stop,
    processOf,
  }: { readonly silentMs: number; readonly stop: () => void; readonly processOf: (file: string) => string },
): () => string[] {
  const startedFiles = new Map<string, { open: number; since: number }>();
  let isStopped = false;
  const updateOpenTests = (file: string | undefined, change: 1 | -1) => {
    const seen = startedFiles.get(processOf(file ?? ''));
    if (seen === undefined) return;
    seen.open += change;
    seen.since = performance.now();
  };
  // The process of a file is itself a test, named after the file.
  events.on('test:dequeue', ({ name, file }) => {
    if (name === file) startedFiles.set(name, { open: 0, since: performance.now() });
  });
  events.on('test:enqueue', ({ name, file }) => {
    if (name !== file) updateOpenTests(file, 1);
  });
  events.on('test:complete', ({ name, file }) => {
    if (name !== file) updateOpenTests(file, -1);
    else if (!isStopped) startedFiles.delete(name);
  });
  const idle = () => {
    const now = performance.now();
    return [...startedFiles].flatMap(([file, { open, since }]) =>
      open === 0 && now - since >= silentMs ? [file] : [],
    );
  };
  setInterval(() => {
    if (isStopped || startedFiles.size === 0 || idle().length < startedFiles.size) return;
    isStopped = true;
    stop();
  }, checkIntervalMs).unref();
  return idle;
}
