import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainFault } from '../../src/ledger/chain.ts';
import { checkpointText } from '../../src/ledger/checkpoint.ts';
import { linkKeyOf } from '../../src/ledger/entry.ts';
import type { LogSource } from '../../src/ledger/log-source.ts';
import { leafHash } from '../../src/ledger/merkle.ts';
import { signNote } from '../../src/ledger/note.ts';
import { bundleOf, entriesIn } from '../../src/ledger/tile.ts';
import { TileMissing } from '../../src/ledger/tree.ts';
import { verifyLog } from '../../src/ledger/verify-log.ts';
import { engines } from '../engines.ts';
import { buildLedgerHouse, forged, logSigner, onlyTheKey, origin } from '../ledger-house.ts';

async function faultOf(source: LogSource, earlier: readonly string[] = []): Promise<string> {
  const verdict = await verifyLog(source, { policy: onlyTheKey, earlier });
  return 'fault' in verdict ? verdict.fault : 'verified';
}

/** A log of 700 entries with notes of two sizes on the way, and another one with the same key: a second history. */
async function twoHistories(t: Parameters<(typeof engines)[0]['open']>[0]) {
  const [engine = assert.fail()] = engines;
  const house = buildLedgerHouse(await engine.open(t));
  const other = buildLedgerHouse(await engine.open(t));
  const notes: string[] = [];
  for (const count of [100, 300, 300]) {
    for (const one of [house, other]) {
      await one.use(...Array.from({ length: count }, (_, at) => `c${at % 3}`));
      await one.sequence();
    }
    notes.push((await house.view.signed())?.note ?? '');
  }
  return { house, other, notes };
}

test('a verifier with the public key alone finds every kind of forgery of the log', async (t) => {
  const { house, other, notes } = await twoHistories(t);
  const { source } = house;
  assert.equal(await faultOf(source, notes), 'verified');

  const inBundle = (change: (entries: Uint8Array[]) => Uint8Array[]) =>
    forged(source, ({ level, index }, bytes) => {
      return level === 'entries' && index === 1 ? bundleOf(change(entriesIn(bytes) ?? [])) : bytes;
    });
  const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, place) => (place === at ? byte ^ 1 : byte));
  // The forger also mends the hashes of the leaves, so that only the tree above can tell.
  const mended = (change: (entries: Uint8Array[]) => Uint8Array[]) => {
    const bundle = inBundle(change);
    return {
      ...bundle,
      tile: async (name: Parameters<LogSource['tile']>[0]) => {
        if (name.level !== 0 || name.index !== 1) return await bundle.tile(name);
        return Buffer.concat((entriesIn(await bundle.tile({ ...name, level: 'entries' })) ?? []).map(leafHash));
      },
    };
  };
  const swapTwo = ([a, b, ...rest]: Uint8Array[]) => [b, a, ...rest].filter((one) => one !== undefined);
  const changeOne = ([a, ...rest]: Uint8Array[]) => [flipped(a ?? new Uint8Array(9), 45), ...rest];

  assert.match(await faultOf(inBundle((entries) => entries.toSpliced(7, 1))), /no bundle of 256 entries/);
  assert.match(
    await faultOf(mended((entries) => [...entries.toSpliced(7, 1), entries[0] ?? new Uint8Array()])),
    /tile\/1|second history/,
  );
  assert.match(await faultOf(inBundle(changeOne)), /entry 256 is not the one of its tile/);
  assert.match(await faultOf(mended(changeOne)), /tile\/1\/000|second history/);
  assert.match(await faultOf(inBundle(swapTwo)), /entry 256 is not/);
  assert.match(await faultOf(mended(swapTwo)), /tile\/1\/000|second history/);
  // What is not there, or ends too early.
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
  const cut = forged(source, ({ level }, bytes) => (level === 'entries' ? bytes.subarray(0, -1) : bytes));
  assert.match(await faultOf(cut), /no bundle of 256 entries/);
  assert.equal(await faultOf({ ...source, checkpoint: async () => 'x' }), 'the checkpoint is no signed note');
  assert.equal(await faultOf(source, ['x']), 'an earlier checkpoint is no signed note');
  // What nobody signed behind what was signed.
  const longer = (level: number | 'entries') =>
    forged(source, (name, bytes) => (name.level === level ? Buffer.concat([bytes, Buffer.alloc(32)]) : bytes));
  assert.match(await faultOf(inBundle((entries) => [...entries, Buffer.alloc(90)])), /no bundle of 256 entries/);
  assert.match(await faultOf(longer(0)), /tile\/0\/000 has more than 256 hashes/);
  assert.match(await faultOf(longer(1)), /tile\/1\/000\.p\/2 is not what the entries give/);
  const swapped = {
    ...source,
    tile: (name: Parameters<LogSource['tile']>[0]) =>
      source.tile(name.level === 'entries' || name.width < 256 ? name : { ...name, index: 1 - name.index }),
  };
  assert.match(await faultOf(swapped), /entry 0 is not/);
  assert.match(
    await faultOf(forged(source, ({ level }, bytes) => (level === 1 ? flipped(bytes, 3) : bytes))),
    /tile\/1\/000/,
  );
  assert.match(await faultOf(other.source, notes), /signed at size 100: a second history/);
  assert.match(await faultOf({ ...source, checkpoint: async () => notes[1] ?? '' }, notes), /rolled back/);
  const rewritten = signNote(checkpointText({ origin, size: 700, root: Buffer.alloc(32, 1) }), [logSigner], 0);
  assert.match(await faultOf({ ...source, checkpoint: async () => rewritten }), /signed at size 700/);
  assert.match(
    await faultOf({ ...source, checkpoint: async () => (notes[2] ?? '').replace('\n700\n', '\n699\n') }),
    /signature/,
  );
});

test('the chain of a citizen shows an entry that was left out of it, even by who holds all keys of the log', async (t) => {
  const [engine = assert.fail()] = engines;
  const house = buildLedgerHouse(await engine.open(t));
  await house.use('anna', 'anna', 'bert', 'anna');
  await house.sequence();
  const chain = house.citizenKeys.pseudonymOf('anna');
  const linkKey = linkKeyOf(await house.citizenKeys.keyOf('anna'));
  const leaves = (await house.view.chain(chain, 0, 9)).map(({ entry }) => entry);
  assert.equal(chainFault({ chain, linkKey, leaves }), undefined);
  assert.notEqual(chainFault({ chain, linkKey, leaves: leaves.slice(1) }), undefined);
  assert.notEqual(chainFault({ chain, linkKey, leaves: leaves.toSpliced(1, 1) }), undefined);
  const bert = linkKeyOf(await house.citizenKeys.keyOf('bert'));
  assert.notEqual(chainFault({ chain, linkKey: bert, leaves }), undefined);
  const from = { number: 2, previous: leafHash(leaves[0] ?? assert.fail()) };
  assert.equal(chainFault({ chain, linkKey, from, leaves: leaves.slice(1) }), undefined);
});
