import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { startScanWorker } from '../../src/documents/scan/scan-documents.ts';
import { queueRescans } from '../../src/documents/scan/scan-store.ts';
import type { ScanVerdict } from '../../src/documents/scan/scanner.ts';
import { engines } from '../support/database-engines.ts';
import {
  cleanVerdict,
  createDocumentScan,
  depositDocumentOf,
  makePdf,
  openDocumentApp,
} from '../support/document-app.ts';

for (const engine of engines) {
  test(`${engine.name}: a rescan with new signatures quarantines a document that was available`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const verdicts: ScanVerdict[] = [cleanVerdict, { verdict: 'infected', engine: 'new', finding: 'Later' }];
    const { parts } = createDocumentScan(app, async (given) => {
      for await (const piece of given) assert.ok(piece.length > 0);
      return verdicts.shift() ?? cleanVerdict;
    });
    const id = await depositDocumentOf(app, makePdf(100));
    const scanning = startScanWorker(parts);
    await scanning.idle();
    assert.ok('status' in (await app.retrieve(id)));
    const { now } = app.time;
    const asked = { now, before: now + 1, quarantined: false, limit: 10 };
    assert.deepEqual(await parts.claim(queueRescans({ ...asked, engine: cleanVerdict.engine })), []);
    assert.deepEqual(await parts.claim(queueRescans({ ...asked, engine: 'new', since: now + 1 })), []);
    assert.deepEqual(await parts.claim(queueRescans({ ...asked, engine: 'new', since: now })), [{ id }]);
    scanning.wake();
    await scanning.idle();
    await scanning.stop(1_000);
    const got = await app.retrieve(id);
    assert.ok('refusal' in got && got.refusal.slug === 'document-quarantined');
  });

  test(`${engine.name}: documents scanned with the present signatures are skipped by later rescans`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const { parts, time } = createDocumentScan(app, async () => cleanVerdict);
    const looks: { engine: string; since: number; before: number }[] = [];
    const batch = Array.from({ length: 500 }, () => ({ id: 'some' }));
    const answers: (typeof batch | undefined)[] = [undefined, undefined, undefined, batch, undefined, batch, undefined];
    const claim: typeof parts.claim = async (statement) => {
      const rows = await parts.claim(statement);
      if (!statement.sql.includes('scan_engine, ')) return rows;
      const [, before, by, , , since] = statement.args ?? [];
      looks.push({ engine: String(by), since: Number(since), before: Number(before) });
      return answers[looks.length - 1] ?? rows;
    };
    const signatures = ['one', 'one', 'two', 'two', 'two', 'three', 'three'];
    const scanner = { ...parts.scanner, engine: async () => signatures[looks.length] ?? '' };
    const scanning = startScanWorker({ ...parts, claim, scanner });
    for (let turn = 0; turn < 50 && looks.length < signatures.length; turn += 1) {
      await time.advance(600_000, scanning.idle);
    }
    await scanning.stop(1_000);
    // The rescan after which it searched from the beginning; -1 is from the beginning.
    assert.deepEqual(
      looks.map(({ engine, since }) => [engine, looks.findIndex(({ before }) => before === since)]),
      [
        ['one', -1],
        ['one', 0],
        ['two', -1],
        // A full batch was queued, so there may be more.
        ['two', 2],
        ['two', 2],
        ['three', -1],
        ['three', -1],
      ],
    );
    assert.ok(looks.every(({ since, before }) => since === 0 || since < before));
  });

  test(`${engine.name}: a late verdict leaves a document queued for its rescan`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const { now } = app.time;
    const queue = async (quarantined: boolean) =>
      await parts.claim(queueRescans({ now, before: now + 1, engine: undefined, quarantined, limit: 10 }));
    let scans = 0;
    const { parts } = createDocumentScan(app, async (given) => {
      await buffer(given);
      scans += 1;
      if (scans !== 2) return cleanVerdict;
      // Another process took over this scan and was faster, and an operator queued a rescan.
      await app.db.write([{ sql: "update document set status = 'quarantined', scan_due_at = null" }]);
      assert.equal((await queue(true)).length, 1);
      return cleanVerdict;
    });
    const id = await depositDocumentOf(app, makePdf(100));
    const scanning = startScanWorker(parts);
    await scanning.idle();
    assert.equal((await queue(false)).length, 1);
    scanning.wake();
    await scanning.idle();
    await scanning.stop(1_000);
    assert.equal(scans, 3);
    assert.ok('status' in (await app.retrieve(id)));
  });
}
