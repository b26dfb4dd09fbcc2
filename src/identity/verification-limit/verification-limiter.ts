import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';
import { createMultiRowBuilder } from '../../db/multi-row-statement.ts';
import { integerField, integerOrNull, textField } from '../../db/row-fields.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';

/** How many distinct wrong value sets about one subject are answered by looking. */
export type VerificationLimits = { readonly perDay: number; readonly perMonth: number };

export const defaultVerificationLimits: VerificationLimits = { perDay: 5, perMonth: 10 };

/** A wrong value set that was tried, as an HMAC, when it was first tried, and until when that is hidden from its citizen. */
type FailedVerification = { readonly tag: string; readonly at: number; readonly until?: number };

const dayMs = 86_400_000;
const monthMs = 30 * dayMs;
/** A guess that is older counts nowhere any more. */
export const verificationLimitWindowMs: number = monthMs;
/** Who set about telling a citizen has done so within this time, or has failed. */
const notificationTimeoutMs = 60_000;

/** Whether the guesses of that moment leave room for another. */
export function isBelowLimit(
  failures: readonly FailedVerification[],
  now: number,
  { perDay, perMonth }: VerificationLimits,
): boolean {
  return (
    failuresWithin(failures, now, dayMs).length < perDay && failuresWithin(failures, now, monthMs).length < perMonth
  );
}

/** In either direction: what was guessed while the clock was ahead would count until it has come there again. */
function failuresWithin(
  failures: readonly FailedVerification[],
  now: number,
  ms: number,
): readonly FailedVerification[] {
  return failures.filter(({ at }) => Math.abs(now - at) < ms);
}

/** Until when the last of them is hidden; `now` where none is. */
function lastHiddenUntil(failures: readonly FailedVerification[], now: number): number {
  return failures.reduce((last, { until = now }) => Math.max(last, until), now);
}

/** What is to be counted. */
export type VerificationCount = {
  readonly keys: readonly string[];
  readonly tag: string;
  /** The one of the subjects of which the citizen is told when it is spent. */
  readonly notifyKey: string;
  /** False for what adds nothing, and is written all the same: a right question, or any over budget. */
  readonly isFailed: boolean;
  /** Until when this question is hidden from its citizen. */
  readonly hiddenUntil?: number | undefined;
};

/** The budgets of some subjects as they stood at a look, and when that was. */
export type LimitSnapshot = {
  readonly states: ReadonlyMap<string, LimitState>;
  readonly isBelowLimit: boolean;
  readonly now: number;
};

/**
 * What became of a count: whether every subject still had room for it, whether this caller is to tell the citizen, and until when
 * one of the guesses that count is hidden: what follows from it would tell of it.
 */
export type CountResult = {
  readonly wasBelowLimit: boolean;
  readonly mustNotify: boolean;
  readonly hiddenUntil: number | undefined;
};

export type VerificationLimiter = {
  /**
   * Runs `decide` alone among all questions of this thread about these subjects: two guesses at once are two guesses.
   * `waited`: others were before, and what was seen earlier may be old.
   */
  runExclusive<T>(subjects: readonly string[], decide: (waited: boolean) => Promise<T>): Promise<T>;
  /** What was guessed about these subjects, and whether all of them have guesses left. */
  readSnapshot(subjects: readonly string[], now: number): Promise<LimitSnapshot>;
  /**
   * Counts a wrong value set, durable when it resolves. `untold`: `told` is spent, and this caller is the one to tell the
   * citizen of it, with `toldStatement` in the unit that does. Who does not is followed by a later question.
   */
  count(counting: VerificationCount, seen: LimitSnapshot): Promise<CountResult>;
};

/** The statement that keeps that the owner of this subject was told; belongs to the unit that carries the message. */
export function markNotifiedStatement(verificationKey: string, now: number): Statement {
  return { sql: 'update guess_budget set told_at = $2 where subject = $1', args: [verificationKey, now] };
}

