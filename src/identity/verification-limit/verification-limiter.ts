import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Row, Statement } from '../../db/database.ts';
import { createMultiRowBuilder } from '../../db/multi-row-statement.ts';
import { integerField, integerOrNull, textField } from '../../db/row-fields.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';

/** The maximum number of different wrong sets of claims per verification key. At the limit every verification answers no_match. */
type VerificationLimits = { readonly perDay: number; readonly perMonth: number };

/** The limits of the server. */
export const defaultVerificationLimits: VerificationLimits = { perDay: 5, perMonth: 10 };

/** `tag`: an HMAC of the wrong claims. `at`: the time of their first use. `until`: the failure is concealed from the citizen before. */
type FailedVerification = { readonly tag: string; readonly at: number; readonly until?: number };

const dayMs = 86_400_000;
const monthMs = 30 * dayMs;
/** Failed verifications that are older than this count for no limit. */
export const verificationLimitWindowMs: number = monthMs;
/** If a notification is not stored after this time, its caller has failed, and the next caller notifies. */
const notificationTimeoutMs = 60_000;
/** A count is repeated up to this number if other processes change the same rows. */
const maxCountAttempts = 20;

/** Thrown when other processes changed the same rows during each attempt to count. The request fails without an answer. */
class VerificationCountConflict extends Error {
  constructor() {
    super(`a failed verification was not counted: other processes changed its rows ${maxCountAttempts} times`);
    this.name = 'VerificationCountConflict';
  }
}

function isBelowLimit(failures: readonly FailedVerification[], now: number, limits: VerificationLimits): boolean {
  return (
    failuresWithin(failures, now, dayMs).length < limits.perDay &&
    failuresWithin(failures, now, monthMs).length < limits.perMonth
  );
}

/** A failure that lies further in the future than `ms` was stored by a wrong clock and does not count. */
function failuresWithin(
  failures: readonly FailedVerification[],
  now: number,
  ms: number,
): readonly FailedVerification[] {
  return failures.filter(({ at }) => Math.abs(now - at) < ms);
}

/** The latest end of a concealment of these failures; `now` if none is concealed. */
function lastHiddenUntil(failures: readonly FailedVerification[], now: number): number {
  return failures.reduce((last, { until = now }) => Math.max(last, until), now);
}

type VerificationCount = {
  readonly keys: readonly string[];
  readonly tag: string;
  /** If this key reaches its limit, the citizen gets a message. */
  readonly notifyKey: string;
  /** If false, no failure is added, but the same rows are written. */
  readonly isFailed: boolean;
  /** The time until which this verification is concealed from its citizen (epoch ms). */
  readonly hiddenUntil?: number | undefined;
};

/** The stored state of some verification keys, read at `now`. `isBelowLimit`: all of them are below both limits. */
export type LimitSnapshot = {
  readonly states: ReadonlyMap<string, LimitState>;
  readonly isBelowLimit: boolean;
  readonly now: number;
};

type CountResult = {
  /** Whether every key was below its limit when it was written. If not, the answer has to be no_match. */
  readonly wasBelowLimit: boolean;
  /** Whether this caller has to notify the citizen. */
  readonly mustNotify: boolean;
  /** The time until which one of the counted failures is concealed: a message before that time would reveal it. */
  readonly hiddenUntil: number | undefined;
};

/** Counts failed verifications by key. All processes share the counts; only `runExclusive` is per thread. */
export type VerificationLimiter = {
  /**
   * Runs `decide` after the other verifications of this thread that share one of these keys, so that two concurrent failures count as
   * two. `waited`: others ran first, so an earlier snapshot may be out of date.
   */
  runExclusive<T>(keys: readonly string[], decide: (waited: boolean) => Promise<T>): Promise<T>;
  readSnapshot(keys: readonly string[], now: number): Promise<LimitSnapshot>;
  /**
   * Counts a verification; the count is durable when the promise resolves. If `mustNotify` is true, the caller sends the message
   * and commits `markNotifiedStatement` with it. If the caller fails, a later verification notifies after one minute.
   */
  count(counting: VerificationCount, seen: LimitSnapshot): Promise<CountResult>;
};

