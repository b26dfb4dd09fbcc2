import { normaliseClaims } from '../src/identity/match/comparable.ts';
import { compareRecord } from '../src/identity/match/compare.ts';
import { standardPolicy2 } from '../src/identity/match/policy.ts';
import { BenchFailed } from './bench-failed.ts';
import { citizenAt } from './citizens.ts';
import { median } from './measure.ts';
import type { BenchResult } from './result.ts';

const goalMicroseconds = 60;
const comparisons = 20_000;

/** Measures the comparison of the claims of one request with one record, including normalisation, in this process. */
export function benchCompare(rounds: number): BenchResult[] {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const before = performance.now();
    for (let index = 0; index < comparisons; index += 1) compareCitizen(index);
    const microseconds = ((performance.now() - before) * 1_000) / comparisons;
    // The first round is warm-up.
    if (round > 0) times.push(microseconds);
  }
  const rate = median(times) ?? Number.NaN;
  return [
    {
      work: 'compare',
      server: 'one request, one record',
      unit: 'µs',
      rate,
      lowest: Math.min(...times),
      highest: Math.max(...times),
      checks: [{ what: 'µs', figure: rate, goal: goalMicroseconds, by: 'at most' }],
    },
  ];
}

function compareCitizen(index: number): void {
  const { citizenId, givenName, familyName, birthDate, streetAddress, postalCode, locality } = citizenAt(index);
  const known = { citizenId, givenName, familyName, birthDate, streetAddress, postalCode, locality };
  const unknown = {
    birthFamilyName: null,
    birthPlace: null,
    country: null,
    documentNumber: null,
    nationality: null,
    underReview: false,
  };
  const { decision } = compareRecord({ ...known, ...unknown }, normaliseClaims(known), standardPolicy2);
  if (decision !== 'match')
    throw new BenchFailed('expected the claims of a citizen to match the record of that citizen');
}
