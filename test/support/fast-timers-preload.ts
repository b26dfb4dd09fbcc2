/**
 * Loaded before a server by `withFastTimers`: timeouts whose length is in its URL take 200 ms. With `soon`, so do the random
 * delays of a start (`soonMs`), which are no whole milliseconds.
 */
const { setTimeout: originalSetTimeout } = globalThis;
const { searchParams } = new URL(import.meta.url);
const shortenedMs = new Set(searchParams.getAll('ms').map(Number));
const isShortened = (ms = 0) =>
  shortenedMs.has(ms) || (searchParams.has('soon') && ms > 2_000 && !Number.isInteger(ms));

globalThis.setTimeout = new Proxy(originalSetTimeout, {
  apply: (target, self, [call, ms, ...more]: Parameters<typeof originalSetTimeout>) =>
    Reflect.apply(target, self, [call, isShortened(ms) ? 200 : ms, ...more]),
});