/** Records that the owner of this key was notified. It belongs to the unit that carries the message. */
export function markNotifiedStatement(verificationKey: string, now: number): Statement {
  return {
    sql: 'update verification_limit set notified_at = $2 where verification_key = $1',
    args: [verificationKey, now],
  };
}

/**
 * Statements that make a unit fail (`rows`) if another process counted a failure after the snapshot. Attack: N processes each get one
 * set of claims at the same instant, one set is right, and all have read the same snapshot. Without these statements the right
 * answer would leave although the limit is reached (test/attacks/verification-limit-concurrent.test.ts).
 *
 * Exception: a key without failures has no row and no statement, so that usual verifications lock nothing. Until its first failure is
 * stored, each thread of each process can answer one verification, even if their number is above the limit.
 * Statements are sorted by key, like the rows of `count`, so that two units cannot deadlock.
 */
export function requireUnchangedStatements({ states }: LimitSnapshot): Statement[] {
  const sql =
    'update verification_limit set failures = failures where verification_key = $1 and failures = $2 returning verification_key';
  return [...states]
    .filter(([, { failures }]) => failures.length > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { storedText }]) => ({ sql, args: [key, storedText], rows: 1 }));
}

type LimitState = {
  readonly failures: readonly FailedVerification[];
  /** `failures` exactly as stored. */
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

const findLimitRow = lookupByKey(
  'verification_limit',
  'verification_key',
  'verification_key, failures, version, notified_at, notifying_since',
);

/** Returns the keys that were written. A row that another process changed after it was read is not written and not returned. */
const upsertStates = createMultiRowBuilder(
  'insert into verification_limit (verification_key, failures, version, updated_at, notifying_since) values',
  5,
  `on conflict (verification_key) do update set failures = excluded.failures, version = excluded.version,
    updated_at = excluded.updated_at, notifying_since = excluded.notifying_since
  where verification_limit.version = excluded.version - 1 returning verification_key`,
);

/** Creates the limiter of one thread. All processes share the counts in the database. */
export function createVerificationLimiter(
  read: Read,
  claim: WriteWithoutEvent,
  limits: VerificationLimits,
): VerificationLimiter {
  async function readSnapshot(keys: readonly string[], now: number): Promise<LimitSnapshot> {
    const states = new Map(
      await Promise.all(keys.map(async (key) => [key, toLimitState((await findLimitRow(read, key))[0])] as const)),
    );
    const belowLimit = [...states.values()].every(({ failures }) => isBelowLimit(failures, now, limits));
    return { states, isBelowLimit: belowLimit, now };
  }

  /**
   * Writes one row per key, whether the failure is new, repeated or over the limit: otherwise the response time would reveal which.
   * Rows are sorted by key, so that two processes cannot deadlock.
   */
  async function count(counting: VerificationCount, { states, now }: LimitSnapshot): Promise<CountResult> {
    let remainingKeys = [...new Set(counting.keys)].sort();
    let currentStates = states;
    let wasBelowLimit = true;
    let mustNotify = false;
    // The snapshot also contains keys that are not written. A concealed failure of these delays the message as well.
    const seenFailures = [...states.values()].flatMap(({ failures }) => failuresWithin(failures, now, monthMs));
    let hiddenUntil = lastHiddenUntil(seenFailures, now);
    for (let attempt = 0; attempt < maxCountAttempts; attempt += 1) {
      const next = new Map<string, CountedState>();
      for (const key of remainingKeys)
        next.set(key, countVerification(currentStates.get(key) ?? emptyLimitState, counting, { now, limits }));
      const writtenKeys = await writeStates(claim, next, counting.notifyKey, now);
      for (const [key, counted] of next) {
        if (!writtenKeys.has(key)) continue;
        wasBelowLimit &&= counted.wasBelowLimit;
        mustNotify ||= key === counting.notifyKey && counted.mustNotify;
        hiddenUntil = Math.max(hiddenUntil, lastHiddenUntil(counted.countedFailures, now));
      }
      remainingKeys = remainingKeys.filter((key) => !writtenKeys.has(key));
      if (remainingKeys.length === 0)
        return { wasBelowLimit, mustNotify, hiddenUntil: hiddenUntil > now ? hiddenUntil : undefined };
      currentStates = (await readSnapshot(remainingKeys, now)).states;
    }
    throw new VerificationCountConflict();
  }

  return { runExclusive: createExclusiveRunner(), readSnapshot, count };
}

/** Returns the keys that were written; the others were changed by another process. */
async function writeStates(
  claim: WriteWithoutEvent,
  next: ReadonlyMap<string, CountedState>,
  notifyKey: string,
  now: number,
): Promise<ReadonlySet<string>> {
  const rows = [...next].map(([key, { storedFailures, state, mustNotify }]) => {
    const notifyingSince = key === notifyKey && mustNotify ? now : state.notifyingSince;
    return [key, JSON.stringify(storedFailures), state.version + 1, now, notifyingSince];
  });
  const written = await Promise.all(upsertStates(rows).map(claim));
  return new Set(written.flat().map((row) => textField(row, 'verification_key')));
}

function toLimitState(row: Row | undefined): LimitState {
  if (row === undefined) return emptyLimitState;
  const storedText = textField(row, 'failures');
  return {
    // Only `count` writes this column.
    failures: JSON.parse(storedText) as FailedVerification[],
    storedText,
    version: integerField(row, 'version'),
    notifiedAt: integerOrNull(row, 'notified_at'),
    notifyingSince: integerOrNull(row, 'notifying_since'),
  };
}

/** The state of one key after a verification was counted. */
type CountedState = {
  readonly state: LimitState;
  readonly wasBelowLimit: boolean;
  readonly mustNotify: boolean;
  /** The failures of the last month. */
  readonly countedFailures: readonly FailedVerification[];
  readonly storedFailures: readonly FailedVerification[];
};

/** Adds a failure, unless the claims are right, the same wrong claims were counted before, or the key is at its limit. */
function countVerification(
  state: LimitState,
  { tag, isFailed, hiddenUntil }: VerificationCount,
  { now, limits }: { readonly now: number; readonly limits: VerificationLimits },
): CountedState {
  const recent = failuresWithin(state.failures, now, monthMs);
  const wasBelowLimit = isBelowLimit(recent, now, limits);
  const isNew = isFailed && wasBelowLimit && !recent.some((failure) => failure.tag === tag);
  const added: readonly FailedVerification[] = isNew
    ? [{ tag, at: now, ...(hiddenUntil === undefined ? {} : { until: hiddenUntil }) }]
    : [];
  const countedFailures = [...recent, ...added];
  return {
    state,
    wasBelowLimit,
    mustNotify: !isBelowLimit(countedFailures, now, limits) && needsNotification(countedFailures, state, now),
    countedFailures,
    // Failures outside the window stay: if the clock is wrong now, they count again after its correction. Twice the monthly limit is
    // enough for a month of the right clock and a month of the wrong one.
    storedFailures: [...state.failures, ...added].slice(-2 * limits.perMonth),
  };
}

/** Whether no message about the newest failure is stored or being prepared. */
function needsNotification(
  failures: readonly FailedVerification[],
  { notifiedAt, notifyingSince }: LimitState,
  now: number,
): boolean {
  const newest = failures.reduce((latest, { at }) => Math.max(latest, at), 0);
  const isBeingNotified =
    notifyingSince !== null && notifyingSince >= newest && Math.abs(now - notifyingSince) < notificationTimeoutMs;
  // A notification that is a month ahead was stored by a wrong clock.
  return !isBeingNotified && (notifiedAt === null || notifiedAt < newest || notifiedAt >= now + monthMs);
}

function createExclusiveRunner(): VerificationLimiter['runExclusive'] {
  const pendingByKey = new Map<string, Promise<unknown>>();
  return async (keys, decide) => {
    const earlier = keys.flatMap((key) => pendingByKey.get(key) ?? []);
    const result = earlier.length === 0 ? decide(false) : Promise.all(earlier).then(() => decide(true));
    // The next caller waits for the end of this one, whether it succeeds or fails.
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    for (const key of keys) pendingByKey.set(key, settled);
    try {
      return await result;
    } finally {
      for (const key of keys) if (pendingByKey.get(key) === settled) pendingByKey.delete(key);
    }
  };
}
