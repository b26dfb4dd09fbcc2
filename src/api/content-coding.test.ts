import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseContentCoding } from './content-coding.ts';

test('the coding with the highest quality is chosen, and br before gzip if both are equal', () => {
  const cases = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['gzip;q=0.3, identity;q=0.9', 'identity'],
    ['*', 'br'],
    ['*;q=0.2, br;q=0', 'gzip'],
    ['deflate, zstd', 'identity'],
  ] as const;
  for (const [header, coding] of cases) assert.equal(chooseContentCoding(header), coding, String(header));
});