/**
 * The statements that have a unit refused (`rows`) when another guess was counted since that look: whoever was right may
 * not be told so once the budget is spent, by whatever process. They lock the row and change nothing. Of a subject about which
 * nobody has guessed wrong there is none, so that the usual question costs nothing: that many guesses more than the limit may
 * be looked at as threads and processes, beyond five, answer the very first ones at the same instant. By their order, like `count`.
 */
export function requireUnchangedStatements({ states }: LimitSnapshot): Statement[] {
  const sql = 'update guess_budget set guesses = guesses where subject = $1 and guesses = $2 returning subject';
  return [...states]
    .filter(([, { failures }]) => failures.length > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([subject, { storedText }]) => ({ sql, args: [subject, storedText], rows: 1 }));
}

type LimitState = {
  readonly failures: readonly FailedVerification[];
  /** The guesses as they are stored. */
  readonly storedText: string;
  readonly version: number;
  readonly notifiedAt: number | null;
  readonly notifyingSince: number | null;
};

const emptyLimitState: LimitState = {
  failures: [],
  storedText: '[]',
  version: 0,
  notifiedAt: null,
  notifyingSince: null,
};

const findLimitRow = lookupByKey('guess_budget', 'subject', 'subject, guesses, version, told_at, telling_at');

/** A row that another process wrote between the look and this statement is not among those that it returns. */
const upsertStates = createMultiRowBuilder(
  'insert into guess_budget (subject, guesses, version, updated_at, telling_at) values',
  5,
  `on conflict (subject) do update set guesses = excluded.guesses, version = excluded.version,
    updated_at = excluded.updated_at, telling_at = excluded.telling_at
  where guess_budget.version = excluded.version - 1 returning subject`,
);

