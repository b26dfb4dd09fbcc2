import type { Claim } from '../jobs/claim.ts';
import type { Read, Statement } from '../store/db.ts';
import { createMultiRow } from '../store/multi-row.ts';
import { textField, wholeField, wholeOrNull } from '../store/row-fields.ts';

/** How many distinct wrong value sets about one subject are answered by looking. */
export type GuessLimits = { readonly inDay: number; readonly inMonth: number };

export const standardGuessLimits: GuessLimits = { inDay: 5, inMonth: 10 };

/** A wrong value set that was tried, as an HMAC, when it was first tried, and until when that is hidden from its citizen. */
type Guess = { readonly tag: string; readonly at: number; readonly until?: number };

const dayMs = 86_400_000;
const monthMs = 30 * dayMs;
/** A guess that is older counts nowhere any more. */
export const longestGuessMs: number = monthMs;
/** Who set about telling a citizen has done so within this time, or has failed. */
const tellingMs = 60_000;

/** Whether the guesses of that moment leave room for another. */
export function hasRoom(guesses: readonly Guess[], now: number, { inDay, inMonth }: GuessLimits): boolean {
  return guessesWithin(guesses, now, dayMs).length < inDay && guessesWithin(guesses, now, monthMs).length < inMonth;
}

/** In either direction: what was guessed while the clock was ahead would count until it has come there again. */
function guessesWithin(guesses: readonly Guess[], now: number, ms: number): readonly Guess[] {
  return guesses.filter(({ at }) => Math.abs(now - at) < ms);
}

/** Until when the last of them is hidden; `now` where none is. */
function lastHidden(guesses: readonly Guess[], now: number): number {
  return guesses.reduce((last, { until = now }) => Math.max(last, until), now);
}

/** What is to be counted. */
export type Counting = {
  readonly subjects: readonly string[];
  readonly tag: string;
  /** The one of the subjects of which the citizen is told when it is spent. */
  readonly told: string;
  /** False for what adds nothing, and is written all the same: a right question, or any over budget. */
  readonly wrong: boolean;
  /** Until when this question is hidden from its citizen. */
  readonly hiddenUntil?: number | undefined;
};

/** The budgets of some subjects as they stood at a look, and when that was. */
export type Seen = { readonly budgets: ReadonlyMap<string, Budget>; readonly hasRoom: boolean; readonly now: number };

/**
 * What became of a count: whether every subject still had room for it, whether this caller is to tell the citizen, and until when
 * one of the guesses that count is hidden: what follows from it would tell of it.
 */
export type Counted = { readonly hadRoom: boolean; readonly untold: boolean; readonly hiddenUntil: number | undefined };

export type GuessBudget = {
  /**
   * Runs `decide` alone among all questions of this thread about these subjects: two guesses at once are two guesses.
   * `waited`: others were before, and what was seen earlier may be old.
   */
  alone<T>(subjects: readonly string[], decide: (waited: boolean) => Promise<T>): Promise<T>;
  /** What was guessed about these subjects, and whether all of them have guesses left. */
  look(subjects: readonly string[], now: number): Promise<Seen>;
  /**
   * Counts a wrong value set, durable when it resolves. `untold`: `told` is spent, and this caller is the one to tell the
   * citizen of it, with `toldStatement` in the unit that does. Who does not is followed by a later question.
   */
  count(counting: Counting, seen: Seen): Promise<Counted>;
};

/** The statement that keeps that the owner of this subject was told; belongs to the unit that carries the message. */
export function toldStatement(subject: string, now: number): Statement {
  return { sql: 'update guess_budget set told_at = $2 where subject = $1', args: [subject, now] };
}

/**
 * The statements that have a unit refused (`rows`) when another guess was counted since that look: whoever was right may
 * not be told so once the budget is spent, by whatever process. They lock the row and change nothing. Of a subject about which
 * nobody has guessed wrong there is none, so that the usual question costs nothing: that many guesses more than the limit may
 * be looked at as threads and processes, beyond five, answer the very first ones at the same instant. By their order, like `count`.
 */
export function unchangedSince({ budgets }: Seen): Statement[] {
  const sql = 'update guess_budget set guesses = guesses where subject = $1 and guesses = $2 returning subject';
  return [...budgets]
    .filter(([, { guesses }]) => guesses.length > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([subject, { text }]) => ({ sql, args: [subject, text], rows: 1 }));
}

type Budget = {
  readonly guesses: readonly Guess[];
  /** The guesses as they are stored. */
  readonly text: string;
  readonly version: number;
  readonly toldAt: number | null;
  readonly tellingAt: number | null;
};

const noBudget: Budget = { guesses: [], text: '[]', version: 0, toldAt: null, tellingAt: null };

/** A row that another process wrote between the look and this statement is not among those that it returns. */
const upserts = createMultiRow(
  'insert into guess_budget (subject, guesses, version, updated_at, telling_at) values',
  5,
  `on conflict (subject) do update set guesses = excluded.guesses, version = excluded.version,
    updated_at = excluded.updated_at, telling_at = excluded.telling_at
  where guess_budget.version = excluded.version - 1 returning subject`,
);

