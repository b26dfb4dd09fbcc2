import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Engine } from './engines.ts';
import { type IdentityHouse, openIdentityHouse } from './identity-house.ts';
import { makeTestFolder } from './test-folder.ts';

const people = [
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

/** The claims of the first of them. */
export const zoe = { citizenId: 'C-1', givenName: 'Zoë', familyName: 'Müller', birthDate: '1980-02-07' };

/** A house whose register holds these people, through the importer. */
export async function openPeopledHouse(t: TestContext, engine: Engine): Promise<IdentityHouse> {
  return await openHouseOf(t, engine, people);
}

/** The same for other people: their members are fields of an import. */
export async function openHouseOf(t: TestContext, engine: Engine, citizens: readonly object[]): Promise<IdentityHouse> {
  const house = await openIdentityHouse(t, engine);
  await importPeople(t, house, citizens);
  return house;
}

/** Imports people into a house that is open. */
export async function importPeople(t: TestContext, house: IdentityHouse, citizens: readonly object[]): Promise<void> {
  const path = join(temporaryFolder(t), 'people.jsonl');
  writeFileSync(path, citizens.map((person) => JSON.stringify(person)).join('\n'));
  const columns = [...new Set(citizens.flatMap((person) => Object.keys(person)))];
  const mapping = Object.fromEntries(columns.map((column) => [column, { columns: [column] }]));
  const { progress } = await house.importFile({ path, format: 'jsonl', mapping });
  if (progress.refused > 0) throw new Error(`refused: ${JSON.stringify(progress.reasons)}`);
}

/** A folder that is gone after the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = makeTestFolder('identity-');
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
