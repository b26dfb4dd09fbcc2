import type { Clock } from '../../kernel/clock.ts';

/** Whether urgent messages came in the last second, on any channel. */
export type Urgency = { came(): void; lasts(): boolean };

const urgentForMs = 1_000;

/** Nothing urgent has come yet. A clock that is set back ends it, as the last second is then not known. */
export function createUrgency(clock: Clock): Urgency {
  let cameAt = Number.NEGATIVE_INFINITY;
  return {
    came: () => {
      cameAt = clock.now();
    },
    lasts: () => {
      const ago = clock.now() - cameAt;
      return ago >= 0 && ago < urgentForMs;
    },
  };
}
