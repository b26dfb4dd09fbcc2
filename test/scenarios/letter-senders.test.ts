import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findClient } from '../../src/access/client-store.ts';
import { absentChannels } from '../../src/notifications/channels/channel.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox.ts';
import { createLetterSpool } from '../../src/notifications/channels/letter-spool.ts';
import type { CascadePolicy } from '../../src/notifications/delivery/cascade.ts';
import { createLetterPress } from '../../src/notifications/letters/letter-press.ts';
import { addressWindows } from '../../src/notifications/letters/letter-template.ts';
import { createTryLetter } from '../../src/notifications/letters/try-letter.ts';
import { openLine } from '../clients-line.ts';
import { createDeliveryHouse, minute, type Shown, scripted } from '../delivery-house.ts';
import { type Engine, engines } from '../engines.ts';
import { textsOf } from '../letters.ts';
import { createNotificationHouse } from '../notification-house.ts';
import { makeTestFolder } from '../test-folder.ts';

const day = 24 * 60 * minute;
const ofTheHouse = ['P.O. Box 100', '0101 Oslo'];
const citizens = { 'cit-ida': { name: 'Ida Berg', postalLines: ['Long Road 17', '0150 Oslo'] } };
const cascade: CascadePolicy = {
  steps: [{ channel: 'letter', afterMs: 0 }],
  letterLeadMs: 5 * day,
  providers: new Set(['letter']),
};

/** Clients as the command line makes them, and letters that are printed for them into a folder. */
async function open(t: TestContext, engine: Engine) {
  const { db, run } = await openLine(t, engine);
  const { house, time, start, faults } = await createDeliveryHouse(t, db, { cascade, citizens });
  const folder = makeTestFolder('cs-senders-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const spool = join(folder, 'spool');
  mkdirSync(spool);
  const press = createLetterPress();
  const parts = { press, window: 'din5008b', returnAddress: ofTheHouse } as const;
  t.after(() => press.close());
  const senderOf = async (clientId: string) => (await findClient(db.read, clientId)) ?? { name: clientId };
  const works = async () => {
    const letter = createLetterSpool({ folder: spool, ...parts });
    const channels = { ...absentChannels, inbox: inboxChannel, email: scripted(), letter };
    const worker = await start({ senderOf, channels });
    return async (ms: number) => {
      worker.wake();
      await time.advance(ms, worker.idle);
    };
  };
  const create = async (name: string, ...more: string[]) => {
    const flags = ['--scopes', 'notifications:send', '--secret', '--json', ...more];
    return String(JSON.parse((await run('clients', 'create', name, ...flags)).stdout).clientId);
  };
  const update = async (clientId: string, address: string) =>
    assert.equal((await run('clients', 'update', clientId, '--return-address', address)).code, 0);
  /** What stands above the address in each letter that lies there, by its name. */
  const heads = async () => {
    const files = readdirSync(spool).filter((name) => name.endsWith('.pdf'));
    const read = async (name: string) => {
      const { boxes } = await textsOf(readFileSync(join(spool, name)));
      return boxes.filter(({ bottom }) => bottom < addressWindows.din5008b.y).map(({ text }) => text);
    };
    return await Promise.all(files.sort().map(read));
  };
  return { db, house, time, works, create, update, heads, spool, parts, senderOf, faults };
}

const headOf = (name: string, lines: readonly string[]) => [name, ...lines, [name, ...lines].join(' · ')];

for (const engine of engines) {
  test(`${engine.name}: a letter comes back to the service that sent it, at the address that it has when the letter is printed`, async (t) => {
    const { house, time, works, create, update, heads, faults } = await open(t, engine);
    const parking = await create('Parking', '--return-address', 'Town Hall, 0102 Oslo');
    const tax = await create('Tax Office');
    const sendAt = new Date(time.clock.now() + day).toISOString();
    const body = { citizenId: 'cit-ida', channels: ['letter'] };
    const run = await works();
    await house.accept(body, { clientId: parking });
    await house.accept(body, { clientId: tax });
    await run(minute);
    const first = [headOf('Parking', ['Town Hall', '0102 Oslo']), headOf('Tax Office', ofTheHouse)];
    const sorted = async () => (await heads()).sort((one, other) => one.join().localeCompare(other.join()));
    assert.deepEqual(await sorted(), first);
    await house.accept({ ...body, sendAt }, { clientId: parking });
    await update(parking, 'New Hall 1, 0103 Oslo');
    await run(2 * day);
    const then = headOf('Parking', ['New Hall 1', '0103 Oslo']);
    assert.deepEqual(await sorted(), [then, ...first]);
    await update(parking, 'none');
    await house.accept(body, { clientId: parking });
    await run(minute);
    assert.deepEqual(await sorted(), [then, headOf('Parking', ofTheHouse), ...first]);
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: a letter that waited for its printer is set anew, with the return address of that time`, async (t) => {
    const { house, works, create, update, heads, spool } = await open(t, engine);
    const parking = await create('Parking', '--return-address', 'Town Hall, 0102 Oslo');
    rmSync(spool, { recursive: true });
    const run = await works();
    const id = await house.accept({ citizenId: 'cit-ida', channels: ['letter'] }, { clientId: parking });
    await run(1);
    mkdirSync(join(spool, 'making'), { recursive: true });
    await update(parking, 'New Hall 1, 0103 Oslo');
    await run(day);
    const shown = (await house.show(id, { clientId: parking })) as Shown;
    assert.deepEqual(
      shown.deliveries.map(({ channel, status, attempts }) => [channel, status, attempts]),
      [
        ['inbox', 'sent', 0],
        ['letter', 'sent', 2],
      ],
    );
    assert.deepEqual(await heads(), [headOf('Parking', ['New Hall 1', '0103 Oslo'])]);
  });

  test(`${engine.name}: a dry run says beforehand that no font shows the return address of its client`, async (t) => {
    const { db, time, create, parts, senderOf } = await open(t, engine);
    const noScript = String.fromCodePoint(0x10_0007);
    const [odd, tax] = [await create('Odd', '--return-address', `Hall ${noScript}`), await create('Tax Office')];
    const tryLetter = createTryLetter(parts, (fault) => assert.fail(String(fault)));
    const house = await createNotificationHouse(db, time.clock, citizens, { cascade, tryLetter, senderOf });
    const reachable = async (clientId: string) => {
      const answer = await house.send({ citizenId: 'cit-ida', message: 'x', dryRun: true }, { clientId });
      assert.ok('json' in answer);
      const channels = answer.json['channels'] as ReadonlyArray<{ channel: string; reachable: boolean }>;
      return channels.find(({ channel }) => channel === 'letter')?.reachable;
    };
    assert.deepEqual([await reachable(odd), await reachable(tax)], [false, true]);
  });
}
