import { DatabaseSync } from 'node:sqlite';

// The child process of integrity-check.ts: reads the whole SQLite file that its argument names, and reports the faults in it.

const maxReportedFaults = 20;

function findFaults(path: string): string[] {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    const found = db.prepare(`pragma integrity_check(${maxReportedFaults})`).all();
    const broken = found.map((row) => String(row['integrity_check'])).filter((fault) => fault !== 'ok');
    const orphans = db.prepare('pragma foreign_key_check').all().slice(0, maxReportedFaults);
    return [...broken, ...orphans.map((row) => `a row of ${row['table']} refers to a missing row of ${row['parent']}`)];
  } catch (error) {
    return [error instanceof Error ? error.message : 'it cannot be read'];
  }
}

const [, , path = ''] = process.argv;
process.send?.(findFaults(path));
