import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseReturnAddress } from './return-address.ts';

test('a return address is parsed into its printed lines, and an invalid one is rejected', () => {
  assert.deepEqual(parseReturnAddress(' P.O.\tBox  100 ,0101\nOslo'), ['P.O. Box 100', '0101 Oslo']);
  assert.equal(parseReturnAddress('a,b,c,d,e,f')?.length, 6);
  assert.equal(parseReturnAddress('x'.repeat(120))?.length, 1);
  for (const none of ['', ' ', 'a,', ',a', 'a,\u0007,b', 'a,b,c,d,e,f,g', 'x'.repeat(121)])
    assert.equal(parseReturnAddress(none), undefined, none);
});
