import type { run } from 'node:test';

const checkIntervalMs = 1_000;

/**
 * Watches the files of a test run. If no test of a started file runs for `silentMs`, a leftover of its tests keeps the process
 * alive, such as an open socket. Returns a function that lists these files. Calls `stop` when the run waits only for such files.
 */
export function watchIdleFiles(
  events: ReturnType<typeof run>,
  { silentMs, stop }: { readonly silentMs: number; readonly stop: () => void },
): () => string[] {
  const startedFiles = new Map<string, { open: number; since: number }>();
  let isStopped = false;
  const updateOpenTests = (file: string | undefined, change: 1 | -1) => {
    const seen = startedFiles.get(file ?? '');
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