/** The budgets of this database. */
export function createVerificationLimiter(
  read: Read,
  claim: WriteWithoutEvent,
  limits: VerificationLimits,
): VerificationLimiter {
  async function readState(verificationKey: string): Promise<LimitState> {
    const [row] = await findLimitRow(read, verificationKey);
    if (row === undefined) return emptyLimitState;
    const storedText = textField(row, 'guesses');
    return {
      // Only `count` writes this column.
      failures: JSON.parse(storedText) as FailedVerification[],
      storedText,
      version: integerField(row, 'version'),
      notifiedAt: integerOrNull(row, 'told_at'),
      notifyingSince: integerOrNull(row, 'telling_at'),
    };
  }

  async function readSnapshot(keys: readonly string[], now: number): Promise<LimitSnapshot> {
    const states = new Map(
      await Promise.all(
        keys.map(async (verificationKey) => [verificationKey, await readState(verificationKey)] as const),
      ),
    );
    return {
      states,
      isBelowLimit: [...states.values()].every(({ failures }) => isBelowLimit(failures, now, limits)),
      now,
    };
  }

  /**
   * The last guesses, whatever their age: by a clock that is ahead all are old, and count again when it is right. So many that a
   * month's stay beside those of a month that the clock leapt to.
   */
  function failuresToStore(
    { failures }: LimitState,
    added: readonly FailedVerification[],
  ): readonly FailedVerification[] {
    return [...failures, ...added].slice(-2 * limits.perMonth);
  }

  /** One budget with a value set counted, new or not. */
  function countFailure(state: LimitState, { tag, isFailed, hiddenUntil }: VerificationCount, now: number) {
    const recent = failuresWithin(state.failures, now, monthMs);
    const wasBelowLimit = isBelowLimit(recent, now, limits);
    const isNew = isFailed && wasBelowLimit && !recent.some((guess) => guess.tag === tag);
    const added: readonly FailedVerification[] = isNew
      ? [{ tag, at: now, ...(hiddenUntil === undefined ? {} : { until: hiddenUntil }) }]
      : [];
    const next = [...recent, ...added];
    const mustNotify = !isBelowLimit(next, now, limits) && needsNotification(next, state, now);
    return { kept: failuresToStore(state, added), hadRoom: wasBelowLimit, untold: mustNotify, budget: state, next };
  }

  /**
   * Always as many rows, whether the guess is new, repeated or over budget, so that the time tells none of them. By their
   * order, so that two processes that count at once do not hold what the other waits for.
   */
  async function count(counting: VerificationCount, { states, now }: LimitSnapshot): Promise<CountResult> {
    let remainingKeys = [...new Set(counting.keys)].sort();
    let currentStates = states;
    let [wasBelowLimit, mustNotify] = [true, false];
    // Of subjects too that are only looked at: by one of them there may be no room.
    const seenFailures = [...states.values()].flatMap(({ failures }) => failuresWithin(failures, now, monthMs));
    let latestHiddenUntil = lastHiddenUntil(seenFailures, now);
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const nextStates = new Map(
        remainingKeys.map(
          (verificationKey) =>
            [
              verificationKey,
              countFailure(currentStates.get(verificationKey) ?? emptyLimitState, counting, now),
            ] as const,
        ),
      );
      const rows = [...nextStates].map(([verificationKey, { kept, budget: state, untold: tells }]) => {
        const tellingAt = verificationKey === counting.notifyKey && tells ? now : state.notifyingSince;
        return [verificationKey, JSON.stringify(kept), state.version + 1, now, tellingAt];
      });
      const writtenKeys = (await Promise.all(upsertStates(rows).map(claim)))
        .flat()
        .map((row) => textField(row, 'subject'));
      for (const verificationKey of writtenKeys) {
        const nextState = nextStates.get(verificationKey);
        wasBelowLimit &&= nextState?.hadRoom !== false;
        mustNotify ||= verificationKey === counting.notifyKey && nextState?.untold === true;
        latestHiddenUntil = Math.max(latestHiddenUntil, lastHiddenUntil(nextState?.next ?? [], now));
      }
      remainingKeys = remainingKeys.filter((verificationKey) => !writtenKeys.includes(verificationKey));
      if (remainingKeys.length === 0)
        return { wasBelowLimit, mustNotify, hiddenUntil: latestHiddenUntil > now ? latestHiddenUntil : undefined };
      // Another process counted between the look and the write, so this one looks again.
      currentStates = (await readSnapshot(remainingKeys, now)).states;
    }
    throw new Error(
      'a guess could not be counted: other processes counted guesses about the same citizen all the time',
    );
  }

  return { runExclusive: createExclusiveRunner(), readSnapshot, count };
}

/** Whether nobody has told of the newest guess, and nobody is about to. */
function needsNotification(
  failures: readonly FailedVerification[],
  { notifiedAt, notifyingSince }: LimitState,
  now: number,
): boolean {
  const newest = failures.reduce((latest, { at }) => Math.max(latest, at), 0);
  const isBeingNotified =
    notifyingSince !== null && notifyingSince >= newest && Math.abs(now - notifyingSince) < notificationTimeoutMs;
  return !isBeingNotified && (notifiedAt === null || notifiedAt < newest || notifiedAt >= now + monthMs);
}

function createExclusiveRunner(): VerificationLimiter['runExclusive'] {
  const pendingByKey = new Map<string, Promise<unknown>>();
  return async (keys, decide) => {
    const earlier = keys.flatMap((subject) => pendingByKey.get(subject) ?? []);
    const result = earlier.length === 0 ? decide(false) : Promise.all(earlier).then(() => decide(true));
    // Whoever comes next waits for the end of this one, good or bad.
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    for (const subject of keys) pendingByKey.set(subject, settled);
    try {
      return await result;
    } finally {
      for (const subject of keys) if (pendingByKey.get(subject) === settled) pendingByKey.delete(subject);
    }
  };
}

const maxAttempts = 20;
