import type { Clock } from '../../kernel/clock.ts';

/** Whether urgent messages came in the last second, on any channel. */
export type UrgentPriority = { noteUrgent(): void; isActive(): boolean };

const urgentForMs = 1_000;

/** Nothing urgent has come yet. A clock that is set back ends it, as the last second is then not known. */
export function createUrgentPriority(clock: Clock): UrgentPriority {
  let lastUrgentAt = Number.NEGATIVE_INFINITY;
  return {
    noteUrgent: () => {
      lastUrgentAt = clock.now();
    },
    isActive: () => {
      const ago = clock.now() - lastUrgentAt;
      return ago >= 0 && ago < urgentForMs;
    },
  };
}
