import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, type Read, ReadUnavailable, WriteBusy, WriteUnknown } from '../../src/db/database.ts';
import type { WriteWithoutEvent } from '../../src/jobs/write-without-event.ts';
import { deliveryTiming } from '../../src/notifications/delivery/start-delivery.ts';
import type { ProviderOutcome } from '../../src/notifications/notification/channel.ts';
import { engines } from '../support/database-engines.ts';
import {
  advanceUntil,
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
  timelineLines,
  waitForDatabaseIdle,
  waitOnEventLoopUntil,
} from '../support/delivery-app.ts';

type AppContext = Awaited<ReturnType<typeof createDeliveryApp>>['app'];

/** The connection of one process to the database; it can be interrupted. */
function createInterruptible({ db, claim, commit }: AppContext) {
  let away = false;
  const busy = () => Promise.reject(new WriteBusy('the database is unavailable'));
  const parts: Pick<AppContext, 'claim' | 'commit'> & { read: Read } = {
    read: (sql, args) =>
      away ? Promise.reject(new ReadUnavailable('the database is unavailable')) : db.read(sql, args),
    claim: (statement) => (away ? busy() : claim(statement)),
    commit: (effect) => (away ? busy() : commit(effect)),
  };
  return { parts, set: (to: 'away' | 'back') => (away = to === 'away') };
}

const retry: ProviderOutcome = { outcome: 'temporary', reason: 'provider-busy' };

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Database) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  /** Two messages whose provider responds while the database is unavailable. */
  async function respondDuringOutage(t: TestContext, db: Database) {
    const { app, time, start, ...rest } = await createDeliveryApp(t, db);
    const connection = createInterruptible(app);
    const answers = [Promise.withResolvers<ProviderOutcome>(), Promise.withResolvers<ProviderOutcome>()] as const;
    const provider = createScriptedChannel(
      ...answers.map(
        ({ promise }) =>
          () =>
            promise,
      ),
    );
    const worker = await start({ email: provider, timing: deliveryTiming, ...connection.parts });
    const ids = [await app.accept({ citizenId: 'cit-ada' }), await app.accept({ citizenId: 'cit-bo' })];
    worker.wake();
    await waitOnEventLoopUntil(async () => provider.calls.length === 2);
    connection.set('away');
    answers[0].resolve({ outcome: 'sent' });
    answers[1].resolve(retry);
    await time.advance(10_000, () => waitForDatabaseIdle(db));
    const lines = async () =>
      (await Promise.all(ids.map((id) => app.show(id)))).map((one) => timelineLines(one as NotificationView));
    return { ...rest, app, time, start, connection, worker, lines };
  }

  check('a provider response that arrives during a database outage is stored afterwards', async (t, db) => {
    const { time, connection, worker, lines } = await respondDuringOutage(t, db);
    connection.set('back');
    await time.advance(10_000, () => waitForDatabaseIdle(db));
    await time.advance(minuteMs, worker.idle);
    const begin = ['accepted', 'inbox sent', 'email sending 1'];
    assert.deepEqual((await lines()).sort(), [
      [...begin, 'email retry 1 provider-busy', 'email sending 2', 'email delivered 2'],
      [...begin, 'email sent 1'],
    ]);
  });

  check('a process that stops does not wait for an unavailable database', async (t, db) => {
    const { time, worker, lines, connection, takeOver } = await respondDuringOutage(t, db);
    let ended = false;
    const stopping = worker
      .stop(25_000)
      .catch(() => undefined)
      .then(() => {
        ended = true;
      });
    await time.advance(5_000, () => waitForDatabaseIdle(db));
    assert.equal(ended, true);
    await stopping;
    connection.set('back');
    const next = await takeOver();
    await next.idle();
    assert.deepEqual(
      (await lines()).map((own) => own[3]),
      ['email unknown 1 outcome-unknown', 'email unknown 1 outcome-unknown'],
    );
  });

  check(
    'a process that starts after an outage recovers no job of a process that could not renew its lease',
    async (t, db) => {
      const { app, time, start, faults } = await createDeliveryApp(t, db);
      const connection = createInterruptible(app);
      const answer = Promise.withResolvers<ProviderOutcome>();
      const provider = createScriptedChannel(() => answer.promise);
      const living = await start({ email: provider, timing: deliveryTiming, ...connection.parts });
      const id = await app.accept({ citizenId: 'cit-ada' });
      living.wake();
      await waitOnEventLoopUntil(async () => provider.calls.length === 1);
      connection.set('away');
      await time.advance(10_000, () => waitForDatabaseIdle(db));
      connection.set('back');
      const fresh = await start({ email: provider, timing: deliveryTiming });
      await time.advance(10_000, () => waitForDatabaseIdle(db));
      assert.deepEqual(await db.read("select id from delivery where status = 'unknown'"), []);
      answer.resolve(retry);
      await living.idle();
      await time.advance(minuteMs, async () => Promise.all([living.idle(), fresh.idle()]));
      assert.equal(timelineLines((await app.show(id)) as NotificationView).at(-1), 'email delivered 2');
      assert.ok(faults.every((fault) => /is unavailable/.test(String(fault))));
    },
  );

  check('a process that lost the response to a claim does not recover its own running jobs', async (t, db) => {
    const { app, time, start, faults } = await createDeliveryApp(t, db);
    let lost = 0;
    const loses: WriteWithoutEvent = async (statement) => {
      const rows = await app.claim(statement);
      if (provider.calls.length === 0 || lost > 0 || rows.length === 0) return rows;
      if (statement.postgresSql?.includes('skip locked') !== true) return rows;
      lost += 1;
      throw new WriteUnknown('connection lost');
    };
    const answer = Promise.withResolvers<ProviderOutcome>();
    const provider = createScriptedChannel(() => answer.promise);
    const worker = await start({ email: provider, claim: loses, timing: deliveryTiming });
    const first = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await waitOnEventLoopUntil(async () => provider.calls.length === 1);
    const second = await app.accept({ citizenId: 'cit-bo' });
    worker.wake();
    await time.advance(20_000, () => waitForDatabaseIdle(db));
    await advanceUntil({ time, db }, async () => (await app.show(second))['status'] === 'delivered');
    answer.resolve({ outcome: 'sent' });
    await worker.idle();
    const lines = timelineLines((await app.show(first)) as NotificationView);
    assert.deepEqual(
      [lost, lines, faults.map(String)],
      [1, ['accepted', 'inbox sent', 'email sending 1', 'email sent 1'], ['WriteUnknown: connection lost']],
    );
  });
}
