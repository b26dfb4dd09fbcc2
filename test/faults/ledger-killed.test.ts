import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { openAnchor } from '../../src/ledger/anchor.ts';
import { parseEntry } from '../../src/ledger/ledger-entry.ts';
import { verifyLog } from '../../src/ledger/verify-log.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { anchorPath, buildLedgerApp, logKeyPolicy } from '../support/ledger-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';

type Observed = { readonly notes: string[]; readonly events: Set<string> };
type Installation = {
  readonly engine: Engine;
  readonly place: string;
  readonly folder: string;
  readonly observed: Observed;
};

async function makeInstallation(t: TestContext, engine: Engine): Promise<Installation> {
  const place = await engine.createLocation(t);
  const folder = makeTestFolder('ledger-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const db = await engine.openAt(place);
  await migrate(db, { now: () => 0 });
  await db.close();
  return { engine, place, folder, observed: { notes: [], events: new Set() } };
}

/** Starts a process that sequences, and records its output. It kills itself at step `killAt`. */
function start(
  { engine, place, folder, observed }: Installation,
  killAt: number | 'never',
  holder: string,
): ChildProcess {
  const file = join(import.meta.dirname, 'ledger-process.ts');
  const child = spawn(process.execPath, [file, engine.name, place, folder, String(killAt), holder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout ?? assert.fail() }).on('line', (line) => {
    const [kind, text = ''] = line.split(' ');
    if (kind === 'event') observed.events.add(text);
    else observed.notes.push(Buffer.from(text, 'base64').toString());
  });
  return child;
}

/** Sequences the rest, and verifies the log against each printed checkpoint and event. */
async function verifyAll({ engine, place, folder, observed }: Installation, fence: number): Promise<number> {
  const db = await engine.openAt(place);
  try {
    const app = buildLedgerApp(db, { anchor: openAnchor(anchorPath(folder)), fence: () => fence });
    await app.sequence();
    const ids: string[] = [];
    const onEntry = (entry: Uint8Array) => ids.push(parseEntry(entry)?.id ?? '');
    const verdict = await verifyLog(app.source, { policy: logKeyPolicy, earlier: observed.notes, onEntry });
    assert.equal('fault' in verdict ? verdict.fault : '', '');
    assert.equal(new Set(ids).size, ids.length, 'no event has two numbers');
    assert.deepEqual(
      [...observed.events].filter((id) => !new Set(ids).has(id)),
      [],
      'no event was lost',
    );
    return ids.length;
  } finally {
    await db.close();
  }
}

for (const engine of engines) {
  test(`${engine.name}: after a kill at each step of the sequencer the log extends every served checkpoint`, async (t) => {
    const options = await makeInstallation(t, engine);
    for (let killAt = 0; killAt < 14; killAt += 1) {
      const [code, signal] = await once(start(options, killAt, 'holder'), 'exit');
      assert.deepEqual([code, signal], [null, 'SIGKILL'], `step ${killAt}`);
    }
    const entries = await verifyAll(options, 1_000);
    t.diagnostic(`${entries} entries, ${options.observed.notes.length} checkpoints served`);
    assert.ok(options.observed.notes.length > 0);
  });
}

test('postgres: after the leading sequencer is killed another one continues within its lease without gap or fork', async (t) => {
  const engine = engines.find(({ name }) => name === 'postgres') ?? assert.fail();
  const options = await makeInstallation(t, engine);
  const second = { ...options, folder: makeTestFolder('ledger-') };
  t.after(() => rmSync(second.folder, { recursive: true, force: true }));
  const [leader, follower] = [start(options, 'never', 'first'), start(second, 'never', 'second')];
  const { notes } = options.observed;
  const until = async (enough: number) => {
    while (notes.length < enough) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  try {
    await until(5);
    leader.kill('SIGKILL');
    await once(leader, 'exit');
    const before = notes.length;
    const killedAt = performance.now();
    await until(before + 5);
    t.diagnostic(
      `the other one signed again after ${Math.round(performance.now() - killedAt)} ms, with a lease of 600 ms`,
    );
  } finally {
    for (const child of [leader, follower]) child.kill('SIGKILL');
    if (follower.exitCode === null && follower.signalCode === null) await once(follower, 'exit');
  }
  await verifyAll(second, 1_000);
});
