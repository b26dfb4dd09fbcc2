import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedZip } from '../../src/documents/scan/clamd-probes.ts';
import { createClamdScanner } from '../../src/documents/scan/clamd-scanner.ts';
import { startScanWorker } from '../../src/documents/scan/scan-documents.ts';
import { eicar, isClamdInstalled, startClamd } from '../support/clamd.ts';
import { engines } from '../support/database-engines.ts';
import {
  cleanVerdict,
  createDocumentScan,
  depositDocumentOf,
  openDocumentApp,
  testCitizenId,
} from '../support/document-app.ts';

const anyBytes = Buffer.from('hello');

async function* one(bytes: Uint8Array) {
  yield bytes;
}

const skip = isClamdInstalled ? false : 'clamd is not installed: apt-get install --no-install-recommends clamav-daemon';

test('a real clamd finds EICAR, and never reports a file as clean that it cannot scan', { skip }, async (t) => {
  const limits = ['AlertEncrypted yes', 'AlertExceedsMax yes', 'StreamMaxLength 3M', 'MaxFileSize 2M'];
  const scanner = createClamdScanner({ address: { path: await startClamd(t, limits) } });
  // A client that writes while clamd closes the connection may lose its answer: the scan is retried, and so is this test.
  const verdict = async (bytes: Buffer, tries = 3): Promise<string> => {
    try {
      const scanned = await scanner.scan(one(bytes), bytes.length);
      return 'finding' in scanned ? `${scanned.verdict} ${scanned.finding}` : scanned.verdict;
    } catch (fault) {
      if (tries > 1 && /EPIPE|ECONNRESET/.test(String(fault))) return await verdict(bytes, tries - 1);
      throw fault;
    }
  };
  assert.equal(await verdict(Buffer.from('an ordinary letter')), 'clean');
  assert.equal(await verdict(eicar), 'infected Eicar-Test-Signature.UNOFFICIAL');
  assert.equal(await verdict(storedZip('a.txt', eicar, 0)), 'infected Eicar-Test-Signature.UNOFFICIAL');
  assert.equal(await verdict(storedZip('a.txt', Buffer.alloc(100), 1)), 'unscannable Heuristics.Encrypted.Zip');
  const large = storedZip('a', Buffer.alloc(2_500_000), 0);
  assert.equal(await verdict(large), 'unscannable Heuristics.Limits.Exceeded.MaxFileSize');
  assert.equal(await verdict(Buffer.alloc(4_000_000)), 'unscannable above StreamMaxLength');
  assert.match(await scanner.engine(), /^ClamAV \d/);
});

test('a real clamd with its defaults, which reports encrypted files as clean, counts as unavailable', {
  skip,
}, async (t) => {
  const scanner = createClamdScanner({ address: { path: await startClamd(t, []) } });
  await assert.rejects(scanner.scan(one(anyBytes), 5), /AlertEncryptedArchive/);
});

test('with a real clamd a letter is delivered, and EICAR, an encrypted archive and a too large archive are not', {
  skip,
}, async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const app = await openDocumentApp(t, engine);
  const limits = ['AlertEncrypted yes', 'AlertExceedsMax yes', 'MaxFileSize 1M'];
  const { parts } = createDocumentScan(app, async () => cleanVerdict);
  const scanner = createClamdScanner({ address: { path: await startClamd(t, limits) } });
  const zip = { 'content-type': 'application/zip' };
  const ids = [
    await depositDocumentOf(app, Buffer.from('a letter'), { 'content-type': 'text/plain' }),
    await depositDocumentOf(app, eicar, { 'content-type': 'text/plain' }),
    await depositDocumentOf(app, storedZip('a.txt', eicar, 0), zip),
    await depositDocumentOf(app, storedZip('a.txt', Buffer.alloc(100), 1), zip),
    await depositDocumentOf(app, storedZip('a.txt', Buffer.alloc(1_500_000), 0), zip),
  ];
  const scanning = startScanWorker({ ...parts, scanner });
  await scanning.idle();
  await scanning.stop(1_000);
  const outcomes = await Promise.all(
    ids.map(async (id) => {
      const got = await app.retrieve(id);
      return 'refusal' in got ? got.refusal.slug : got.status;
    }),
  );
  assert.deepEqual(outcomes, [200, ...Array(4).fill('document-quarantined')]);
  const found = (await app.eventsAbout(testCitizenId)).flatMap(({ type, verdict, finding }) =>
    type === 'document.scanned' ? [`${verdict} ${finding ?? ''}`.trim()] : [],
  );
  assert.deepEqual(found.sort(), [
    'clean',
    'infected Eicar-Test-Signature.UNOFFICIAL',
    'infected Eicar-Test-Signature.UNOFFICIAL',
    'unscannable Heuristics.Encrypted.Zip',
    'unscannable Heuristics.Limits.Exceeded.MaxFileSize',
  ]);
});
