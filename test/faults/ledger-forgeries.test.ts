import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveLinkKey } from '../../src/ledger/ledger-entry.ts';
import type { LogSource } from '../../src/ledger/log-source.ts';
import { formatCheckpoint } from '../../src/ledger/tlog/checkpoint.ts';
import { leafHash } from '../../src/ledger/tlog/merkle.ts';
import { signNote } from '../../src/ledger/tlog/note.ts';
import { encodeBundle, parseBundle } from '../../src/ledger/tlog/tile.ts';
import { TileMissing } from '../../src/ledger/tlog/tiled-tree.ts';
import { verifyChain } from '../../src/ledger/verify-chain.ts';
import { verifyLog } from '../../src/ledger/verify-log.ts';
import { engines } from '../support/database-engines.ts';
import { buildLedgerApp, logKeyPolicy, logSigner, origin, withForgedTiles } from '../support/ledger-app.ts';

async function faultOf(source: LogSource, earlier: readonly string[] = []): Promise<string> {
  const verdict = await verifyLog(source, { policy: logKeyPolicy, earlier });
  return 'fault' in verdict ? verdict.fault : 'verified';
}

/** A log of 700 entries with notes of two smaller sizes, and a second history signed by the same key. */
async function twoHistories(t: Parameters<(typeof engines)[0]['open']>[0]) {
  const [engine = assert.fail()] = engines;
  const app = buildLedgerApp(await engine.open(t));
  const other = buildLedgerApp(await engine.open(t));
  const notes: string[] = [];
  for (const count of [100, 300, 300]) {
    for (const one of [app, other]) {
      await one.use(...Array.from({ length: count }, (_, at) => `c${at % 3}`));
      await one.sequence();
    }
    notes.push((await app.view.signedCheckpoint())?.note ?? '');
  }
  return { app, other, notes };
}

test('a verifier with only the public key detects each kind of forgery', async (t) => {
  const { app, other, notes } = await twoHistories(t);
  const { source } = app;
  assert.equal(await faultOf(source, notes), 'verified');

  const inBundle = (change: (entries: Uint8Array[]) => Uint8Array[]) =>
    withForgedTiles(source, ({ level, index }, bytes) => {
      return level === 'entries' && index === 1 ? encodeBundle(change(parseBundle(bytes) ?? [])) : bytes;
    });
  const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, place) => (place === at ? byte ^ 1 : byte));
  // The forger also fixes the leaf hashes, so that only the tree above shows the change.
  const rehashed = (change: (entries: Uint8Array[]) => Uint8Array[]) => {
    const bundle = inBundle(change);
    return {
      ...bundle,
      tile: async (name: Parameters<LogSource['tile']>[0]) => {
        if (name.level !== 0 || name.index !== 1) return await bundle.tile(name);
        return Buffer.concat((parseBundle(await bundle.tile({ ...name, level: 'entries' })) ?? []).map(leafHash));
      },
    };
  };
  const swapTwo = ([a, b, ...rest]: Uint8Array[]) => [b, a, ...rest].filter((one) => one !== undefined);
  const changeOne = ([a, ...rest]: Uint8Array[]) => [flipped(a ?? new Uint8Array(9), 45), ...rest];

  assert.match(await faultOf(inBundle((entries) => entries.toSpliced(7, 1))), /no bundle of 256 entries/);
  assert.match(
    await faultOf(rehashed((entries) => [...entries.toSpliced(7, 1), entries[0] ?? new Uint8Array()])),
    /tile\/1|second history/,
  );
  assert.match(await faultOf(inBundle(changeOne)), /entry 256 differs from its tile/);
  assert.match(await faultOf(rehashed(changeOne)), /tile\/1\/000|second history/);
  assert.match(await faultOf(inBundle(swapTwo)), /entry 256 differs/);
  assert.match(await faultOf(rehashed(swapTwo)), /tile\/1\/000|second history/);
  // Missing or truncated resources.
  const without = (level: number | 'entries'): LogSource => ({
    ...source,
    tile: async (name) => {
      if (name.level === level) throw new TileMissing(level, name.index);
      return await source.tile(name);
    },
  });
  for (const level of ['entries', 0, 1] as const) {
    assert.equal(await faultOf(without(level)), `tile 0 of level ${level} is missing or too short`);
  }
  const cut = withForgedTiles(source, ({ level }, bytes) => (level === 'entries' ? bytes.subarray(0, -1) : bytes));
  assert.match(await faultOf(cut), /no bundle of 256 entries/);
  assert.equal(await faultOf({ ...source, checkpoint: async () => 'x' }), 'the checkpoint is not a signed note');
  assert.equal(await faultOf(source, ['x']), 'an earlier checkpoint: the checkpoint is not a signed note');
  // Entries after the signed size that nobody signed.
  const longer = (level: number | 'entries') =>
    withForgedTiles(source, (name, bytes) => (name.level === level ? Buffer.concat([bytes, Buffer.alloc(32)]) : bytes));
  assert.match(await faultOf(inBundle((entries) => [...entries, Buffer.alloc(90)])), /no bundle of 256 entries/);
  assert.match(await faultOf(longer(0)), /tile\/0\/000 has more than 256 hashes/);
  assert.match(await faultOf(longer(1)), /tile\/1\/000\.p\/2 is not what the entries give/);
  const swapped = {
    ...source,
    tile: (name: Parameters<LogSource['tile']>[0]) =>
      source.tile(name.level === 'entries' || name.width < 256 ? name : { ...name, index: 1 - name.index }),
  };
  assert.match(await faultOf(swapped), /entry 0 differs/);
  assert.match(
    await faultOf(withForgedTiles(source, ({ level }, bytes) => (level === 1 ? flipped(bytes, 3) : bytes))),
    /tile\/1\/000/,
  );
  assert.match(await faultOf(other.source, notes), /signed at size 100: a second history/);
  assert.match(await faultOf({ ...source, checkpoint: async () => notes[1] ?? '' }, notes), /rolled back/);
  const rewritten = signNote(formatCheckpoint({ origin, size: 700, root: Buffer.alloc(32, 1) }), [logSigner], 0);
  assert.match(await faultOf({ ...source, checkpoint: async () => rewritten }), /signed at size 700/);
  assert.match(
    await faultOf({ ...source, checkpoint: async () => (notes[2] ?? '').replace('\n700\n', '\n699\n') }),
    /signature/,
  );
});

test('a removed entry shows in the chain of its citizen, even if the forger has all keys of the log', async (t) => {
  const [engine = assert.fail()] = engines;
  const app = buildLedgerApp(await engine.open(t));
  await app.use('anna', 'anna', 'bert', 'anna');
  await app.sequence();
  const chain = app.citizenKeys.pseudonymOf('anna');
  const linkKey = deriveLinkKey(await app.citizenKeys.keyOf('anna'));
  const leaves = (await app.view.readChain(chain, 0, 9)).map(({ entry }) => entry);
  assert.equal(verifyChain({ chain, linkKey, leaves }), undefined);
  assert.notEqual(verifyChain({ chain, linkKey, leaves: leaves.slice(1) }), undefined);
  assert.notEqual(verifyChain({ chain, linkKey, leaves: leaves.toSpliced(1, 1) }), undefined);
  const bert = deriveLinkKey(await app.citizenKeys.keyOf('bert'));
  assert.notEqual(verifyChain({ chain, linkKey: bert, leaves }), undefined);
  const from = { number: 2, previous: leafHash(leaves[0] ?? assert.fail()) };
  assert.equal(verifyChain({ chain, linkKey, from, leaves: leaves.slice(1) }), undefined);
});
