import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { createLog } from '../../src/api/log.ts';
import type { RunningJob } from '../../src/api/slice.ts';
import { readSettings } from '../../src/config/settings.ts';
import { sweepBlobs } from '../../src/documents/blobs/sweep-blobs.ts';
import { startDocumentJobs } from '../../src/documents/document-jobs.ts';
import { systemTimer, type Timer } from '../../src/jobs/timer.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { engines } from '../support/database-engines.ts';
import { type DocumentApp, depositDocumentOf, makePdf, openDocumentApp } from '../support/document-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const longestMs = 10_000;
const dayMs = 86_400_000;

type More = Partial<
  Pick<Parameters<typeof startDocumentJobs>[0], 'random' | 'log' | 'timer' | 'openedAt' | 'lookAtClock' | 'isClockSure'>
>;

function keep({ db, createId, ports, app: { clock, commit } }: DocumentApp, more: More = {}): RunningJob {
  const claim = async () => assert.fail('nothing is scanned');
  const settings = readSettings({ CLAMAV: 'off' });
  const machine = {
    random: systemRandom,
    timer: systemTimer,
    openedAt: clock.now(),
    lookAtClock: async () => 0,
    isClockSure: async () => true,
    log: createLog('silent'),
  };
  return startDocumentJobs({ db, createId, clock, commit, claim, settings, ...machine, ...more }, ports);
}

/** The machine's timer, and the first call with that delay, which the test runs by itself. */
function holdingTimers(ms: number): { readonly timer: Timer; readonly later: Promise<() => void> } {
  const { promise: later, resolve } = Promise.withResolvers<() => void>();
  const timer: Timer = (delayMs, call) => {
    if (delayMs !== ms) return systemTimer(delayMs, call);
    resolve(call);
    return () => undefined;
  };
  return { timer, later };
}

for (const engine of engines) {
  test(`${engine.name}: a sweep keeps uploads that may still run, also of other processes at a start, and keeps blobs without a row for 30 days`, async (t) => {
    const { timer, later } = holdingTimers(6 * 3_600_000);
    const app = await openDocumentApp(t, engine);
    // Files have the time of the machine, whose clock is slow.
    const startedAt = app.time.now - 2 * dayMs;
    const { blobs } = app.wires;
    for (let owned = 0; owned < 3; owned += 1) await depositDocumentOf(app, makePdf(100));
    const ages: Readonly<Record<string, number>> = { doc_old: 31 * dayMs + 1, doc_young: 30 * dayMs - 1 };
    for (const name of Object.keys(ages)) await blobs.put(name, Readable.from([Buffer.from('x')]));
    const [broken, removed] = [[] as number[], [] as string[]];
    app.wires.blobs = {
      ...blobs,
      removeIncompleteUploads: async (before) => {
        broken.push(startedAt - before);
        return 0;
      },
      list: async function* () {
        for await (const { name } of blobs.list()) yield { name, storedAt: startedAt - (ages[name] ?? 40 * dayMs) };
      },
      remove: async (name) => void removed.push(name),
    };
    // The server has listened for a while when the sweep begins.
    const openedAt = app.time.now - 3_000;
    const retentionJobs = keep(app, { timer, openedAt, lookAtClock: async () => -2 * dayMs });
    await waitUntil(async () => removed.length > 0);
    (await later)();
    await waitUntil(async () => removed.length > 1);
    await retentionJobs.stop(longestMs);
    assert.deepEqual(
      [broken, removed],
      [
        [engine.name === 'sqlite' ? 3_000 : dayMs, dayMs],
        ['doc_old', 'doc_old'],
      ],
    );
  });

  test(`${engine.name}: a document that the hourly deletion run cannot erase is logged`, async (t) => {
    const shortest = 2_000;
    const { timer, later: hourly } = holdingTimers(shortest);
    const app = await openDocumentApp(t, engine);
    const keptUntil = { 'document-retain-until': new Date(app.time.now + dayMs).toISOString() };
    await app.withdraw(await depositDocumentOf(app, makePdf(100), keptUntil));
    app.time.now += dayMs;
    app.wires.write = (unit) => {
      if (unit.some(({ erase }) => erase === true)) return Promise.reject(new Error('the disk is full'));
      return app.db.write(unit);
    };
    const lines: string[] = [];
    const log = createLog('error', { write: (line) => lines.push(line) });
    const retentionJobs = keep(app, { log, timer, random: (bytes) => new Uint8Array(bytes) });
    (await hourly)();
    await waitUntil(async () => lines.length > 0);
    await retentionJobs.stop(longestMs);
    const { where, fault } = JSON.parse(lines.join(''));
    assert.deepEqual([where, fault.message], ['documents', 'the disk is full']);
  });

  test(`${engine.name}: a document store that does not respond does not delay the stop`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const asked = Promise.withResolvers<void>();
    const removeIncompleteUploads = () => {
      asked.resolve();
      return new Promise<never>(() => undefined);
    };
    app.wires.blobs = { ...app.wires.blobs, removeIncompleteUploads };
    const retentionJobs = keep(app);
    await asked.promise;
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => late.resolve('late'), longestMs);
    t.after(() => clearTimeout(timer));
    assert.equal(await Promise.race([retentionJobs.stop(1), late.promise]), undefined);
  });

  test(`${engine.name}: a sweep removes nothing while the clock is not trusted`, async (t) => {
    const app = await openDocumentApp(t, engine);
    await depositDocumentOf(app, makePdf(100));
    await app.wires.blobs.put('doc_rowless', Readable.from([Buffer.from('x')]));
    // Files have the time of the machine: far before this clock on any day.
    app.time.now = Date.now() + 400 * dayMs;
    const asked = Promise.withResolvers<void>();
    const sweep = (isSure: boolean) =>
      keep(app, {
        isClockSure: async () => {
          asked.resolve();
          return isSure;
        },
      });
    const doubting = sweep(false);
    await asked.promise;
    await doubting.stop(longestMs);
    assert.equal((await app.files()).length, 2);
    const believing = sweep(true);
    await waitUntil(async () => (await app.files()).length === 1);
    await believing.stop(longestMs);
  });

  test(`${engine.name}: a sweep that is stopped removes nothing more`, async (t) => {
    const app = await openDocumentApp(t, engine);
    for (const name of ['doc_aaaa', 'doc_bbbb']) {
      await app.wires.blobs.put(name, Readable.from([Buffer.from('x')]));
    }
    const parts = { blobs: app.wires.blobs, read: app.db.read };
    const always = { before: Number.MAX_SAFE_INTEGER, rowless: Number.MAX_SAFE_INTEGER };
    const stopped = await sweepBlobs({ ...parts, isStopping: () => true }, always);
    assert.deepEqual([stopped, (await app.files()).length], [{ broken: 0, orphans: 0, strays: 0 }, 2]);
  });
}
