import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { operations } from '../../src/app/operations.ts';
import { localeFor } from '../../src/locales/locale.ts';
import { proposableOperations } from '../../src/staff/proposable/proposable-operations.ts';
import { rejectedProposal } from '../../src/staff/propose-operation.ts';

/** Operations of staff with ledger events, but without an entry of the staff log under their own name. */
const unlogged = new Set([
  // The entry has the name of the proposed operation.
  'approveProposal',
  'refuseProposal',
  // Only the ledger records it.
  'readStaffLog',
  // The entry of the look-up covers it.
  'readLookUp',
]);

const locales = join(import.meta.dirname, '../../src/locales');
const languages = globSync('*.json', { cwd: locales }).map((file) => file.replace('.json', ''));

for (const language of languages)
  test(`operations that staff propose or that the staff log records have a name in the language ${language}`, () => {
    const logged = operations.filter(
      ({ callers, citizenData, name }) => callers?.includes('staff') && citizenData && !unlogged.has(name),
    );
    const names = [...proposableOperations, ...logged, { name: rejectedProposal }].map(({ name }) => name);
    assert.deepEqual(Object.keys(localeFor(language).staffPages.operationNames).toSorted(), names.toSorted());
  });
