import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import type { ImportProgress } from '../../src/identity/import/import-progress.ts';
import { engines } from '../support/database-engines.ts';
import { makeIdentityFolder } from '../support/identity-people.ts';
import { waitUntilNoSessions } from '../support/postgres-databases.ts';

/** `KILL_ROUNDS=10` kills more often. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 5);
const rows = 4_400 * rounds;
/** Every 100th row has no id. */
const refused = rows / 100;

function people(): string {
  const lines = Array.from({ length: rows }, (_, at) => `${at % 100 === 7 ? '' : `C-${at}`},Family ${at},1980-01-01`);
  return `citizenId,familyName,birthDate\n${lines.join('\n')}\n`;
}

type Ended = { readonly signal: string | null; readonly code: number | null; readonly output: string };

function run(args: readonly string[]): Promise<Ended> {
  const program = resolve(import.meta.dirname, 'import-process.ts');
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (piece) => {
    output += String(piece);
  });
  return new Promise((done) => child.on('close', (code, signal) => done({ code, signal, output })));
}

/** The chunks and delays at which processes are killed. A failed test prints the seed. */
function kills(seed: number): { readonly chunk: number; readonly afterMs: number }[] {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: rounds }, () => ({ chunk: 1 + next(3), afterMs: next(40) }));
}

for (const engine of engines) {
  test(`${engine.name}: an import that is killed at any time counts every row once after it is repeated`, async (t) => {
    const seed = process.pid;
    t.diagnostic(`seed ${seed}`);
    const place = await engine.createLocation(t);
    const db = await engine.openAt(place);
    await migrate(db, { now: () => 0 });
    await db.close();
    const folder = makeIdentityFolder(t);
    const [path, errorsPath] = [join(folder, 'people.csv'), join(folder, 'errors.csv')];
    writeFileSync(path, people());

    const signals: (string | null)[] = [];
    for (const { chunk, afterMs } of kills(seed)) {
      signals.push((await run([place, path, errorsPath, String(chunk), String(afterMs)])).signal);
      // Otherwise its last chunk could be stored during the next run, which would then be refused.
      if (engine.name === 'postgres') await waitUntilNoSessions(place);
    }
    const last = await run([place, path, errorsPath]);
    assert.equal(last.code, 0);
    assert.equal(signals.includes('SIGKILL'), true);
    // The output of `import-process.ts`.
    const { progress } = JSON.parse(last.output) as { progress: ImportProgress };
    assert.deepEqual(
      [progress.finished, progress.read, progress.stored, progress.refused, progress.reasons],
      [true, rows, rows - refused, refused, { 'citizenId is empty': refused }],
    );

    const after = await engine.openAt(place);
    t.after(() => after.close());
    const [count] = await after.read(
      'select count(*) as citizens, count(k.citizen_id) as keys from citizen c left join citizen_key k on k.citizen_id = c.citizen_id',
    );
    assert.deepEqual({ ...count }, { citizens: rows - refused, keys: rows - refused });
    const errors = readFileSync(errorsPath, 'utf8').trimEnd().split('\r\n');
    const expected = Array.from(
      { length: refused },
      (_, at) => `citizenId is empty,,Family ${at * 100 + 7},1980-01-01`,
    );
    assert.deepEqual(errors, ['importError,citizenId,familyName,birthDate', ...expected]);
    const events = await after.read('select content from ledger_event order by id');
    const counted = events.map(
      ({ content }) => JSON.parse(Buffer.from(content as Uint8Array).toString()).rows as number,
    );
    assert.deepEqual(
      counted,
      [...new Set(counted)].sort((one, other) => one - other),
    );
    assert.equal(counted.at(-1), rows - refused);
  });
}
