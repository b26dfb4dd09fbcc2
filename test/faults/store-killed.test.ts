import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { waitUntilNoSessions } from '../support/postgres-databases.ts';

const program = join(import.meta.dirname, 'store-process.ts');
const rounds = 3;
const acknowledgedPerRound = 300;

/** Runs a process that writes, kills it after enough acknowledgements, and returns the ids that it acknowledged. */
async function writeAndKill(engine: string, location: string, round: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, engine, location, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  let lines = 0;
  child.stdout.setEncoding('utf8');
  for await (const text of child.stdout) {
    output += text;
    lines += text.split('\n').length - 1;
    if (lines >= acknowledgedPerRound) child.kill('SIGKILL');
  }
  await exited;
  assert.equal(child.signalCode, 'SIGKILL');
  // The last line may be incomplete.
  return output.split('\n').slice(0, -1);
}

for (const engine of engines) {
  test(`${engine.name}: kill -9 under load loses no acknowledged unit and stores no unit partly`, async (t) => {
    const location = await engine.createLocation(t);
    const first = await engine.openAt(location);
    await first.write([{ sql: 'create table effect (id text not null primary key)' }]);
    await first.write([{ sql: 'create table event (id text not null primary key)' }]);
    await first.close();
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      acknowledged.push(...(await writeAndKill(engine.name, location, round)));
      if (engine.name === 'postgres') await waitUntilNoSessions(location);
      const db = await engine.openAt(location);
      const effects = await db.read('select id from effect order by id');
      const events = await db.read('select id from event order by id');
      await db.close();
      assert.deepEqual(effects, events);
      const stored = new Set(effects.map((row) => row['id']));
      assert.deepEqual(
        acknowledged.filter((id) => !stored.has(id)),
        [],
      );
    }
    assert.ok(acknowledged.length >= rounds * acknowledgedPerRound);
  });
}
