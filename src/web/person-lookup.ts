import { createLruCache } from '../kernel/lru-cache.ts';

/** The facts about a signed-in citizen that the frame of each page shows, and the language stated for messages. */
export type PersonLookup = (citizenId: string) => Promise<{
  readonly name: string | undefined;
  readonly statedLanguage: string | undefined;
  readonly unreadCount: number;
}>;

type PersonLookupDeps = {
  /** The name in the register; undefined if the register has none. */
  readonly nameOf: (citizenId: string) => Promise<string | undefined>;
  readonly statedLanguageOf: (citizenId: string) => Promise<string | undefined>;
  readonly unreadCountOf: (citizenId: string) => Promise<number>;
  onFault(fault: unknown): void;
  /** Monotonic milliseconds; `performance.now` by default. */
  readonly stopwatch?: () => number;
};

/** An external register is asked for a name once in this time, and names stay in memory no longer than twice this time. */
const namesMaxAgeMs = 60_000;
const maxNames = 1_000;

/**
 * Looks up what the frame of a page says about its citizen. A register that does not answer costs a page only the name. The look-up has
 * no event of its own: the operation of the page records that the citizen was here.
 */
export function createPersonLookup(deps: PersonLookupDeps): PersonLookup {
  const { nameOf, statedLanguageOf, unreadCountOf, onFault, stopwatch = () => performance.now() } = deps;
  const names = createLruCache<{ readonly name: string | undefined; readonly readAt: number }>(maxNames);
  let evictedAt = stopwatch();

  async function nameInRegister(citizenId: string): Promise<string | undefined> {
    const now = stopwatch();
    if (now - evictedAt > namesMaxAgeMs) {
      names.evictUnused();
      evictedAt = now;
    }
    const known = names.get(citizenId);
    if (known !== undefined && now - known.readAt < namesMaxAgeMs) return known.name;
    const name = await nameOf(citizenId).catch((fault: unknown) => {
      onFault(fault);
      return undefined;
    });
    names.set(citizenId, { name, readAt: now });
    return name;
  }

  return async (citizenId) => {
    const [name, statedLanguage, unreadCount] = await Promise.all([
      nameInRegister(citizenId),
      statedLanguageOf(citizenId),
      unreadCountOf(citizenId),
    ]);
    return { name, statedLanguage, unreadCount };
  };
}
