import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Claim } from '../../src/jobs/claim.ts';
import type { Outcome } from '../../src/notifications/channels/channel.ts';
import { deliveryTiming } from '../../src/notifications/delivery/start-delivery.ts';
import { type Db, type Read, ReadUnavailable, WriteBusy, WriteUnknown } from '../../src/store/db.ts';
import {
  createDeliveryHouse,
  linesOf,
  minute,
  type Shown,
  scripted,
  settled,
  until,
  untilLater,
} from '../delivery-house.ts';
import { engines } from '../engines.ts';

type House = Awaited<ReturnType<typeof createDeliveryHouse>>['house'];

/** The way of one process to the database, which can be away. */
function wayTo({ db, claim, commit }: House) {
  let away = false;
  const busy = () => Promise.reject(new WriteBusy('the database is away'));
  const parts: Pick<House, 'claim' | 'commit'> & { read: Read } = {
    read: (sql, args) => (away ? Promise.reject(new ReadUnavailable('the database is away')) : db.read(sql, args)),
    claim: (statement) => (away ? busy() : claim(statement)),
    commit: (effect) => (away ? busy() : commit(effect)),
  };
  return { parts, set: (to: 'away' | 'back') => (away = to === 'away') };
}

const retry: Outcome = { outcome: 'temporary', reason: 'provider-busy' };

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Db) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  /** Two messages whose provider answers while the database is away. */
  async function answeredAway(t: TestContext, db: Db) {
    const { house, time, start, ...rest } = await createDeliveryHouse(t, db);
    const way = wayTo(house);
    const answers = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome>()] as const;
    const provider = scripted(
      ...answers.map(
        ({ promise }) =>
          () =>
            promise,
      ),
    );
    const worker = await start({ email: provider, timing: deliveryTiming, ...way.parts });
    const ids = [await house.accept({ citizenId: 'cit-ada' }), await house.accept({ citizenId: 'cit-bo' })];
    worker.wake();
    await until(async () => provider.calls.length === 2);
    way.set('away');
    answers[0].resolve({ outcome: 'sent' });
    answers[1].resolve(retry);
    await time.advance(10_000, () => settled(db));
    const lines = async () => (await Promise.all(ids.map((id) => house.show(id)))).map((one) => linesOf(one as Shown));
    return { ...rest, house, time, start, way, worker, lines };
  }

  check('what a provider answers while the database is away is stored when it is back', async (t, db) => {
    const { time, way, worker, lines } = await answeredAway(t, db);
    way.set('back');
    await time.advance(10_000, () => settled(db));
    await time.advance(minute, worker.idle);
    const begin = ['accepted', 'inbox sent', 'email sending 1'];
    assert.deepEqual((await lines()).sort(), [
      [...begin, 'email retry 1 provider-busy', 'email sending 2', 'email delivered 2'],
      [...begin, 'email sent 1'],
    ]);
  });

  check('a process that ends does not wait for a database that is away', async (t, db) => {
    const { time, worker, lines, way, takeOver } = await answeredAway(t, db);
    let ended = false;
    const stopping = worker
      .stop(25_000)
      .catch(() => undefined)
      .then(() => {
        ended = true;
      });
    await time.advance(5_000, () => settled(db));
    assert.equal(ended, true);
    await stopping;
    way.set('back');
    const next = await takeOver();
    await next.idle();
    assert.deepEqual(
      (await lines()).map((own) => own[3]),
      ['email unknown 1 outcome-unknown', 'email unknown 1 outcome-unknown'],
    );
  });

  check('who starts when the database is back takes nobody for lost that could not renew', async (t, db) => {
    const { house, time, start, faults } = await createDeliveryHouse(t, db);
    const way = wayTo(house);
    const answer = Promise.withResolvers<Outcome>();
    const provider = scripted(() => answer.promise);
    const living = await start({ email: provider, timing: deliveryTiming, ...way.parts });
    const id = await house.accept({ citizenId: 'cit-ada' });
    living.wake();
    await until(async () => provider.calls.length === 1);
    way.set('away');
    await time.advance(10_000, () => settled(db));
    way.set('back');
    const fresh = await start({ email: provider, timing: deliveryTiming });
    await time.advance(10_000, () => settled(db));
    assert.deepEqual(await db.read("select id from delivery where status = 'unknown'"), []);
    answer.resolve(retry);
    await living.idle();
    await time.advance(minute, async () => Promise.all([living.idle(), fresh.idle()]));
    assert.equal(linesOf((await house.show(id)) as Shown).at(-1), 'email delivered 2');
    assert.ok(faults.every((fault) => /is away/.test(String(fault))));
  });

  check('who lost the answer to a claim takes nothing for lost that it is at work on', async (t, db) => {
    const { house, time, start, faults } = await createDeliveryHouse(t, db);
    let lost = 0;
    const loses: Claim = async (statement) => {
      const rows = await house.claim(statement);
      if (provider.calls.length === 0 || lost > 0 || rows.length === 0) return rows;
      if (!statement.sql.includes('skip locked')) return rows;
      lost += 1;
      throw new WriteUnknown('connection lost');
    };
    const answer = Promise.withResolvers<Outcome>();
    const provider = scripted(() => answer.promise);
    const worker = await start({ email: provider, claim: loses, timing: deliveryTiming });
    const first = await house.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await until(async () => provider.calls.length === 1);
    const second = await house.accept({ citizenId: 'cit-bo' });
    worker.wake();
    await time.advance(20_000, () => settled(db));
    await untilLater({ time, db }, async () => (await house.show(second))['status'] === 'delivered');
    answer.resolve({ outcome: 'sent' });
    await worker.idle();
    const lines = linesOf((await house.show(first)) as Shown);
    assert.deepEqual(
      [lost, lines, faults.map(String)],
      [1, ['accepted', 'inbox sent', 'email sending 1', 'email sent 1'], ['WriteUnknown: connection lost']],
    );
  });
}
