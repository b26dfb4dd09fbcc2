import type { Claim } from '../jobs/claim.ts';
import type { Read, Statement } from '../store/db.ts';

/** How many distinct wrong value sets about one subject are answered by looking. */
export type GuessLimits = { readonly inDay: number; readonly inMonth: number };

export const standardGuessLimits: GuessLimits = { inDay: 5, inMonth: 10 };

/** A wrong value set that was tried, as an HMAC, and when it was first tried. */
type Guess = { readonly tag: string; readonly at: number };

const dayMs = 86_400_000;
const monthMs = 30 * dayMs;
/** A guess that is older counts nowhere any more. */
export const longestGuessMs: number = monthMs;
/** Who set about telling a citizen has done so within this time, or has failed. */
const tellingMs = 60_000;

/** Whether the guesses of that moment leave room for another. */
export function hasRoom(guesses: readonly Guess[], now: number, { inDay, inMonth }: GuessLimits): boolean {
  const within = (ms: number) => guesses.filter(({ at }) => at > now - ms).length;
  return within(dayMs) < inDay && within(monthMs) < inMonth;
}

/** What is to be counted. */
export type Counting = {
  readonly subjects: readonly string[];
  readonly tag: string;
  /** The one of the subjects that stands for a citizen, who is told when it is spent. */
  readonly owner?: string | undefined;
  /** False for a question that would have been right: it is written as a wrong one is, and adds nothing. */
  readonly wrong?: boolean;
};

export type GuessBudget = {
  /** Runs `decide` alone among all questions of this process about these subjects: two guesses at once are two guesses. */
  alone<T>(subjects: readonly string[], decide: () => Promise<T>): Promise<T>;
  /** Whether all of the subjects have guesses left. */
  hasRoom(subjects: readonly string[], now: number): Promise<boolean>;
  /**
   * Counts a wrong value set, durable when it resolves. `untold`: the owner's budget is spent, and this caller is the one
   * to tell the owner of it, with `toldStatement` in the unit that does. Who does not is followed by a later guess.
   */
  count(counting: Counting, now: number): Promise<{ readonly untold: boolean }>;
};

/** The statement that keeps that the owner of this subject was told; belongs to the unit that carries the message. */
export function toldStatement(subject: string, now: number): Statement {
  return { sql: 'update guess_budget set told_at = $2 where subject = $1', args: [subject, now] };
}

type Budget = {
  readonly guesses: readonly Guess[];
  readonly version: number;
  readonly toldAt: number | null;
  readonly tellingAt: number | null;
};

/** The budgets of this database. */
export function createGuessBudget(read: Read, claim: Claim, limits: GuessLimits): GuessBudget {
  async function budgetOf(subject: string): Promise<Budget> {
    const sql = 'select guesses, version, told_at, telling_at from guess_budget where subject = $1';
    const [row] = await read(sql, [subject]);
    if (row === undefined) return { guesses: [], version: 0, toldAt: null, tellingAt: null };
    return {
      // Only `countOne` writes this column.
      guesses: JSON.parse(String(row['guesses'])) as Guess[],
      version: Number(row['version']),
      toldAt: numberOrNull(row['told_at']),
      tellingAt: numberOrNull(row['telling_at']),
    };
  }

  /** Always one write, whether the guess is new, repeated or over budget, so that the time tells none of them. */
  async function countOne(subject: string, { tag, owner, wrong = true }: Counting, now: number): Promise<boolean> {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const budget = await budgetOf(subject);
      const recent = budget.guesses.filter(({ at }) => at > now - monthMs);
      const isNew = wrong && hasRoom(recent, now, limits) && !recent.some((guess) => guess.tag === tag);
      const next = isNew ? [...recent, { tag, at: now }] : recent;
      const tells = subject === owner && wrong && !hasRoom(next, now, limits) && isUntold(next, budget, now);
      const rows = await claim({
        sql: `insert into guess_budget (subject, guesses, version, updated_at, telling_at) values ($1, $2, 1, $4, $5)
          on conflict (subject) do update set guesses = excluded.guesses, version = guess_budget.version + 1,
            updated_at = excluded.updated_at, telling_at = excluded.telling_at
          where guess_budget.version = $3 returning version`,
        args: [subject, JSON.stringify(next), budget.version, now, tells ? now : budget.tellingAt],
      });
      // No row: another process counted between reading and writing, so this one looks again.
      if (rows.length > 0) return tells;
    }
    throw new Error(
      'a guess could not be counted: other processes counted guesses about the same citizen all the time',
    );
  }

  return {
    alone: createAlone(),
    hasRoom: async (subjects, now) => {
      const found = await Promise.all(subjects.map(budgetOf));
      return found.every(({ guesses }) => hasRoom(guesses, now, limits));
    },
    count: async (counting, now) => {
      const told = await Promise.all(counting.subjects.map((subject) => countOne(subject, counting, now)));
      return { untold: told.includes(true) };
    },
  };
}

/** Whether nobody has told of the newest guess, and nobody is about to. */
function isUntold(guesses: readonly Guess[], { toldAt, tellingAt }: Budget, now: number): boolean {
  const newest = guesses.reduce((latest, { at }) => Math.max(latest, at), 0);
  const isTelling = tellingAt !== null && tellingAt >= newest && now - tellingAt < tellingMs;
  return !isTelling && (toldAt === null || toldAt < newest);
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function createAlone(): GuessBudget['alone'] {
  const waiting = new Map<string, Promise<unknown>>();
  return async (subjects, decide) => {
    const before = subjects.flatMap((subject) => waiting.get(subject) ?? []);
    const own = before.length === 0 ? decide() : Promise.all(before).then(decide);
    // Whoever comes next waits for the end of this one, good or bad.
    const ended = own.then(
      () => undefined,
      () => undefined,
    );
    for (const subject of subjects) waiting.set(subject, ended);
    try {
      return await own;
    } finally {
      for (const subject of subjects) if (waiting.get(subject) === ended) waiting.delete(subject);
    }
  };
}

const mostAttempts = 20;
