/**
 * Loaded before a server: what it does every ten minutes or seconds it does at once and again and again, so that a test of the whole
 * program sees it. No call is limited to just so long.
 */
const { setTimeout: real } = globalThis;

globalThis.setTimeout = new Proxy(real, {
  apply: (target, self, [call, ms, ...more]: Parameters<typeof real>) =>
    Reflect.apply(target, self, [call, ms === 600_000 || ms === 10_000 ? 200 : ms, ...more]),
});
