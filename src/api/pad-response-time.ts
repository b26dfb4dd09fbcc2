import { systemTimer, type Timer } from '../jobs/timer.ts';

/** `intervalMs` of 0 adds no wait. `stopwatch` returns monotonic milliseconds. */
type ResponsePaddingOptions = {
  readonly intervalMs: number;
  readonly stopwatch: () => number;
  readonly timer: Timer;
};

/** `start` is called when a request arrives. The function that it returns waits for the next multiple of the interval. */
type ResponsePadding = { start(): () => Promise<void> };

/**
 * Hides how long a request took: its response is sent only at whole multiples of the interval after the request arrived.
 */
export function createResponsePadding({ intervalMs, stopwatch, timer }: ResponsePaddingOptions): ResponsePadding {
  return {
    start: () => {
      const startedAt = stopwatch();
      return async () => {
        if (intervalMs <= 0) return;
        const intervals = Math.floor((stopwatch() - startedAt) / intervalMs) + 1;
        const dueAt = startedAt + intervals * intervalMs;
        // A timer counts whole milliseconds from the start of the current turn of the event loop. So it can fire early, by a time
        // that depends on the work. The loop sets the timer again until the interval is over, so the response time does not show it.
        for (let leftMs = dueAt - stopwatch(); leftMs > 0; leftMs = dueAt - stopwatch())
          await new Promise<void>((resolve) => timer(Math.ceil(leftMs), resolve));
      };
    },
  };
}

/**
 * Pads responses with status 404: "does not exist" costs less work than "exists, but belongs to somebody else", because the
 * second refusal is recorded. The caller must not see the difference (test/attacks/object-access.test.ts).
 */
export const notFoundPadding: ResponsePadding = createResponsePadding({
  intervalMs: 5,
  stopwatch: () => performance.now(),
  timer: systemTimer,
});
