import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Claim } from '../../src/jobs/claim.ts';
import { parseId } from '../../src/kernel/id.ts';
import type { Outcome } from '../../src/notifications/channels/channel.ts';
import {
  claimDue,
  endJob,
  jobOf,
  markStarted,
  putBack,
  waitingLanes,
} from '../../src/notifications/delivery/delivery-store.ts';
import { putBackLost } from '../../src/notifications/delivery/recover-deliveries.ts';
import { openMessage } from '../../src/notifications/inbox/citizen-inbox.ts';
import type { Contact } from '../../src/notifications/ports.ts';
import type { Db } from '../../src/store/db.ts';
import { createDeliveryHouse, linesOf, minute, type Shown, scripted, until } from '../delivery-house.ts';
import { engines } from '../engines.ts';

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Db) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));
  const taken = async (db: Db) => (await db.read("select id from delivery where status = 'sending'")).length;

  check('a worker that lost its lease stores no second outcome of the job that another has ended', async (t, db) => {
    const { house, faults, start, takeOver } = await createDeliveryHouse(t, db);
    const stuck = Promise.withResolvers<Outcome>();
    const slow = scripted(() => stuck.promise);
    const first = await start({ email: slow });
    const id = await house.accept({ citizenId: 'cit-ada' });
    first.wake();
    await until(async () => slow.calls.length === 1);
    const second = await takeOver();
    await second.idle();
    const before = await house.show(id);
    stuck.resolve({ outcome: 'unknown' });
    await first.idle();
    const after = (await house.show(id)) as Shown;
    assert.deepEqual(after, before);
    assert.deepEqual([after.status, after.reason?.code, faults], ['undeliverable', 'outcome-unknown', []]);
  });

  check('a worker that lost its job while it prepared the message cannot end it', async (t, db) => {
    const { house, faults, start, takeOver } = await createDeliveryHouse(t, db);
    const contact = Promise.withResolvers<Contact | undefined>();
    const first = await start({ contactOf: () => contact.promise });
    const id = await house.accept({ citizenId: 'cit-ada' });
    first.wake();
    await until(async () => (await taken(db)) === 1);
    const second = await takeOver({ email: scripted() });
    second.wake();
    await second.idle();
    contact.resolve(undefined);
    await first.idle();
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual(
      [shown.status, linesOf(shown), faults],
      ['delivered', ['accepted', 'inbox sent', 'email sending 2', 'email delivered 2'], []],
    );
  });

  check('a worker that lost its job before the call does not call', async (t, db) => {
    const { house, sink, start, takeOver } = await createDeliveryHouse(t, db);
    const held = Promise.withResolvers<void>();
    const waits: Claim = async (statement) => {
      if (statement.sql.includes('set started_at')) await held.promise;
      return house.claim(statement);
    };
    const first = await start({ claim: waits });
    await house.accept({ citizenId: 'cit-ada' });
    first.wake();
    await until(async () => (await taken(db)) === 1);
    const second = await takeOver();
    second.wake();
    await sink.received(1);
    await second.idle();
    held.resolve();
    await first.idle();
    assert.equal(sink.mails.length, 1);
  });

  check('a worker that calls while its job is being put back is not doubled by the next one', async (t, db) => {
    const { house, start, takeOver } = await createDeliveryHouse(t, db);
    const held = Promise.withResolvers<void>();
    const waits: Claim = async (statement) => {
      if (statement.sql.includes('set started_at')) await held.promise;
      return house.claim(statement);
    };
    const answer = Promise.withResolvers<Outcome>();
    const provider = scripted(() => answer.promise);
    const first = await start({ claim: waits, email: provider });
    await house.accept({ citizenId: 'cit-ada' });
    first.wake();
    await until(async () => (await taken(db)) === 1);
    // Recovery has read that the provider was not called; before it acts on that, the provider is called.
    const late: Claim = async (statement) => {
      if (statement.sql.includes('started_at is null')) {
        held.resolve();
        await until(async () => provider.calls.length === 1);
      }
      return house.claim(statement);
    };
    const second = await takeOver({ claim: late, email: provider });
    second.wake();
    await second.idle();
    answer.resolve({ outcome: 'delivered' });
    await first.idle();
    assert.equal(provider.calls.length, 1);
  });

  check('an opening while the mail is on its way is not lost when its outcome is stored', async (t, db) => {
    const { time, house, start } = await createDeliveryHouse(t, db);
    const onItsWay = Promise.withResolvers<Outcome>();
    const provider = scripted(() => onItsWay.promise);
    const worker = await start({ email: provider });
    const id = parseId('notification', await house.accept({ citizenId: 'cit-ada' }));
    assert.ok(id !== undefined);
    worker.wake();
    await until(async () => provider.calls.length === 1);
    const parts = { read: db.read, citizenKeys: house.citizenKeys, mint: house.mint };
    const opened = await openMessage(parts, 'cit-ada', { id, now: time.clock.now() });
    assert.ok(opened !== undefined);
    await house.commit(opened.effect);
    onItsWay.resolve({ outcome: 'sent' });
    await worker.idle();
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual([shown.status, shown.deliveries.map((one) => one['status'])], ['read', ['delivered', 'sent']]);
  });

  check(
    'a job that another worker has taken since is neither marked, put back nor ended by the one before',
    async (t, db) => {
      const { time, house } = await createDeliveryHouse(t, db);
      await house.accept({ citizenId: 'cit-ada' });
      const now = time.clock.now();
      const [lane] = await waitingLanes(db.read, 'email', 1);
      const take = async (lockedBy: string) => {
        const ask = {
          channel: 'email',
          priority: 1,
          lane: lane?.name ?? assert.fail(),
          now,
          limit: 1,
          lockedBy,
        } as const;
        const [row] = await house.claim(claimDue(ask));
        return jobOf(row ?? assert.fail());
      };
      const before = await take('worker/before');
      await house.claim(putBackLost(before));
      const after = await take('worker/after');
      const ended = { status: 'sent', endedAt: now } as const;
      for (const lost of [
        { ...after, attempts: before.attempts },
        { ...after, lockedBy: before.lockedBy },
      ]) {
        assert.deepEqual([await house.claim(markStarted(lost, now)), await house.claim(putBack(lost, now))], [[], []]);
        await assert.rejects(db.write([endJob(lost, ended, undefined)]), { kind: 'rows' });
      }
      assert.equal((await house.claim(markStarted(after, now))).length, 1);
      await db.write([endJob(after, ended, undefined)]);
    },
  );

  check('what was tried in vain, and then read, is not tried again', async (t, db) => {
    const { time, house, start } = await createDeliveryHouse(t, db);
    const provider = scripted(async () => ({ outcome: 'temporary', reason: 'provider-busy' }));
    const worker = await start({ email: provider });
    const id = parseId('notification', await house.accept({ citizenId: 'cit-ada' }));
    assert.ok(id !== undefined);
    worker.wake();
    await worker.idle();
    const parts = { read: db.read, citizenKeys: house.citizenKeys, mint: house.mint };
    const opened = await openMessage(parts, 'cit-ada', { id, now: time.clock.now() });
    assert.ok(opened !== undefined);
    await house.commit(opened.effect);
    await time.advance(minute, worker.idle);
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual(
      [shown.status, linesOf(shown).includes('email skipped already-read'), provider.calls.length],
      ['read', true, 1],
    );
  });

  check('what the citizen has read before its mail is due is not mailed', async (t, db) => {
    const { time, house, sink, start } = await createDeliveryHouse(t, db);
    const id = parseId('notification', await house.accept({ citizenId: 'cit-ada' }));
    assert.ok(id !== undefined);
    const parts = { read: db.read, citizenKeys: house.citizenKeys, mint: house.mint };
    const opened = await openMessage(parts, 'cit-ada', { id, now: time.clock.now() });
    assert.ok(opened !== undefined);
    await house.commit(opened.effect);
    const worker = await start();
    await worker.idle();
    const shown = (await house.show(id)) as Shown;
    assert.deepEqual(
      [shown.status, linesOf(shown).includes('email skipped already-read'), sink.mails],
      ['read', true, []],
    );
  });
}
