/**
 * A barrier: all callers of one tick of the event loop resume together after it, in order of their calls. They then take each
 * step side by side, so that a group commit collects their writes. Without it a request costs a third more under load
 * (docs/contribute/decisions/0005-decide-then-group-commit.md).
 */
export function createTickBatch(): () => Promise<void> {
  let waiting: (() => void)[] = [];
  function releaseAll(): void {
    const all = waiting;
    waiting = [];
    for (const resume of all) resume();
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(releaseAll);
    });
}
