import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import {
  deleteWitnessedCheckpoints,
  readCheckpoint,
  storeCheckpoint,
  storeUnwitnessedCheckpoint,
} from '../../src/ledger/ledger-store.ts';
import { createLogView } from '../../src/ledger/log-view.ts';
import { createMonitor } from '../../src/ledger/monitor.ts';
import { formatCheckpoint } from '../../src/ledger/tlog/checkpoint.ts';
import { emptyRoot } from '../../src/ledger/tlog/merkle.ts';
import { parseNote, signNote } from '../../src/ledger/tlog/note.ts';
import { createNoteSigner, parseVkey, signatureTypes } from '../../src/ledger/tlog/note-key.ts';
import { parseTlogPolicy, verifyCheckpointNote } from '../../src/ledger/tlog/tlog-policy.ts';
import { createWitness } from '../../src/ledger/witness.ts';
import { createWitnessClient } from '../../src/ledger/witness-client.ts';
import { serveWitness } from '../../src/ledger/witness-server.ts';
import { engines } from '../support/database-engines.ts';
import { fetchOnce } from '../support/http-client.ts';
import { buildLedgerApp, logKeyPolicy, logSigner, origin } from '../support/ledger-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const { cosignature, mlDsaCosignature } = signatureTypes;
const [sqlite = assert.fail()] = engines;

const theKey = { policy: () => logKeyPolicy, refresh: async () => undefined };

async function witnessAt(t: TestContext, name: string, type: 4 | 6 = cosignature) {
  const folder = makeTestFolder('witness-');
  const signer = createNoteSigner(type, name, createHash('sha256').update(name).digest());
  const clock = { now: () => Date.UTC(2026, 0, 1) };
  const logs = [parseVkey(logSigner.vkey) ?? assert.fail()];
  const open = () => createWitness({ signer, logs, folder, clock });
  const served = await serveWitness(await open(), {
    host: '127.0.0.1',
    port: 0,
    onFault: (fault) => assert.fail(String(fault)),
  });
  t.after(async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { ...served, open, vkey: signer.vkey };
}

test('a witness answers as specified, and remembers its cosigned size after a restart', async (t) => {
  const app = buildLedgerApp(await sqlite.open(t));
  const witness = await witnessAt(t, 'w.example');
  const ask = async (old: number, proof: readonly Uint8Array[], note: string) => {
    const hashes = proof.map((one) => `${Buffer.from(one).toString('base64')}\n`).join('');
    const body = `old ${old}\n${hashes}\n${note}`;
    const response = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body });
    return `${response.status} ${response.headers.get('content-type')} ${(await response.text()).slice(0, 12)}`;
  };
  const grow = async (count: number) => {
    await app.use(...Array.from({ length: count }, () => 'anna'));
    await app.sequence();
    return (await app.view.signedCheckpoint())?.note ?? assert.fail();
  };
  const text = 'text/plain; charset=utf-8';
  const path = `${witness.url}/${createHash('sha256').update(origin).digest('hex')}/checkpoint`;
  assert.equal((await fetchOnce(path)).status, 404);
  const sign = (name: string, size: number, root: Uint8Array) => {
    const key = createNoteSigner(1, name, new Uint8Array(32).fill(7));
    return signNote(formatCheckpoint({ origin: name, size, root }), [key], 0);
  };
  assert.match(await ask(0, [], sign(origin, 0, Buffer.alloc(32))), /^422 /);
  const five = await grow(5);
  assert.equal(await ask(0, [], five), `200 ${text} — w.example `);
  const nine = await grow(4);
  const proof = await app.view.consistencyProof(5, 9);
  assert.equal(await ask(0, [], nine), '409 text/x.tlog.size 5\n');
  assert.equal(await ask(9, [], nine), '409 text/x.tlog.size 5\n');
  assert.match(await ask(5, [], nine), /^422 /);
  assert.match(await ask(5, proof.toReversed(), nine), /^422 /);
  assert.match(await ask(10, proof, nine), /^400 /);
  assert.match(await ask(5, proof, nine.replace('\n9\n', '\n8\n')), /^403 /);
  assert.match(await ask(0, [], sign('other.example/ledger', 0, emptyRoot)), /^404 /);
  assert.match(await ask(5, [], sign(origin, 5, Buffer.alloc(32))), /^422 /);
  assert.equal(await ask(5, proof, nine), `200 ${text} — w.example `);
  assert.equal(await ask(9, [], nine), `200 ${text} — w.example `);
  const kept = await (await witness.open()).checkpoint(path.split('/').at(-2) ?? '');
  const policy = parseTlogPolicy(`log ${logSigner.vkey}\nwitness w ${witness.vkey}\nquorum w\n`);
  const opened = verifyCheckpointNote(policy, parseNote(kept.body) ?? assert.fail());
  assert.equal('fault' in opened ? opened.fault : opened.checkpoint.size, 9);
  assert.match(await ask(9, [], `garbage`), /^400 /);
  const tooLong = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body: 'x'.repeat(1_000_001) });
  assert.equal(tooLong.status, 413);
  for (const method of ['GET', 'PUT']) {
    assert.equal((await fetch(`${witness.url}/add-checkpoint`, { method })).status, 404);
  }
  assert.equal((await fetch(path, { method: 'POST', body: `old 9\n\n${nine}` })).status, 404);
  const most = Array.from({ length: 64 }, () => Buffer.alloc(32));
  assert.match(await ask(5, most, nine), /^400 /);
  assert.match(await ask(5, [...proof, Buffer.alloc(31)], nine), /^400 /);
});

