import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { BlobsUnavailable } from '../../src/documents/blobs/blob-store.ts';
import { createClamdProbes } from '../../src/documents/scan/clamd-probes.ts';
import { createClamdScanner } from '../../src/documents/scan/clamd-scanner.ts';
import { startScanWorker } from '../../src/documents/scan/scan-documents.ts';
import { ScannerFault, type ScanVerdict } from '../../src/documents/scan/scanner.ts';
import { type ClamdResponder, startFakeClamd } from '../support/clamd.ts';
import { engines } from '../support/database-engines.ts';
import {
  cleanVerdict,
  createDocumentScan,
  depositDocumentOf,
  makePdf,
  openDocumentApp,
  testCitizenId,
} from '../support/document-app.ts';

const anyBytes = Buffer.from('hello');

async function* one(bytes: Uint8Array) {
  yield bytes;
}

/** A clamd that detects all probe files, and answers other requests by `responder`. */
const proper = (speaks: ClamdResponder): ClamdResponder => {
  const probes = createClamdProbes();
  return (command, stream) => {
    if (command === 'zVERSION') return 'ClamAV 1.4.6/27000/Thu\0';
    return probes.some(({ bytes }) => bytes.equals(stream)) ? 'stream: Heuristics.X FOUND\0' : speaks(command, stream);
  };
};

/** The result of a scan. */
async function scanWith(t: TestContext, speaks: ClamdResponder): Promise<ScanVerdict | string> {
  const scanner = createClamdScanner({ address: { path: await startFakeClamd(t, speaks) }, silenceMs: 30_000 });
  return scanner.scan(one(anyBytes), anyBytes.length).catch((fault: unknown) => {
    assert.ok(fault instanceof ScannerFault, String(fault));
    return `${fault.kind}: ${fault.message}`;
  });
}

test('a document counts as clean only after `stream: OK` for all of its bytes', async (t) => {
  const engine = 'ClamAV 1.4.6/27000/Thu';
  assert.deepEqual(
    await scanWith(
      t,
      proper(() => 'stream: OK\0'),
    ),
    { verdict: 'clean', engine },
  );
  const found = (reply: string) =>
    scanWith(
      t,
      proper(() => reply),
    );
  assert.deepEqual(await found('stream: Eicar FOUND\0'), { verdict: 'infected', engine, finding: 'Eicar' });
  for (const finding of ['Heuristics.Encrypted.PDF', 'Heuristics.Limits.Exceeded.MaxFileSize']) {
    assert.deepEqual(await found(`stream: ${finding} FOUND\0`), { verdict: 'unscannable', engine, finding });
  }
  assert.deepEqual(await found('INSTREAM size limit exceeded. ERROR\0'), {
    verdict: 'unscannable',
    engine,
    finding: 'above StreamMaxLength',
  });
  for (const odd of ['stream: OK', '', 'OK\0', 'stream: OK FOUND OK\0', "stream: Can't allocate memory ERROR\0"]) {
    assert.match(String(await found(odd)), /^failed: /, JSON.stringify(odd));
  }
  assert.match(
    String(
      await scanWith(
        t,
        proper(() => undefined),
      ),
    ),
    /^failed: no response/,
  );
});

test('a clamd counts as down if it is silent, absent, another server, or unable to report files that it cannot scan', async (t) => {
  const absent = createClamdScanner({ address: { path: '/nowhere/clamd.sock' } });
  await assert.rejects(
    absent.scan(one(anyBytes), 5),
    (fault) => fault instanceof ScannerFault && fault.kind === 'down',
  );
  assert.match(String(await scanWith(t, () => 'stream: OK\0')), /^down: the server at CLAMAV is not clamd/);
  const blind: ClamdResponder = (command) => (command === 'zVERSION' ? 'ClamAV 1.4.6\0' : 'stream: OK\0');
  assert.match(
    String(await scanWith(t, blind)),
    /^down: clamd reports an encrypted archive as clean; .*AlertEncrypted/,
  );
  assert.match(String(await scanWith(t, () => undefined)), /^down: no response from clamd/);
});

