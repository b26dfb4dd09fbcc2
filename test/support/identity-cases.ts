import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite } from '../../src/db/sqlite/open-sqlite.ts';
import { countFrequencies } from '../../src/identity/evaluation/evaluate-policy.ts';
import { calibratedPolicy, type MatchPolicy, shippedPolicies } from '../../src/identity/match/policy.ts';
import type { Claims } from '../../src/identity/register/claims.ts';

import { systemRandom } from '../../src/kernel/system-clock.ts';
import { buildIdentityApp, identityAppStartMs } from './identity-app.ts';
import { testDataPath } from './test-data.ts';
import { makeTestFolder } from './test-folder.ts';

/**
 * A registered person, what somebody claims with that person's id, and how an official decides: `M` the same person, `N` somebody else,
 * `O` the official asks for more, `R` the request is refused before matching.
 */
type IdentityCase = {
  readonly id: string;
  readonly kind: string;
  readonly expect: 'M' | 'N' | 'O' | 'R';
  readonly note?: string;
  readonly register: Claims;
  readonly claim: Claims;
};

/** `decision` is the decision of the server, or the name of the refusal. */
export type DecidedCase = IdentityCase & { readonly decision: string; readonly isRight: boolean };

/** The policy of services without their own policy. */
export const defaultMatchPolicy: MatchPolicy = shippedPolicies.get('standard-2026-3') ?? calibratedPolicy;

/** The public cases of TEST_DATA; undefined if this machine does not have them. */
export function readIdentityCases(): readonly IdentityCase[] | undefined {
  const path = testDataPath('bugs/identity/cases.json');
  // A mistake in the file fails in the import or as a wrong decision.
  return path === undefined ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as readonly IdentityCase[]);
}

/**
 * Decides each case by a verification with the id, on a server whose register has the people of all cases. With `impostors: 'registered'`
 * it also has the twin, relative or namesake who claims to be the person.
 */
export async function decideCases(
  cases: readonly IdentityCase[],
  policy: MatchPolicy,
  impostors: 'registered' | 'unknown',
): Promise<DecidedCase[]> {
  const folder = makeTestFolder('identity-cases-');
  const db = await openSqlite(join(folder, 'cases.sqlite'), { random: systemRandom });
  try {
    await migrate(db, { now: () => identityAppStartMs });
    const app = await buildIdentityApp(db);
    const people = [...registeredPeople(cases), ...(impostors === 'registered' ? impostorsOf(cases) : [])];
    const path = join(folder, 'people.jsonl');
    writeFileSync(path, people.map((person) => JSON.stringify(person)).join('\n'));
    const columns = [...new Set(people.flatMap((person) => Object.keys(person)))];
    const mapping = Object.fromEntries(columns.map((column) => [column, { columns: [column] }]));
    const { progress } = await app.importFile({ path, format: 'jsonl', mapping });
    if (progress.refused > 0) throw new Error(`refused: ${JSON.stringify(progress.reasons)}`);
    const frequencies = countFrequencies(people);
    const decided: DecidedCase[] = [];
    for (const one of cases) {
      const claims = { ...one.claim, citizenId: one.id };
      const answered = await app.ask('POST', claims, {}, { policyOf: () => policy, frequencies: () => frequencies });
      const decision = 'refusal' in answered ? answered.refusal.slug : String(answered.json['decision']);
      decided.push({ ...one, decision, isRight: isAsOfficial(one.expect, decision) });
    }
    return decided;
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function isAsOfficial(expected: IdentityCase['expect'], decision: string): boolean {
  if (expected === 'M') return decision === 'match';
  if (expected === 'R') return !['match', 'no_match', 'not_determined'].includes(decision);
  return decision !== 'match';
}

/** The kinds whose impostor is another person of the register. */
const kindsWithOther = new Set(['twins', 'father and son', 'namesake', 'sibling', 'spouse']);

function registeredPeople(cases: readonly IdentityCase[]): Claims[] {
  return [...new Map(cases.map(({ id, register }) => [id, { ...register, citizenId: id }])).values()];
}

/** One for each household or namesake, with the names of the first claim that is not the person's. */
function impostorsOf(cases: readonly IdentityCase[]): Claims[] {
  const claims = cases.filter(({ expect, kind }) => expect === 'N' && kindsWithOther.has(kind));
  return [...Map.groupBy(claims, ({ id }) => id)].flatMap(([id, [first]]) =>
    first === undefined ? [] : [{ ...first.claim, citizenId: `${id}-other`, ...ownBirthDate(first) }],
  );
}

/** Siblings and spouses claim with the birth date of the person, and have their own. */
function ownBirthDate({ kind, claim: { birthDate } }: IdentityCase): Claims {
  if (birthDate === undefined || !['sibling', 'spouse'].includes(kind)) return {};
  return { birthDate: `${Number(birthDate.slice(0, 4)) - 2}${birthDate.slice(4)}` };
}
