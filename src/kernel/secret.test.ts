import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import { Secret } from './secret.ts';

test('a secret does not appear in a text, JSON, an inspection or an error', () => {
  const secret = new Secret('hunter2');
  const shown = [
    `${secret}`,
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 9, showHidden: true }),
    format('%s %o %j', secret, secret, secret),
  ];
  for (const text of shown) assert.ok(!text.includes('hunter2'), text);
  assert.equal(secret.reveal(), 'hunter2');
});
