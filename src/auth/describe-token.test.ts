import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeToken } from './describe-token.ts';

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('the description of a rejected token names its algorithm and missing claims, and no person', () => {
  const header = part({ alg: 'RS256', typ: 'JWT', kid: 'a' });
  const claims = part({
    iss: 'https://login.example',
    aud: 'account',
    sub: 'anna',
    name: 'Anna',
    citizen_id: '1001',
    iat: 60,
    exp: 960,
  });
  assert.deepEqual(JSON.parse(describeToken(`${header}.${claims}.c2ln`)), {
    alg: 'RS256',
    typ: 'JWT',
    iss: 'https://login.example',
    aud: 'account',
    seconds: 900,
    missing: ['client_id', 'jti'],
  });
  assert.equal(describeToken('opaque-token-of-anna'), 'another text than a JWT');
});
