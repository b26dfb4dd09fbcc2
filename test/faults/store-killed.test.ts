import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { waitUntilNoSessions } from '../support/postgres-databases.ts';

const program = join(import.meta.dirname, 'store-process.ts');
const rounds = 3;
const acknowledgedPerRound = 300;

/** Lets a process write until it has acknowledged enough, kills it in the middle of that, and gives what it acknowledged. */
async function writeAndKill(engine: string, place: string, round: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, engine, place, String(round)], {
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
  // The last line may have been cut.
  return output.split('\n').slice(0, -1);
}

for (const engine of engines) {
  test(`${engine.name}: kill -9 under load loses no acknowledged unit and leaves none by half`, async (t) => {
    const place = await engine.createLocation(t);
    const first = await engine.openAt(place);
    await first.write([{ sql: 'create table effect (id text not null primary key)' }]);
    await first.write([{ sql: 'create table event (id text not null primary key)' }]);
    await first.close();
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      acknowledged.push(...(await writeAndKill(engine.name, place, round)));
      if (engine.name === 'postgres') await waitUntilNoSessions(place);
      const db = await engine.openAt(place);
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
