import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Row, WriteBusy, WriteQueueFull, WriteRefused, WriteUnknown } from './database.ts';
import { type BatchCommitter, createGroupCommit, nothingToRetry, type PendingUnit } from './group-commit.ts';
import { createStatementTexts } from './statement-texts.ts';

const unit = [{ sql: 'select 1' }];
const rows: Row[][] = [[{ n: 1 }]];
const noJitter = (bytes: number) => new Uint8Array(bytes);

function groupCommit(committers: readonly BatchCommitter[], maxBatchUnits: number) {
  return createGroupCommit({ committers, maxBatchUnits, texts: createStatementTexts(), random: noJitter });
}

function resolveAll(batch: readonly PendingUnit[]) {
  for (const pending of batch) pending.resolve(rows);
  return nothingToRetry;
}

test('the units of one tick share commits, up to the limit of a batch', async () => {
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

test('a committer gets its next batch after it has completed the previous one', async () => {
  const releases: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const committer: BatchCommitter = async (batch) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => releases.push(resolve));
    running -= 1;
    return resolveAll(batch);
  };
  const commits = groupCommit([committer, committer], 1);
  const written = Promise.all([commits.write(unit), commits.write(unit), commits.write(unit)]);
  for (let released = 0; released < 3; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const release = releases.shift();
    if (release === undefined) continue;
    release();
    released += 1;
  }
  await written;
  assert.equal(most, 2);
});

test('units that a committer returns run again three times, and are then busy with the last reason', async () => {
  const attempts: number[] = [];
  const committer: BatchCommitter = async (batch, attempt) => {
    attempts.push(attempt);
    return { units: batch, reason: `reason ${attempt}` };
  };
  await assert.rejects(
    groupCommit([committer], 8).write(unit),
    new WriteBusy('nothing is stored after 4 tries: reason 3'),
  );
  assert.deepEqual(attempts, [0, 1, 2, 3]);
});

test('other work runs for a random time between two tries of a unit', async () => {
  let drawn = 0;
  let turns = 0;
  const seen: [number, number][] = [];
  const random = (bytes: number) => {
    drawn += 1;
    return noJitter(bytes);
  };
  const committer: BatchCommitter = async (batch) => {
    seen.push([drawn, turns]);
    process.nextTick(() => {
      turns += 1;
    });
    return { units: batch, reason: 'again' };
  };
  const commits = createGroupCommit({
    committers: [committer],
    maxBatchUnits: 8,
    texts: createStatementTexts(),
    random,
  });
  await assert.rejects(commits.write(unit), WriteBusy);
  assert.deepEqual(seen, [
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
});

test('only the units that a committer returns run again', async () => {
  const sizes: number[] = [];
  const committer: BatchCommitter = async (batch) => {
    sizes.push(batch.length);
    resolveAll(batch.slice(1));
    return sizes.length === 1 ? { units: batch.slice(0, 1), reason: 'once' } : resolveAll(batch);
  };
  const commits = groupCommit([committer], 8);
  assert.deepEqual(await Promise.all([commits.write(unit), commits.write(unit)]), [rows, rows]);
  assert.deepEqual(sizes, [2, 1]);
});

test('the outcome of a unit is unknown when its committer throws, and the unit does not run again', async () => {
  let runs = 0;
  const committer: BatchCommitter = async () => {
    runs += 1;
    throw new Error('broken');
  };
  await assert.rejects(groupCommit([committer], 8).write(unit), WriteUnknown);
  assert.equal(runs, 1);
});

test('close waits for earlier units, and later units are refused as busy', async () => {
  const commits = groupCommit([async (batch) => resolveAll(batch)], 8);
  const before = commits.write(unit);
  const closed = commits.close();
  await assert.rejects(commits.write(unit), WriteBusy);
  await closed;
  assert.deepEqual(await before, rows);
  await commits.close();
});

test('the 20,001st waiting unit is refused as busy at once, and the others are stored', async () => {
  const commits = groupCommit([async (batch) => resolveAll(batch)], 256);
  const waiting = Array.from({ length: 20_000 }, () => commits.write(unit));
  await assert.rejects(
    commits.write(unit),
    new WriteQueueFull('expected at most 20000 waiting units; try again later'),
  );
  assert.equal((await Promise.all(waiting)).length, 20_000);
});

test('a unit with a value that cannot be stored never reaches a committer', async () => {
  const commits = groupCommit([async () => assert.fail('the unit reached the committer')], 8);
  const refused = commits.write([{ sql: 'select 1' }, { sql: 'select $1', args: [0.5] }]);
  await assert.rejects(refused, new WriteRefused('other', 1, '$1 is not an integer below 2^53'));
});

test('a unit without statements is stored at once', async () => {
  assert.deepEqual(await groupCommit([], 8).write([]), []);
});

for (const committerCount of [1, 2]) {
  test(`two calls of close with ${committerCount} committers wait for running and waiting units, and later units are busy`, async () => {
    const releases: (() => void)[] = [];
    const settled: string[] = [];
    const committer: BatchCommitter = async (batch) => {
      await new Promise<void>((resolve) => releases.push(resolve));
      return resolveAll(batch);
    };
    const commits = groupCommit(new Array<BatchCommitter>(committerCount).fill(committer), 1);
    for (const name of ['a', 'b', 'c']) void commits.write(unit).then(() => settled.push(name));
    await new Promise((resolve) => setImmediate(resolve));
    const ends = ['one end', 'other end'].map((name) => commits.close().then(() => settled.push(name)));
    await assert.rejects(commits.write(unit), new WriteBusy('the database is closed'));
    for (const seen of [['a'], ['a', 'b'], ['a', 'b', 'c', 'one end', 'other end']]) {
      releases.shift()?.();
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(settled, seen);
    }
    await Promise.all(ends);
  });
}
