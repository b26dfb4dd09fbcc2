import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, engines } from '../../test/support/database-engines.ts';
import {
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
} from '../../test/support/delivery-app.ts';
import { rootKeyFromBytes } from '../crypto/root-key.ts';
import type { CascadePolicy } from '../notifications/cascade/cascade.ts';
import { inboxChannel } from '../notifications/channels/inbox-channel.ts';
import { verifyEvidence } from '../notifications/evidence/evidence-bundle.ts';
import { unconfiguredChannels } from '../notifications/notification/channel.ts';
import { readEvidence } from '../notifications/read-evidence.ts';
import { runCommandLine } from './command.ts';
import { letterCommands } from './letters.ts';

const day = 24 * 60 * minuteMs;
const cascade: CascadePolicy = {
  steps: [
    { channel: 'letter', afterMs: 0 },
    { channel: 'email', afterMs: 9 * day },
  ],
  letterLeadMs: 0,
  providers: new Set(['letter', 'email']),
};

async function open(t: TestContext, engine: Engine) {
  const opened = await createDeliveryApp(t, await engine.open(t), { cascade });
  const { app, start, time } = opened;
  const taken = () => createScriptedChannel(...Array.from({ length: 9 }, () => ({ outcome: 'sent' }) as const));
  const letter = { ...taken(), name: 'letter' as const };
  const worker = await start({ channels: { ...unconfiguredChannels, inbox: inboxChannel, email: taken(), letter } });
  const run = async (...args: string[]) => {
    const said = { code: 0, stderr: '' };
    const stderr = (text: string) => {
      said.stderr += text;
    };
    const terminal = { stdout: () => undefined, stderr, isInteractive: false, cwd: '/' };
    const deps = {
      ...app,
      read: app.db.read,
      clock: time.clock,
      operator: 'root',
      root: rootKeyFromBytes(new Uint8Array(32)),
    };
    said.code = await runCommandLine(
      ['letters', 'record-returned', ...args],
      letterCommands((use) => use(deps), terminal),
      terminal,
    );
    return said;
  };
  const sent = async (body: object = {}) => {
    const id = await app.accept({ citizenId: 'cit-ada', ...body });
    worker.wake();
    await time.advance(minuteMs, worker.idle);
    return id;
  };
  const outline = async (id: string) => {
    const { status, deliveries } = (await app.show(id)) as NotificationView;
    const parts = deliveries.map(({ channel, status: of, reason }) =>
      [channel, of, (reason as { code: string } | undefined)?.code].join(' ').trim(),
    );
    return [status, ...parts];
  };
  return { ...opened, worker, run, sent, outline };
}

for (const engine of engines) {
  test(`${engine.name}: the sender is notified of a returned letter, and the next step begins`, async (t) => {
    const { app, worker, time, run, sent, outline, faults } = await open(t, engine);
    const id = await sent();
    assert.deepEqual(await outline(id), ['sending', 'inbox sent', 'email queued', 'letter sent']);
    assert.deepEqual(await run(id), { code: 0, stderr: `${id}: recorded as returned.\n` });
    worker.wake();
    await time.advance(minuteMs, worker.idle);
    assert.deepEqual(await outline(id), ['sending', 'inbox sent', 'email sent', 'letter failed letter-returned']);
    const events = await app.db.read("select data from feed_event where data like '%letter-returned%'");
    assert.equal(events.length, 1);
    const twice = await run(id);
    assert.equal(twice.code, 1);
    assert.match(twice.stderr, /not recorded/);
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: a returned letter does not count as evidence of delivery, unless evidence was issued before`, async (t) => {
    const { app, worker, time, run, sent } = await open(t, engine);
    const effectOf = async (id: string) => {
      const answer = await app.serve(readEvidence)({ params: { id } });
      assert.ok('json' in answer);
      const { legalEffect, evidence } = verifyEvidence(JSON.stringify(answer.json)).claims;
      return { basis: (legalEffect as { basis: string }).basis, failed: JSON.stringify(evidence).includes('returned') };
    };
    const [early, late] = [await sent({ legalEffect: 'as-letter' }), await sent({ legalEffect: 'as-letter' })];
    await time.advance(7 * day, worker.idle);
    const served = '3 working days after the letter was handed over';
    assert.deepEqual(await effectOf(late), { basis: served, failed: false });
    assert.equal((await run(early, late)).code, 0);
    assert.deepEqual(await effectOf(early), { basis: 'not yet', failed: true });
    assert.deepEqual(await effectOf(late), { basis: served, failed: true });
  });

  test(`${engine.name}: only a letter can be returned, by its id or the name of its files`, async (t) => {
    const { app, run, sent } = await open(t, engine);
    const id = await sent();
    const rows = await app.db.read('select id, channel from delivery where notification_id = $1', [id]);
    const of = (channel: string) => String(rows.find((row) => row['channel'] === channel)?.['id']);
    assert.equal((await run(of('email'))).code, 1);
    assert.equal((await run('ntf_01M7WKVMFEE008WANFAS9XRDZX')).code, 1);
    assert.equal((await run()).code, 2);
    const wrong = await run(id, 'permit-118');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /^Expected ids on letters .*, received "permit-118"\./);
    assert.equal((await run(`${of('letter')}.1.pdf`)).code, 0);
  });
}
