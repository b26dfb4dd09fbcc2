import type { Claim } from '../jobs/claim.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { hmacText } from '../kernel/hashing.ts';
import type { Read } from '../store/db.ts';
import type { Claims } from './claims.ts';
import type { NormalisedClaims } from './match/comparable.ts';

/** How many distinct wrong value sets about one citizen are answered by looking. */
export type GuessLimits = { readonly inDay: number; readonly inMonth: number };

export const standardGuessLimits: GuessLimits = { inDay: 5, inMonth: 10 };

/** A wrong value set that was tried, as an HMAC, and when it was first tried. */
type Guess = { readonly tag: string; readonly at: number };

const dayMs = 86_400_000;
const monthMs = 30 * dayMs;

/** Whether the guesses of that moment leave room for another. */
export function hasRoom(guesses: readonly Guess[], now: number, { inDay, inMonth }: GuessLimits): boolean {
  const within = (ms: number) => guesses.filter(({ at }) => at > now - ms).length;
  return within(dayMs) < inDay && within(monthMs) < inMonth;
}

/** What a question is counted by: whom it asks about, and what it puts forward. */
export type GuessTags = { readonly subjects: readonly string[]; readonly tag: string };

/**
 * With an id the citizen of that id, known or not. Without one two things that a guesser may hold still while trying the
 * rest: the names with the birth date, and the names with address and document number.
 */
export function guessTags(key: Uint8Array, claims: Claims, { asked, values }: NormalisedClaims): GuessTags {
  const mac = (of: string) => hmacText(key, of, 'base64url');
  const form = (claim: keyof Claims) => (values[claim]?.forms[0] ?? '').replaceAll(' ', '');
  const tag = mac(canonicalJson(Object.fromEntries(asked.map((claim) => [claim, form(claim)])))).slice(0, 22);
  if (claims.citizenId !== undefined) return { subjects: [mac(`citizen\0${claims.citizenId}`)], tag };
  const names = [form('givenName'), form('familyName')].sort().join(' ');
  const place = ['streetAddress', 'postalCode', 'documentNumber'] as const;
  return {
    subjects: [mac(`born\0${names}\0${form('birthDate')}`), mac(`lives\0${names}\0${place.map(form).join('\0')}`)],
    tag,
  };
}

/** The subject of a citizen whom a search found: whoever is locked is locked for searches as well. */
export function subjectOf(key: Uint8Array, citizenId: string): string {
  return hmacText(key, `citizen\0${citizenId}`, 'base64url');
}

export type GuessBudget = {
  /** Runs `decide` alone among all questions of this process about these subjects: two guesses at once are two guesses. */
  alone<T>(subjects: readonly string[], decide: () => Promise<T>): Promise<T>;
  /** Whether all of the subjects have guesses left. */
  hasRoom(subjects: readonly string[], now: number): Promise<boolean>;
  /** Counts a wrong value set, durable when it resolves; tells whether one of the budgets was spent by it. */
  count(tags: GuessTags, now: number): Promise<{ readonly spentNow: boolean }>;
};

/** The budgets of this database. */
export function createGuessBudget(read: Read, claim: Claim, limits: GuessLimits): GuessBudget {
  const waiting = new Map<string, Promise<unknown>>();

  async function guessesOf(subject: string): Promise<{ guesses: readonly Guess[]; version: number }> {
    const [row] = await read('select guesses, version from guess_budget where subject = $1', [subject]);
    if (row === undefined) return { guesses: [], version: 0 };
    // Only `countOne` writes this column.
    return { guesses: JSON.parse(String(row['guesses'])) as Guess[], version: Number(row['version']) };
  }

  /** Always one write, whether the guess is new, repeated or over budget, so that the time tells none of them. */
  async function countOne(subject: string, tag: string, now: number): Promise<boolean> {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const { guesses, version } = await guessesOf(subject);
      const recent = guesses.filter(({ at }) => at > now - monthMs);
      const room = hasRoom(recent, now, limits);
      const isNew = room && !recent.some((guess) => guess.tag === tag);
      const next = isNew ? [...recent, { tag, at: now }] : recent;
      const rows = await claim({
        sql: `insert into guess_budget (subject, guesses, version, updated_at) values ($1, $2, 1, $4)
          on conflict (subject) do update set guesses = excluded.guesses, version = guess_budget.version + 1,
            updated_at = excluded.updated_at
          where guess_budget.version = $3 returning version`,
        args: [subject, JSON.stringify(next), version, now],
      });
      // No row: another process counted between reading and writing, so this one looks again.
      if (rows.length > 0) return isNew && !hasRoom(next, now, limits);
    }
    throw new Error(
      'a guess could not be counted: other processes counted guesses about the same citizen all the time',
    );
  }

  async function alone<T>(subjects: readonly string[], decide: () => Promise<T>): Promise<T> {
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
  }

  return {
    alone,
    hasRoom: async (subjects, now) => {
      const found = await Promise.all(subjects.map(guessesOf));
      return found.every(({ guesses }) => hasRoom(guesses, now, limits));
    },
    count: async ({ subjects, tag }, now) => {
      const spent = await Promise.all(subjects.map((subject) => countOne(subject, tag, now)));
      return { spentNow: spent.includes(true) };
    },
  };
}

const mostAttempts = 20;
