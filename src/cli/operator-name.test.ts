import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorName } from './operator-name.ts';

test('an operator has the name that the system gives, and else the number', () => {
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
