import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpLogSource } from './log-source.ts';
import { TileMissing } from './tlog/tiled-tree.ts';

const prefix = 'https://log.example/ledger/';

/** A server with these paths below the prefix. */
function served(answers: Readonly<Record<string, Response>>) {
  return httpLogSource(prefix, async (url) => answers[url.slice(prefix.length)] ?? new Response('', { status: 404 }));
}

test('a response other than 200 does not count as part of a log, whatever its body', async () => {
  const oops = () => new Response('log.example\n0\n', { status: 500 });
  const source = served({ checkpoint: oops(), 'tile/0/000.p/1': oops() });
  await assert.rejects(
    source.checkpoint(),
    /^LogSourceError: https:\/\/log\.example\/ledger\/checkpoint answered 500$/,
  );
  await assert.rejects(source.tile({ level: 0, index: 0, width: 1 }), /tile\/0\/000\.p\/1 answered 500$/);
});

test('a missing partial tile is cut from the full tile, and counts as missing if there is no full tile', async () => {
  const whole = Buffer.alloc(256 * 32, 7);
  const source = served({ 'tile/0/000': new Response(whole) });
  assert.deepEqual(Buffer.from(await source.tile({ level: 0, index: 0, width: 2 })), Buffer.alloc(64, 7));
  await assert.rejects(source.tile({ level: 0, index: 1, width: 2 }), TileMissing);
  await assert.rejects(source.tile({ level: 0, index: 1, width: 256 }), TileMissing);
  await assert.rejects(source.checkpoint(), /has no checkpoint\. The address of a ledger ends with \/ledger$/);
});