test('the client collects a quorum from witnesses of both key types, learns their sizes, and reports failures', async (t) => {
  const app = buildLedgerApp(await sqlite.open(t));
  const [one, two] = [await witnessAt(t, 'one.example'), await witnessAt(t, 'two.example', mlDsaCosignature)];
  const policy = parseTlogPolicy(
    `log ${logSigner.vkey}\nwitness one ${one.vkey} ${one.url}\nwitness two ${two.vkey} ${two.url}\ngroup both all one two\nquorum both\n`,
  );
  const client = () => createWitnessClient(policy, app.view, fetch);
  const known = client();
  for (const count of [3, 300, 1]) {
    await app.use(...Array.from({ length: count }, () => 'anna'));
    await app.sequence();
    const signed = (await app.view.signedCheckpoint()) ?? assert.fail();
    // One client knows the sizes, and one has to learn them.
    for (const asking of [known, client()]) {
      const { note, isQuorum, faults } = await asking.collect(signed);
      assert.deepEqual([isQuorum, faults], [true, []]);
      const opened = verifyCheckpointNote(policy, parseNote(note) ?? assert.fail());
      assert.deepEqual('fault' in opened ? opened.fault : opened.witnesses, ['one', 'two']);
    }
  }
  await two.close();
  const { isQuorum, faults } = await known.collect((await app.view.signedCheckpoint()) ?? assert.fail());
  assert.deepEqual([isQuorum, faults.map((fault) => fault.slice(0, 11))], [false, ['witness two']]);

  const second = buildLedgerApp(await sqlite.open(t));
  await second.use(...Array.from({ length: 400 }, () => 'anna'));
  await second.sequence();
  const forked = await createWitnessClient(policy, second.view, fetch).collect(
    (await second.view.signedCheckpoint()) ?? assert.fail(),
  );
  assert.equal(
    forked.faults[0],
    'witness one: has cosigned 304 entries with which this log does not start: a second history?',
  );
});

