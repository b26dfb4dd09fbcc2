/**
 * Loaded before a server by `hurrying`: pauses of the lengths in its URL are short, and with `soon` those that a start draws
 * (`soonMs`), which are no whole milliseconds. What is done every so many milliseconds, is done five times as often behind a first
 * SIGUSR1, and as before behind a second; and what is done each `never` ms, not at all.
 */
const { setTimeout: originalSetTimeout, setInterval: originalSetInterval } = globalThis;
const { searchParams } = new URL(import.meta.url);
const shortenedMs = new Set(searchParams.getAll('ms').map(Number));
const togglableMs = new Set(searchParams.getAll('every').map(Number));
const disabledMs = new Set(searchParams.getAll('never').map(Number));
/** As long as a timer can be. */
const foreverMs = 2 ** 31 - 1;
let isFast = false;
if (togglableMs.size > 0) process.on('SIGUSR1', () => (isFast = !isFast));
const isShortened = (ms = 0) =>
  shortenedMs.has(ms) || (searchParams.has('soon') && ms > 2_000 && !Number.isInteger(ms));

globalThis.setTimeout = new Proxy(originalSetTimeout, {
  apply: (target, self, [call, ms, ...more]: Parameters<typeof originalSetTimeout>) =>
    Reflect.apply(target, self, [call, isShortened(ms) ? 200 : ms, ...more]),
});

globalThis.setInterval = new Proxy(originalSetInterval, {
  apply: (target, self, [call, ms = 0, ...more]: Parameters<typeof originalSetInterval>) => {
    if (!togglableMs.has(ms)) return Reflect.apply(target, self, [call, disabledMs.has(ms) ? foreverMs : ms, ...more]);
    let fifths = 0;
    const callOften = (...given: unknown[]) => {
      fifths += 1;
      if (isFast || fifths % 5 === 0) Reflect.apply(call, undefined, given);
    };
    return Reflect.apply(target, self, [callOften, ms / 5, ...more]);
  },
});
