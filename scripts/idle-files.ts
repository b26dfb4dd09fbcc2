import type { run } from 'node:test';

const lookEveryMs = 1_000;

/**
 * Watches the files of a run: one that has begun and in which no test has been at work for so long is kept alive by something
 * that its tests have left. Gives what tells those. The run is stopped when it waits for nothing else.
 */
export function watchFiles(
  events: ReturnType<typeof run>,
  { silentMs, stop }: { readonly silentMs: number; readonly stop: () => void },
): () => string[] {
  const begun = new Map<string, { open: number; since: number }>();
  let stopped = false;
  const note = (file: string | undefined, more: 1 | -1) => {
    const seen = begun.get(file ?? '');
    if (seen === undefined) return;
    seen.open += more;
    seen.since = performance.now();
  };
  // The process of a file is a test by the name of the file.
  events.on('test:dequeue', ({ name, file }) => {
    if (name === file) begun.set(name, { open: 0, since: performance.now() });
  });
  events.on('test:enqueue', ({ name, file }) => {
    if (name !== file) note(file, 1);
  });
  events.on('test:complete', ({ name, file }) => {
    if (name !== file) note(file, -1);
    else if (!stopped) begun.delete(name);
  });
  const idle = () => {
    const now = performance.now();
    return [...begun].flatMap(([file, { open, since }]) => (open === 0 && now - since >= silentMs ? [file] : []));
  };
  setInterval(() => {
    if (stopped || begun.size === 0 || idle().length < begun.size) return;
    stopped = true;
    stop();
  }, lookEveryMs).unref();
  return idle;
}
