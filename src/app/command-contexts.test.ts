import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorName } from './command-contexts.ts';

test('an operator is named by the user name of the system, or by the user id if there is no name', () => {
  const nameless = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  assert.equal(
    operatorName(() => ({ username: 'anna' }), 12_345),
    'anna',
  );
  assert.equal(operatorName(nameless, 12_345), 'uid 12345');
  assert.throws(() => operatorName(nameless, undefined), /ENOENT/);
});
