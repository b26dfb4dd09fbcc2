import assert from 'node:assert/strict';
import test from 'node:test';
import { fitsPair, thresholdFor } from './decide.ts';
import type { Level } from './level.ts';
import { calibratedPolicy } from './policy.ts';
import { parsePolicy } from './policy-file.ts';

type Three = readonly [Level, Level, Level];

const levelsOf = ([givenName, familyName, birthDate]: Three) => ({ givenName, familyName, birthDate });

test('names and date alone have to say more than beside an address that agrees', () => {
  const whole: Three = ['exact', 'exact', 'exact'];
  const without: Three = ['missing', 'exact', 'exact'];
  const { threshold, bareThreshold } = calibratedPolicy;
  for (const three of [whole, without]) {
    assert.equal(thresholdFor(levelsOf(three), calibratedPolicy), bareThreshold, three.join(' '));
    assert.equal(thresholdFor({ ...levelsOf(three), streetAddress: 'similar' }, calibratedPolicy), threshold);
  }
  assert.ok(bareThreshold > threshold);
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
