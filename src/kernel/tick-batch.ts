/**
 * Lets all who come in one turn of the event loop go on together, behind it. They then take each step side by side, since
 * every `await` lets the next one take its own. Requests that run from end to end, one after the other, cost a third
 * more, or above that: docs/adr, `what-comes-at-once`.
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
