/**
 * `withFastTimers` loads it before a server. Timeouts of the lengths in the URL of this module take 200 ms. With `soon`, the
 * random delays of a start (`soonMs`) do too; they are recognised because they are not whole milliseconds.
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
