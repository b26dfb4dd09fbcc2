import { type Clock, elapsedMs } from '../kernel/clock.ts';
import type { Publisher } from './publisher.ts';
import type { Sequencer } from './sequencer.ts';

type SequencerLoopDeps = {
  readonly sequencer: Sequencer;
  readonly publisher: Publisher;
  readonly clock: Clock;
  /** Calls `call` once after `delayMs`; returns a function that cancels it. */
  readonly timer: (delayMs: number, call: () => void) => () => void;
  /** A step that numbered this many events means that more are waiting. */
  readonly batchLimit: number;
  onFault(fault: unknown): void;
};

/** The longest wait before new events are found, and how often a tree is signed while they arrive. */
const idleMs = 100;
/** While events arrive, a few are numbered often: large batches would block the requests of this process. */
const busyMs = 20;
/** How often a process that does not lead checks whether it can. */
const followerPollMs = 250;
const faultPauseMs = 1_000;

/** Numbers and signs until it is stopped, while this process leads: batch after batch while there are events, otherwise at intervals. */
export function runSequencer(deps: SequencerLoopDeps) {
  const { sequencer, publisher, clock, timer } = deps;
  let stopping = false;
  let wake: () => void = () => undefined;
  let publishedAt = Number.NEGATIVE_INFINITY;

  async function round(): Promise<number> {
    const numbered = await sequencer.step();
    if (numbered === undefined) return followerPollMs;
    const tree = sequencer.tree();
    if (tree !== undefined && (numbered === 0 || elapsedMs(publishedAt, clock) >= idleMs)) {
      await publisher.publish(tree);
      publishedAt = clock.now();
    }
    if (numbered >= deps.batchLimit) return 0;
    return numbered === 0 ? idleMs : busyMs;
  }

  async function loop(): Promise<void> {
    while (!stopping) {
      let sleepMs: number;
      try {
        sleepMs = await round();
      } catch (fault) {
        deps.onFault(fault);
        sleepMs = faultPauseMs;
      }
      if (stopping) return;
      await new Promise<void>((resolve) => {
        const cancel = timer(sleepMs, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    }
  }

  const running = loop();
  return {
    stop: async () => {
      stopping = true;
      wake();
      await running;
    },
  };
}
