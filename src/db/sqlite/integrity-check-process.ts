import { DatabaseSync } from 'node:sqlite';

// The child of `database-faults.ts`: reads the whole of the SQLite file that its argument names, and tells what is wrong in it.

const maxReportedFaults = 20;

function findFaults(path: string): string[] {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    const found = db.prepare(`pragma integrity_check(${maxReportedFaults})`).all();
    const broken = found.map((row) => String(row['integrity_check'])).filter((word) => word !== 'ok');
    const orphans = db.prepare('pragma foreign_key_check').all().slice(0, maxReportedFaults);
    return [...broken, ...orphans.map((row) => `a row of ${row['table']} belongs to none of ${row['parent']}`)];
  } catch (fault) {
    return [fault instanceof Error ? fault.message : 'it cannot be read'];
  }
}

const [, , path = ''] = process.argv;
process.send?.(findFaults(path));