test('a response without a cosignature of the checkpoint by the witness does not count', async (t) => {
  const app = buildLedgerApp(await sqlite.open(t));
  await app.use('anna');
  await app.sequence();
  const signed = (await app.view.signedCheckpoint()) ?? assert.fail();
  const witness = createNoteSigner(cosignature, 'w.example', new Uint8Array(32).fill(1));
  const policy = parseTlogPolicy(`log ${logSigner.vkey}\nwitness w ${witness.vkey} https://w.example\nquorum w\n`);
  const ask = (status: number, body: string) =>
    createWitnessClient(policy, app.view, async () => new Response(body, { status })).collect(signed);
  const lineOf = (text: string, name = 'w.example', seed = 1) => {
    const by = createNoteSigner(cosignature, name, new Uint8Array(32).fill(seed));
    return signNote(text, [by], Date.UTC(2026, 0, 1)).slice(text.length + 1);
  };
  const { text = '' } = parseNote(signed.note) ?? {};
  assert.equal((await ask(200, lineOf(text))).isQuorum, true);
  // A witness that signs with an old key and a new one.
  assert.equal((await ask(200, `${lineOf(text, 'w.example', 2)}${lineOf(text)}`)).isQuorum, true);

  const renamed = lineOf(text).replace('w.example', 'v.example');
  const other = formatCheckpoint({ origin, size: 1, root: Buffer.alloc(32) });
  const none = 'witness w: gave no valid cosignature';
  const answers: [number, string, string][] = [
    [200, lineOf(other), none],
    [200, lineOf(text, 'w.example', 2), none],
    [200, lineOf(text, 'v.example'), none],
    [200, renamed, none],
    [200, signed.note.slice(text.length + 1), none],
    [200, '', none],
    [500, lineOf(text), 'witness w: answered 500'],
    // It has cosigned nothing yet that could contradict this log.
    [422, 'no', 'witness w: answered 422'],
    [409, 'some', 'witness w: answered 409'],
    [409, '1', 'witness w: reports another size in each response'],
    [409, '2', 'witness w: has cosigned 2 entries of this log, which has 1: a second history?'],
  ];
  for (const [status, body, fault] of answers) {
    assert.deepEqual(await ask(status, body), { note: signed.note, isQuorum: false, faults: [fault] });
  }
});

test('the monitor raises an alarm when an entry changes and when the log shrinks', async (t) => {
  const app = buildLedgerApp(await sqlite.open(t));
  const monitor = createMonitor(app.view, theKey);
  await app.use(...Array.from({ length: 700 }, () => 'anna'));
  await app.sequence();
  assert.deepEqual(await monitor.check(), { verified: 700 });
  await app.use('anna');
  await app.sequence();
  assert.deepEqual(await monitor.check(), { verified: 701 });
  await app.use('anna');
  await app.sequence();
  await app.db.write([
    { sql: 'update ledger_entry set entry = $1 where leaf_index = 650', args: [new Uint8Array(90)] },
  ]);
  assert.deepEqual(await monitor.check(), { verified: 701, alarm: 'entry 650 differs from its tile' });
  const other = buildLedgerApp(await sqlite.open(t));
  await other.use('anna');
  await other.sequence();
  const moved = createMonitor({ ...app.view, publishedCheckpoint: () => other.view.publishedCheckpoint() }, theKey);
  assert.match((await moved.check()).alarm ?? '', /do not have the root hash that was signed at size 1/);
});

