/**
 * Loaded before a server by `hurrying`: pauses of the lengths in its URL are short, and with `soon` those that a start draws
 * (`soonMs`), which are no whole milliseconds. What is done every so many milliseconds, is done five times as often.
 */
const { setTimeout: real, setInterval: realEvery } = globalThis;
const { searchParams } = new URL(import.meta.url);
const hurried = new Set(searchParams.getAll('ms').map(Number));
const often = new Set(searchParams.getAll('every').map(Number));
const isHurried = (ms = 0) => hurried.has(ms) || (searchParams.has('soon') && ms > 2_000 && !Number.isInteger(ms));

globalThis.setTimeout = new Proxy(real, {
  apply: (target, self, [call, ms, ...more]: Parameters<typeof real>) =>
    Reflect.apply(target, self, [call, isHurried(ms) ? 200 : ms, ...more]),
});

globalThis.setInterval = new Proxy(realEvery, {
  apply: (target, self, [call, ms = 0, ...more]: Parameters<typeof realEvery>) =>
    Reflect.apply(target, self, [call, often.has(ms) ? ms / 5 : ms, ...more]),
});
