import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import type { Statement } from './database.ts';
import { RootKeyRetired, rejectIfRetired, requireActiveRootKey, retireRootKey } from './root-key-store.ts';

for (const engine of engines) {
  test(`${engine.name}: a unit of a retired root key is refused, also if the root key was never used`, async (t) => {
    const db = await engine.open(t);
    const store = (rootKeyId: string, ...more: Statement[]) => {
      const unit = [...more, requireActiveRootKey(rootKeyId)];
      return rejectIfRetired(unit, db.write(unit));
    };
    await store('used');
    await store('used');
    await store('other');
    for (const rootKeyId of ['used', 'unused']) {
      await db.write([retireRootKey(rootKeyId)]);
      await assert.rejects(store(rootKeyId), RootKeyRetired);
      await assert.rejects(store(rootKeyId), RootKeyRetired);
    }
    await store('other');
    // Another refusal is reported unchanged.
    const refused = {
      sql: "update root_key set retired = true where root_key_id = 'none' returning root_key_id",
      rows: 1,
    };
    await assert.rejects(store('used', refused), { name: 'WriteRefused', kind: 'rows', statement: 0 });
  });
}
