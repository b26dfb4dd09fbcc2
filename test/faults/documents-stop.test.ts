import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { createLog } from '../../src/api/log.ts';
import { startKeeping } from '../../src/compose-documents.ts';
import { readSettings } from '../../src/config/settings.ts';
import { sweepBlobs } from '../../src/documents/sweep-blobs.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { openDocumentHouse } from '../document-house.ts';
import { engines } from '../engines.ts';

const longestMs = 10_000;

for (const engine of engines) {
  test(`${engine.name}: a store of documents that does not answer keeps no stop waiting`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const asked = Promise.withResolvers<void>();
    const removeBroken = () => {
      asked.resolve();
      return new Promise<never>(() => undefined);
    };
    house.wires.blobs = { ...house.wires.blobs, removeBroken };
    const claim = async () => assert.fail('nothing is scanned');
    const { db, mint, ports } = house;
    const { clock, commit } = house.house;
    const parts = { db, mint, clock, commit, claim, random: systemRandom, log: createLog('silent') };
    const keeping = startKeeping({ ...parts, settings: readSettings({ CLAMAV: 'off' }) }, ports);
    await asked.promise;
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => late.resolve('late'), longestMs);
    t.after(() => clearTimeout(timer));
    assert.equal(await Promise.race([keeping.stop(1), late.promise]), undefined);
  });

  test(`${engine.name}: a sweep that is told to stop takes nothing more away`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    for (const name of ['doc_aaaa', 'doc_bbbb']) {
      await house.wires.blobs.put(name, Readable.from([Buffer.from('x')]));
    }
    const parts = { blobs: house.wires.blobs, read: house.db.read };
    const always = { before: Number.MAX_SAFE_INTEGER, rowless: Number.MAX_SAFE_INTEGER };
    const stopped = await sweepBlobs({ ...parts, isStopping: () => true }, always);
    assert.deepEqual([stopped, (await house.files()).length], [{ broken: 0, orphans: 0, strays: 0 }, 2]);
  });
}
