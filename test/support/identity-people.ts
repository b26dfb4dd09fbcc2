import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Engine } from './database-engines.ts';
import { type IdentityApp, openIdentityApp } from './identity-app.ts';
import { makeTestFolder } from './test-folder.ts';

const testPeople = [
  {
    citizenId: 'C-1',
    givenName: 'Zoë',
    familyName: 'Müller',
    birthDate: '1980-02-07',
    documentNumber: 'P1',
    locality: 'Köln',
  },
  { citizenId: 'C-2', givenName: 'Ana', familyName: 'Silva', birthDate: '1990-11-30', postalCode: '1000-001' },
  { citizenId: 'T-1', givenName: 'Jon', familyName: 'Twin', birthDate: '2000-01-01', streetAddress: '1 High Street' },
  { citizenId: 'T-2', givenName: 'Jón', familyName: 'Twin', birthDate: '2000-01-01', streetAddress: '1 High Street' },
  { citizenId: 'R-1', givenName: 'Rita', familyName: 'Review', birthDate: '1970-01-01', underReview: 'yes' },
];

/** The claims of the first person. */
export const zoeClaims = { citizenId: 'C-1', givenName: 'Zoë', familyName: 'Müller', birthDate: '1980-02-07' };

/** An app whose register has imported these people. */
export async function openIdentityAppWithPeople(t: TestContext, engine: Engine): Promise<IdentityApp> {
  return await openIdentityAppWith(t, engine, testPeople);
}

/** The same for other people, given as import fields. */
export async function openIdentityAppWith(
  t: TestContext,
  engine: Engine,
  citizens: readonly object[],
): Promise<IdentityApp> {
  const app = await openIdentityApp(t, engine);
  await importPeople(t, app, citizens);
  return app;
}

/** Imports people into an open app. */
export async function importPeople(t: TestContext, app: IdentityApp, citizens: readonly object[]): Promise<void> {
  const path = join(makeIdentityFolder(t), 'people.jsonl');
  writeFileSync(path, citizens.map((person) => JSON.stringify(person)).join('\n'));
  const columns = [...new Set(citizens.flatMap((person) => Object.keys(person)))];
  const mapping = Object.fromEntries(columns.map((column) => [column, { columns: [column] }]));
  const { progress } = await app.importFile({ path, format: 'jsonl', mapping });
  if (progress.refused > 0) throw new Error(`refused: ${JSON.stringify(progress.reasons)}`);
}

/** A folder that is deleted after the test. */
export function makeIdentityFolder(t: TestContext): string {
  const folder = makeTestFolder('identity-');
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
