import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrastRatio, isHexColour, lightenToContrast } from './colour-contrast.ts';

test('the contrast ratio of two colours is that of WCAG, in either order', () => {
  assert.equal(contrastRatio('#000000', '#ffffff'), 21);
  assert.equal(contrastRatio('#FFFFFF', '#ffffff'), 1);
  // Known pairs: the grey with the smallest AA contrast to white, and pure red.
  assert.equal(contrastRatio('#767676', '#ffffff').toFixed(2), '4.54');
  assert.equal(contrastRatio('#ffffff', '#ff0000').toFixed(2), '4.00');
});

test('a lightened colour reaches the ratio, and a colour that has it stays', () => {
  for (const colour of ['#000000', '#7a0019', '#0b4f9e', '#00451f']) {
    const lightened = lightenToContrast(colour, '#141618', 7);
    assert.ok(contrastRatio(lightened, '#141618') >= 7, `${colour} became ${lightened}`);
  }
  assert.equal(lightenToContrast('#8ab8ff', '#141618', 7), '#8ab8ff');
});

test('only six hexadecimal digits after a number sign are a colour', () => {
  assert.deepEqual(['#0b4f9e', '#0B4F9E'].map(isHexColour), [true, true]);
  assert.deepEqual(['0b4f9e', '#fff', 'blue', '#0b4f9e;', '#0b4f9g', ''].map(isHexColour), Array(6).fill(false));
});