test('a fault while a document is sent to the scanner is reported as that fault, and not as a verdict', async (t) => {
  const path = await startFakeClamd(
    t,
    proper(() => 'stream: OK\0'),
  );
  async function* broken() {
    yield anyBytes;
    throw new RangeError('broken blob');
  }
  await assert.rejects(createClamdScanner({ address: { path } }).scan(broken(), 10), RangeError);
  await assert.rejects(
    createClamdScanner({ address: { path } }).scan(one(anyBytes), 6),
    /before it received the whole/,
  );
});

for (const engine of engines) {
  test(`${engine.name}: a document is delivered only after the scanner received all of it and called it clean`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const bytes = makePdf(40_000);
    let seen = Buffer.alloc(0);
    const { parts } = createDocumentScan(app, async (given) => {
      seen = await buffer(given);
      return cleanVerdict;
    });
    const id = await depositDocumentOf(app, bytes);
    const early = await app.retrieve(id);
    assert.ok('refusal' in early && early.refusal.slug === 'document-not-ready');
    const scanning = startScanWorker(parts);
    await scanning.idle();
    await scanning.stop(1_000);
    assert.ok(seen.equals(bytes));
    const whole = await app.retrieve(id);
    assert.ok('status' in whole && whole.bytes.equals(bytes));
    const record = await app.readRecord(id);
    const at = new Date(app.time.now).toISOString();
    const scan = { verdict: 'clean', at, engine: cleanVerdict.engine, finding: null };
    assert.deepEqual('json' in record && (record.json as { scan: unknown }).scan, scan);
    const [event] = (await app.eventsAbout(testCitizenId)).filter(({ type }) => type === 'document.scanned');
    assert.deepEqual(
      [event?.['verdict'], event?.['engine'], event?.['actor']],
      ['clean', cleanVerdict.engine, { process: 'scan' }],
    );
  });

  test(`${engine.name}: an infected or unscannable document is quarantined and never delivered`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const verdicts: ScanVerdict[] = [
      { verdict: 'infected', engine: 'e', finding: 'Eicar' },
      { verdict: 'unscannable', engine: 'e', finding: 'Heuristics.Encrypted.Zip' },
    ];
    const { parts } = createDocumentScan(app, async (given) => {
      await buffer(given);
      return verdicts.shift() ?? cleanVerdict;
    });
    const ids = [await depositDocumentOf(app, makePdf(100)), await depositDocumentOf(app, makePdf(200))];
    const scanning = startScanWorker(parts);
    await scanning.idle();
    await scanning.stop(1_000);
    for (const id of ids) {
      for (const asked of [{}, { method: 'HEAD' }, { headers: { range: 'bytes=0-1' } }]) {
        const got = await app.retrieve(id, asked);
        assert.ok('refusal' in got && got.refusal.slug === 'document-quarantined');
      }
    }
    assert.deepEqual(app.alarms, ['document-infected']);
  });

  test(`${engine.name}: a document that is withdrawn or erased during its scan stays so for any verdict`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const until = { 'document-retain-until': new Date(app.time.now + 86_400_000).toISOString() };
    const ids = [await depositDocumentOf(app, makePdf(100)), await depositDocumentOf(app, makePdf(200), until)];
    const { parts } = createDocumentScan(app, async (given) => {
      await buffer(given);
      for (const id of ids) await app.withdraw(id);
      return cleanVerdict;
    });
    await app.db.write([{ sql: "update document set status = 'scanning', scan_due_at = 0" }]);
    const scanning = startScanWorker(parts);
    await scanning.idle();
    await scanning.stop(1_000);
    const rows = await app.db.read('select status, scan_due_at, scan_verdict from document order by id');
    const left = { scan_due_at: null, scan_verdict: 'not-scanned' };
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { status: 'erased', ...left },
        { status: 'withdrawn', ...left },
      ],
    );
  });

  test(`${engine.name}: while the scanner is down documents wait, the outage is reported repeatedly, and they are scanned afterwards`, async (t) => {
    const app = await openDocumentApp(t, engine);
    let down = true;
    const { parts, time, reports } = createDocumentScan(app, async (given) => {
      if (down) throw new ScannerFault('down', 'no answer');
      await buffer(given);
      return cleanVerdict;
    });
    const id = await depositDocumentOf(app, makePdf(100));
    await depositDocumentOf(app, makePdf(200));
    const scanning = startScanWorker(parts);
    await scanning.idle();
    assert.deepEqual(reports, ['no answer'], 'two documents that wait are one outage');
    // The longest delay between two attempts is five minutes.
    for (let round = 1; round <= 3; round += 1) {
      const before: number = reports.length;
      await time.advance(400_000, scanning.idle);
      assert.ok(
        reports.length > before && reports.length - before <= 400 / 60 + 1,
        `${reports.length - before} times in 400 s`,
      );
    }
    assert.deepEqual(new Set(reports), new Set(['no answer']));
    const early = await app.retrieve(id);
    assert.ok('refusal' in early && early.refusal.slug === 'document-not-ready');
    down = false;
    await time.advance(400_000, scanning.idle);
    await scanning.stop(1_000);
    assert.deepEqual(reports.slice(-2), ['no answer', undefined]);
    assert.ok('status' in (await app.retrieve(id)));
  });

  test(`${engine.name}: while the blobs are unavailable documents wait without limit, and are scanned within minutes afterwards`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const { parts, time } = createDocumentScan(app, async (given) => {
      await buffer(given);
      return cleanVerdict;
    });
    const id = await depositDocumentOf(app, makePdf(100));
    const { blobs } = app.wires;
    let asked = 0;
    const read: typeof blobs.read = () => {
      asked += 1;
      throw new BlobsUnavailable('no answer');
    };
    app.wires.blobs = { ...blobs, read };
    const scanning = startScanWorker(parts);
    for (let round = 0; round < 5; round += 1) await time.advance(400_000, scanning.idle);
    assert.ok(asked >= 8, `${asked}`);
    app.wires.blobs = blobs;
    await time.advance(400_000, scanning.idle);
    await scanning.stop(1_000);
    assert.ok('status' in (await app.retrieve(id)));
  });

  test(`${engine.name}: a document at which the scanner fails repeatedly counts as unscannable`, async (t) => {
    const app = await openDocumentApp(t, engine);
    let tries = 0;
    const { parts, time } = createDocumentScan(app, async () => {
      tries += 1;
      throw new ScannerFault('failed', 'timed out');
    });
    const id = await depositDocumentOf(app, makePdf(100));
    const scanning = startScanWorker(parts);
    for (let round = 0; round < 8; round += 1) {
      await scanning.idle();
      await time.advance(400_000, scanning.idle);
    }
    await scanning.idle();
    await scanning.stop(1_000);
    assert.equal(tries, 6);
    const got = await app.retrieve(id);
    assert.ok('refusal' in got && got.refusal.slug === 'document-quarantined');
  });

  test(`${engine.name}: a scanner that never answers the query for its version does not delay the stop`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const { parts, time } = createDocumentScan(app, async () => cleanVerdict);
    const scanner = { ...parts.scanner, engine: () => new Promise<never>(() => undefined) };
    const scanning = startScanWorker({ ...parts, scanner });
    await time.advance(600_000, scanning.idle);
    const stopped = scanning.stop(1_000);
    await time.advance(1_000, async () => undefined);
    const longest = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => longest.resolve('late'), 10_000);
    t.after(() => clearTimeout(timer));
    assert.equal(await Promise.race([stopped, longest.promise]), false);
  });
}
