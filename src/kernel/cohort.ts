/**
 * Lets all who come in one turn of the event loop go on together, behind it. They then take each step side by side, since
 * every `await` lets the next one take its own: the code of a step is in the processor's caches for all of them. One
 * request that runs from end to end finds them filled by the end of the one before: it costs a third more.
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
