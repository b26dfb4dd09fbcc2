import assert from 'node:assert/strict';
import test from 'node:test';
import { competingCandidates } from '../ambiguity/competing-candidates.ts';
import { parseMatchPolicy } from '../policies/policy-file.ts';
import { competingThresholdFor, fitsWithoutMinimum, thresholdFor } from './decide.ts';
import type { Level } from './level.ts';
import { calibratedPolicy, standardPolicy, standardPolicy2 } from './policy.ts';

type Three = readonly [Level, Level, Level];

const levelsOf = ([givenName, familyName, birthDate]: Three) => ({ givenName, familyName, birthDate });

test('the threshold is the same with and without an address, and ten times stricter next to a competing candidate', () => {
  const whole: Three = ['exact', 'exact', 'exact'];
  const without: Three = ['missing', 'exact', 'exact'];
  const { threshold, competingThreshold } = calibratedPolicy;
  const found = (weight: number, levels: object) => ({ weight, levels, crossed: false, contradicted: false });
  for (const three of [whole, without]) {
    const bare = levelsOf(three);
    const placed = { ...bare, streetAddress: 'similar' as const };
    for (const levels of [bare, placed]) {
      assert.equal(thresholdFor(levels, calibratedPolicy), threshold);
      // With the prior of 0.005 these are probabilities of 0.988 and 0.994.
      const fitting = [14, 15].map((weight) => fitsWithoutMinimum(found(weight, levels), calibratedPolicy));
      assert.deepEqual(fitting, [false, true], three.join(' '));
    }
    assert.equal(competingThresholdFor(bare, calibratedPolicy), competingThreshold);
    assert.equal(competingThresholdFor(placed, calibratedPolicy), threshold);
    // Eight bits less for a candidate without missing values leave 0.996 to the person.
    const competingIds = [bare, placed].map((levels) => {
      const measured = found(24, levels);
      const own = { citizenId: 'A', measured, without: () => measured };
      const other = { citizenId: 'B', measured: found(16, {}) };
      return competingCandidates(own, [other], calibratedPolicy).map(({ citizenId }) => citizenId);
    });
    assert.deepEqual(competingIds, [['B'], []], three.join(' '));
  }
});

test('a stricter threshold also applies if a name is missing', () => {
  const parsed = parseMatchPolicy('{"name":"town-2026-1","bareThreshold":0.9999}');
  assert.ok('policy' in parsed);
  for (const least of [thresholdFor, competingThresholdFor]) {
    assert.equal(least(levelsOf(['missing', 'exact', 'exact']), parsed.policy), 0.9999);
  }
});

test('fewer than two agreeing values of names and date identify no person, however probable', () => {
  const fits = (three: Three, also: object = {}) =>
    fitsWithoutMinimum(
      { levels: { ...levelsOf(three), ...also }, weight: 60, crossed: false, contradicted: false },
      calibratedPolicy,
    );
  const nobody: readonly Three[] = [
    ['different', 'close', 'exact'],
    ['near', 'near', 'exact'],
    ['missing', 'close', 'exact'],
    ['exact', 'missing', 'different'],
  ];
  for (const three of nobody) {
    assert.equal(fits(three), false, three.join(' '));
    assert.equal(fits(three, { postalCode: 'exact' }), true, three.join(' '));
  }
  const somebody: readonly Three[] = [
    ['different', 'similar', 'exact'],
    ['missing', 'exact', 'precision'],
    ['shortened', 'former', 'missing'],
    ['close', 'exact', 'inverted'],
  ];
  for (const three of somebody) assert.equal(fits(three), true, three.join(' '));
});

test('two transliterated names count as one deviation, and a second deviation is refused', () => {
  const fits = (levels: object, policy = standardPolicy2) =>
    fitsWithoutMinimum(
      { weight: 40, levels: { citizenId: 'exact', ...levels }, crossed: false, contradicted: false },
      policy,
    );
  const both = { givenName: 'transliterated', familyName: 'transliterated', birthDate: 'exact' } as const;
  assert.equal(fits(both), true);
  assert.equal(fits(both, standardPolicy), false);
  assert.equal(fits({ ...both, familyName: 'similar' }), false);
  assert.equal(fits({ ...both, birthDate: 'inverted' }), false);
  assert.equal(fits({ ...both, citizenId: undefined, streetAddress: 'exact' }), false);
});
