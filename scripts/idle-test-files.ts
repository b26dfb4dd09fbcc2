import type { run } from 'node:test';

const checkIntervalMs = 1_000;

/**
 * Watches the files of a run: one that has begun and in which no test has been at work for so long is kept alive by something
 * that its tests have left. Gives what tells those. The run is stopped when it waits for nothing else.
 */
export function watchIdleFiles(
  events: ReturnType<typeof run>,
  { silentMs, stop }: { readonly silentMs: number; readonly stop: () => void },
): () => string[] {
  const startedFiles = new Map<string, { open: number; since: number }>();
  let stopped = false;
  const updateOpenTests = (file: string | undefined, more: 1 | -1) => {
    const seen = startedFiles.get(file ?? '');
    if (seen === undefined) return;
    seen.open += more;
    seen.since = performance.now();
  };
  // The process of a file is a test by the name of the file.
  events.on('test:dequeue', ({ name, file }) => {
    if (name === file) startedFiles.set(name, { open: 0, since: performance.now() });
  });
  events.on('test:enqueue', ({ name, file }) => {
    if (name !== file) updateOpenTests(file, 1);
  });
  events.on('test:complete', ({ name, file }) => {
    if (name !== file) updateOpenTests(file, -1);
    else if (!stopped) startedFiles.delete(name);
  });
  const idle = () => {
    const now = performance.now();
    return [...startedFiles].flatMap(([file, { open, since }]) =>
      open === 0 && now - since >= silentMs ? [file] : [],
    );
  };
  setInterval(() => {
    if (stopped || startedFiles.size === 0 || idle().length < startedFiles.size) return;
    stopped = true;
    stop();
  }, checkIntervalMs).unref();
  return idle;
}
