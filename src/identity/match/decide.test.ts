import assert from 'node:assert/strict';
import test from 'node:test';
import { fitsPair, thresholdFor } from './decide.ts';
import type { Level } from './level.ts';
import { calibratedPolicy } from './policy.ts';
import { parsePolicy } from './policy-file.ts';

type Three = readonly [Level, Level, Level];

const levelsOf = ([givenName, familyName, birthDate]: Three) => ({ givenName, familyName, birthDate });
const bare = calibratedPolicy.bareThreshold;
const sparse = calibratedPolicy.sparseThreshold ?? 0;

test('where a name or the date is missing and nothing else agrees, what is left has to say more', () => {
  const thresholds: readonly (readonly [Three, number])[] = [
    [['exact', 'exact', 'exact'], bare],
    [['different', 'exact', 'exact'], bare],
    [['missing', 'exact', 'exact'], sparse],
    [['exact', 'missing', 'exact'], sparse],
    [['exact', 'exact', 'missing'], sparse],
  ];
  for (const [three, threshold] of thresholds) {
    assert.equal(thresholdFor(levelsOf(three), calibratedPolicy), threshold, three.join(' '));
    const placed = { ...levelsOf(three), streetAddress: 'similar' } as const;
    assert.equal(thresholdFor(placed, calibratedPolicy), calibratedPolicy.threshold);
  }
  assert.equal(thresholdFor({ givenName: 'exact', familyName: 'exact' }, calibratedPolicy), sparse);
  assert.ok(sparse > bare);
});

test('a policy that asks for more asks for it as well where a name is missing', () => {
  const parsed = parsePolicy('{"name":"town-2026-1","bareThreshold":0.9999}');
  assert.ok('policy' in parsed);
  assert.equal(thresholdFor(levelsOf(['missing', 'exact', 'exact']), parsed.policy), 0.9999);
});

test('names and date: two of them agree, or it is nobody, however likely the one makes it', () => {
  const fits = (three: Three, also: object = {}) =>
    fitsPair({ levels: { ...levelsOf(three), ...also }, weight: 60, crossed: false }, calibratedPolicy);
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
