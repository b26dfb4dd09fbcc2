/**
 * Lets all who come in one turn of the event loop go on together, behind it. They then take each step side by side, since
 * every `await` lets the next one take its own. Requests that run from end to end, one after the other, cost a third
 * more, or above that: docs/adr, `what-comes-at-once`.
 */
export function createCohort(): () => Promise<void> {
  let waiting: (() => void)[] = [];
  function leave(): void {
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(leave);
    });
}