/** The budgets of this database. */
export function createGuessBudget(read: Read, claim: Claim, limits: GuessLimits): GuessBudget {
  async function budgetOf(subject: string): Promise<Budget> {
    const sql = 'select guesses, version, told_at, telling_at from guess_budget where subject = $1';
    const [row] = await read(sql, [subject]);
    if (row === undefined) return noBudget;
    const text = textField(row, 'guesses');
    return {
      // Only `count` writes this column.
      guesses: JSON.parse(text) as Guess[],
      text,
      version: wholeField(row, 'version'),
      toldAt: wholeOrNull(row, 'told_at'),
      tellingAt: wholeOrNull(row, 'telling_at'),
    };
  }

  async function look(subjects: readonly string[], now: number): Promise<Seen> {
    const budgets = new Map(
      await Promise.all(subjects.map(async (subject) => [subject, await budgetOf(subject)] as const)),
    );
    return { budgets, hasRoom: [...budgets.values()].every(({ guesses }) => hasRoom(guesses, now, limits)), now };
  }

  /**
   * The last guesses, whatever their age: by a clock that is ahead all are old, and count again when it is right. So many that a
   * month's stay beside those of a month that the clock leapt to.
   */
  function keptOf({ guesses }: Budget, more: readonly Guess[]): readonly Guess[] {
    return [...guesses, ...more].slice(-2 * limits.inMonth);
  }

  /** One budget with a value set counted, new or not. */
  function counted(budget: Budget, { tag, wrong, hiddenUntil }: Counting, now: number) {
    const recent = guessesWithin(budget.guesses, now, monthMs);
    const hadRoom = hasRoom(recent, now, limits);
    const isNew = wrong && hadRoom && !recent.some((guess) => guess.tag === tag);
    const more: readonly Guess[] = isNew
      ? [{ tag, at: now, ...(hiddenUntil === undefined ? {} : { until: hiddenUntil }) }]
      : [];
    const next = [...recent, ...more];
    const untold = !hasRoom(next, now, limits) && isUntold(next, budget, now);
    return { kept: keptOf(budget, more), hadRoom, untold, budget, next };
  }

  /**
   * Always as many rows, whether the guess is new, repeated or over budget, so that the time tells none of them. By their
   * order, so that two processes that count at once do not hold what the other waits for.
   */
  async function count(counting: Counting, { budgets, now }: Seen): Promise<Counted> {
    let left = [...new Set(counting.subjects)].sort();
    let found = budgets;
    let [hadRoom, untold] = [true, false];
    // Of subjects too that are only looked at: by one of them there may be no room.
    const looked = [...budgets.values()].flatMap(({ guesses }) => guessesWithin(guesses, now, monthMs));
    let hidden = lastHidden(looked, now);
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const all = new Map(
        left.map((subject) => [subject, counted(found.get(subject) ?? noBudget, counting, now)] as const),
      );
      const rows = [...all].map(([subject, { kept, budget, untold: tells }]) => {
        const tellingAt = subject === counting.told && tells ? now : budget.tellingAt;
        return [subject, JSON.stringify(kept), budget.version + 1, now, tellingAt];
      });
      const written = (await Promise.all(upserts(rows).map(claim))).flat().map((row) => textField(row, 'subject'));
      for (const subject of written) {
        const one = all.get(subject);
        hadRoom &&= one?.hadRoom !== false;
        untold ||= subject === counting.told && one?.untold === true;
        hidden = Math.max(hidden, lastHidden(one?.next ?? [], now));
      }
      left = left.filter((subject) => !written.includes(subject));
      if (left.length === 0) return { hadRoom, untold, hiddenUntil: hidden > now ? hidden : undefined };
      // Another process counted between the look and the write, so this one looks again.
      found = (await look(left, now)).budgets;
    }
    throw new Error(
      'a guess could not be counted: other processes counted guesses about the same citizen all the time',
    );
  }

  return { alone: createAlone(), look, count };
}

/** Whether nobody has told of the newest guess, and nobody is about to. */
function isUntold(guesses: readonly Guess[], { toldAt, tellingAt }: Budget, now: number): boolean {
  const newest = guesses.reduce((latest, { at }) => Math.max(latest, at), 0);
  const isTelling = tellingAt !== null && tellingAt >= newest && Math.abs(now - tellingAt) < tellingMs;
  return !isTelling && (toldAt === null || toldAt < newest || toldAt >= now + monthMs);
}

function createAlone(): GuessBudget['alone'] {
  const waiting = new Map<string, Promise<unknown>>();
  return async (subjects, decide) => {
    const before = subjects.flatMap((subject) => waiting.get(subject) ?? []);
    const own = before.length === 0 ? decide(false) : Promise.all(before).then(() => decide(true));
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
