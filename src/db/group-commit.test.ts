import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Row, WriteBusy, WriteRefused, WriteUnknown } from './database.ts';
import { type BatchCommitter, createGroupCommit, nothingToRetry, type PendingUnit } from './group-commit.ts';
import { createStatementTexts } from './statement-texts.ts';

const unit = [{ sql: 'select 1' }];
const rows: Row[][] = [[{ n: 1 }]];
const noJitter = (bytes: number) => new Uint8Array(bytes);

function groupCommit(lanes: readonly BatchCommitter[], maxBatchUnits: number) {
  return createGroupCommit({ committers: lanes, maxBatchUnits, texts: createStatementTexts(), random: noJitter });
}

function resolveAll(batch: readonly PendingUnit[]) {
  for (const pending of batch) pending.resolve(rows);
  return nothingToRetry;
}

test('the units of one turn of the event loop share commits, up to the limit of a batch', async () => {
  const sizes: number[] = [];
  const commits = groupCommit(
    [
      async (batch) => {
        sizes.push(batch.length);
        return resolveAll(batch);
      },
    ],
    256,
  );
  const results = await Promise.all(Array.from({ length: 1_000 }, () => commits.write(unit)));
  assert.deepEqual(sizes, [256, 256, 256, 232]);
  assert.deepEqual(results, new Array(1_000).fill(rows));
});

test('a lane gets its next batch only when it has settled the one before', async () => {
  const gates: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const lane: BatchCommitter = async (batch) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => gates.push(resolve));
    running -= 1;
    return resolveAll(batch);
  };
  const commits = groupCommit([lane, lane], 1);
  const written = Promise.all([commits.write(unit), commits.write(unit), commits.write(unit)]);
  for (let opened = 0; opened < 3; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const gate = gates.shift();
    if (gate === undefined) continue;
    gate();
    opened += 1;
  }
  await written;
  assert.equal(most, 2);
});

test('what a lane gives back runs again three times, and is then busy with the last reason', async () => {
  const attempts: number[] = [];
  const lane: BatchCommitter = async (batch, attempt) => {
    attempts.push(attempt);
    return { units: batch, reason: `reason ${attempt}` };
  };
  await assert.rejects(groupCommit([lane], 8).write(unit), new WriteBusy('nothing is stored after 4 tries: reason 3'));
  assert.deepEqual(attempts, [0, 1, 2, 3]);
});

test('between two tries others have their turn, each time for a while that is drawn', async () => {
  let drawn = 0;
  let turns = 0;
  const seen: [number, number][] = [];
  const random = (bytes: number) => {
    drawn += 1;
    return noJitter(bytes);
  };
  const lane: BatchCommitter = async (batch) => {
    seen.push([drawn, turns]);
    process.nextTick(() => {
      turns += 1;
    });
    return { units: batch, reason: 'again' };
  };
  const commits = createGroupCommit({ committers: [lane], maxBatchUnits: 8, texts: createStatementTexts(), random });
  await assert.rejects(commits.write(unit), WriteBusy);
  assert.deepEqual(seen, [
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
});

test('only what a lane gives back runs again', async () => {
  const sizes: number[] = [];
  const lane: BatchCommitter = async (batch) => {
    sizes.push(batch.length);
    resolveAll(batch.slice(1));
    return sizes.length === 1 ? { units: batch.slice(0, 1), reason: 'once' } : resolveAll(batch);
  };
  const commits = groupCommit([lane], 8);
  assert.deepEqual(await Promise.all([commits.write(unit), commits.write(unit)]), [rows, rows]);
  assert.deepEqual(sizes, [2, 1]);
});

test('a lane that throws leaves its units unknown and does not run them again', async () => {
  let runs = 0;
  const lane: BatchCommitter = async () => {
    runs += 1;
    throw new Error('broken');
  };
  await assert.rejects(groupCommit([lane], 8).write(unit), WriteUnknown);
  assert.equal(runs, 1);
});

test('closing waits for the units that came before, and refuses those that come after', async () => {
  const commits = groupCommit([async (batch) => resolveAll(batch)], 8);
  const before = commits.write(unit);
  const closed = commits.close();
  await assert.rejects(commits.write(unit), WriteBusy);
  await closed;
  assert.deepEqual(await before, rows);
  await commits.close();
});

test('more than 20,000 waiting units are busy at once, and those that wait are kept', async () => {
  const commits = groupCommit([async (batch) => resolveAll(batch)], 256);
  const waiting = Array.from({ length: 20_000 }, () => commits.write(unit));
  await assert.rejects(commits.write(unit), new WriteBusy('expected at most 20000 waiting units; try again later'));
  assert.equal((await Promise.all(waiting)).length, 20_000);
});

test('a unit with a value that cannot be stored never reaches a lane', async () => {
  const commits = groupCommit([async () => assert.fail('it did')], 8);
  const refused = commits.write([{ sql: 'select 1' }, { sql: 'select $1', args: [0.5] }]);
  await assert.rejects(refused, new WriteRefused('other', 1, '$1 is not a whole number below 2^53'));
});

test('a unit without statements is stored at once', async () => {
  assert.deepEqual(await groupCommit([], 8).write([]), []);
});

for (const lanes of [1, 2]) {
  test(`the end of ${lanes} waits, though asked for twice, for what is under way and behind it, and refuses the rest`, async () => {
    const gates: (() => void)[] = [];
    const settled: string[] = [];
    const lane: BatchCommitter = async (batch) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return resolveAll(batch);
    };
    const commits = groupCommit(new Array<BatchCommitter>(lanes).fill(lane), 1);
    for (const name of ['a', 'b', 'c']) void commits.write(unit).then(() => settled.push(name));
    await new Promise((resolve) => setImmediate(resolve));
    const ends = ['one end', 'other end'].map((name) => commits.close().then(() => settled.push(name)));
    await assert.rejects(commits.write(unit), new WriteBusy('the database is closed'));
    for (const seen of [['a'], ['a', 'b'], ['a', 'b', 'c', 'one end', 'other end']]) {
      gates.shift()?.();
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(settled, seen);
    }
    await Promise.all(ends);
  });
}