test('the monitor raises an alarm for an older tree, an unknown signature, and missing entries', async (t) => {
  const app = buildLedgerApp(await sqlite.open(t));
  const grown = async () => {
    await app.use('anna');
    await app.sequence();
    return (await app.view.publishedCheckpoint()) ?? assert.fail();
  };
  let published: Awaited<ReturnType<typeof app.view.publishedCheckpoint>>;
  let readTile = app.view.readTile;
  const monitor = createMonitor(
    { publishedCheckpoint: async () => published, readTile: (name) => readTile(name) },
    theKey,
  );
  assert.deepEqual(await monitor.check(), { verified: 0 });
  const [older, newer] = [await grown(), await grown()];
  published = newer;
  assert.deepEqual(await monitor.check(), { verified: 2 });
  published = older;
  const shrank = { verified: 2, alarm: 'the log shrank from 2 to 1 entries' };
  assert.deepEqual([await monitor.check(), await monitor.check()], [shrank, shrank]);
  published = {
    ...newer,
    note: signNote(parseNote(newer.note)?.text ?? '', [createNoteSigner(1, origin, Buffer.alloc(32, 8))], 0),
  };
  const unknown = 'no trusted key signed the checkpoint, or a signature of one is bad';
  assert.deepEqual(await monitor.check(), { verified: 2, alarm: unknown });
  published = { ...newer, note: 'garbage' };
  assert.deepEqual(await monitor.check(), { verified: 2, alarm: 'the checkpoint is not a signed note' });
  published = await grown();
  readTile = async (name) => (name.level === 'entries' ? undefined : app.view.readTile(name));
  assert.deepEqual(await monitor.check(), { verified: 2, alarm: 'the entries from 0 on are missing' });
  readTile = app.view.readTile;
  assert.deepEqual(await monitor.check(), { verified: 3 });
});

test('the monitor verifies from the first entry again after the entries of another log are fixed', async (t) => {
  const [app, other] = [buildLedgerApp(await sqlite.open(t)), buildLedgerApp(await sqlite.open(t))];
  for (const each of [app, other]) {
    await each.use('anna', 'anna', 'anna');
    await each.sequence();
  }
  let { readTile } = other.view;
  const monitor = createMonitor(
    { publishedCheckpoint: app.view.publishedCheckpoint, readTile: (name) => readTile(name) },
    theKey,
  );
  const alarm = 'the entries do not have the root hash that was signed at size 3';
  assert.deepEqual(await monitor.check(), { verified: 0, alarm });
  ({ readTile } = app.view);
  assert.deepEqual(await monitor.check(), { verified: 3 });
});

for (const engine of engines) {
  test(`${engine.name}: the published size never decreases when the log gets, loses or regains witnesses`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const { db } = app;
    const view = createLogView(db.read, app.citizenKeys, app.systemKeys, { witnessed: true });
    const monitor = createMonitor(view, theKey);
    const grow = async () => {
      await app.use('anna', 'bert', 'carl');
      await app.sequence();
      return (await app.view.signedCheckpoint()) ?? assert.fail();
    };
    const sizes = async () => {
      assert.equal((await monitor.check()).alarm, undefined);
      return [(await view.publishedCheckpoint())?.size, (await readCheckpoint(db.read, 'cosigned'))?.size];
    };
    await grow();
    const asked = await grow();
    assert.deepEqual(await sizes(), [6, undefined]);
    const kept = await grow();
    await db.write([storeUnwitnessedCheckpoint()]);
    await grow();
    assert.deepEqual(await sizes(), [9, undefined]);
    await db.write([storeCheckpoint('cosigned', asked)]);
    assert.deepEqual(await sizes(), [9, 6]);
    // A receipt uses the cosigned tree if that has its entry, and otherwise one that only the log signed.
    const shown = await Promise.all([5, 6, 11, 12].map(async (index) => (await view.checkpointFor(index))?.size));
    assert.deepEqual(shown, [6, 12, 12, undefined]);
    // At equal sizes the cosigned checkpoint is published.
    await db.write([storeCheckpoint('cosigned', { ...kept, note: 'cosigned' })]);
    assert.equal((await view.publishedCheckpoint())?.note, 'cosigned');
    const later = await grow();
    await db.write([storeUnwitnessedCheckpoint(), storeCheckpoint('cosigned', later)]);
    assert.deepEqual(await sizes(), [15, 15]);

    // Without witnesses each signed tree is published; then witnesses are added again.
    await db.write(deleteWitnessedCheckpoints());
    await grow();
    assert.deepEqual(await sizes(), [18, undefined]);
    await db.write([storeUnwitnessedCheckpoint()]);
    await grow();
    assert.deepEqual(await sizes(), [18, undefined]);
  });
}
