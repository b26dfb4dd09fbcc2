import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findClient } from '../../src/auth/client-store.ts';
import type { CascadePolicy } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { createLetterSpool } from '../../src/notifications/channels/letter-spool.ts';
import { createLetterCheck } from '../../src/notifications/letters/check-letter.ts';
import { createLetterRenderer } from '../../src/notifications/letters/letter-renderer.ts';
import { addressWindows } from '../../src/notifications/letters/letter-template.ts';
import { unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { createDeliveryApp, createScriptedChannel, minuteMs, type NotificationView } from '../support/delivery-app.ts';
import { printedLines, readPdfTexts } from '../support/letters.ts';
import { createNotificationApp } from '../support/notification-app.ts';
import { openClientCommands } from '../support/run-command.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const day = 24 * 60 * minuteMs;
const defaultAddress = ['P.O. Box 100', '0101 Oslo'];
const postalLines = ['Long Road 17', '0150 Oslo'];
const citizens = {
  'cit-ida': { name: 'Ida Berg', postalLines },
  'cit-ole': { name: 'Ole Berg', postalLines, largePrint: true },
};
const cascade: CascadePolicy = {
  steps: [{ channel: 'letter', afterMs: 0 }],
  letterLeadMs: 5 * day,
  providers: new Set(['letter']),
};

/** Clients that are created by the command line, and letters that are printed for them into a folder. */
async function open(t: TestContext, engine: Engine) {
  const { db, run } = await openClientCommands(t, engine);
  const { app, time, start, faults } = await createDeliveryApp(t, db, { cascade, citizens });
  const folder = makeTestFolder('cs-senders-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const spool = join(folder, 'spool');
  mkdirSync(spool);
  const renderer = createLetterRenderer();
  const parts = { renderer, window: 'din5008b', returnAddress: defaultAddress } as const;
  t.after(() => renderer.close());
  const senderOf = async (clientId: string) => (await findClient(db.read, clientId)) ?? { name: clientId };
  const works = async () => {
    const letter = createLetterSpool({ folder: spool, ...parts });
    const channels = { ...unconfiguredChannels, inbox: inboxChannel, email: createScriptedChannel(), letter };
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
  /** The texts above the address in each letter of the folder, by file name. */
  const heads = async () => {
    const files = readdirSync(spool).filter((name) => name.endsWith('.pdf'));
    const read = async (name: string) => {
      const { boxes } = await readPdfTexts(readFileSync(join(spool, name)));
      return boxes.filter(({ bottom }) => bottom < addressWindows.din5008b.y).map(({ text }) => text);
    };
    return await Promise.all(files.sort().map(read));
  };
  return { db, app, time, works, create, update, heads, spool, parts, senderOf, faults };
}

const headOf = (name: string, lines: readonly string[]) => [name, ...lines, [name, ...lines].join(' · ')];

for (const engine of engines) {
  test(`${engine.name}: a letter has the current return address of its service when it is printed`, async (t) => {
    const { app, time, works, create, update, heads, faults } = await open(t, engine);
    const parking = await create('Parking', '--return-address', 'Town Hall, 0102 Oslo');
    const tax = await create('Tax Office');
    const sendAt = new Date(time.clock.now() + day).toISOString();
    const body = { citizenId: 'cit-ida', channels: ['letter'] };
    const run = await works();
    await app.accept(body, { clientId: parking });
    await app.accept(body, { clientId: tax });
    await run(minuteMs);
    const first = [headOf('Parking', ['Town Hall', '0102 Oslo']), headOf('Tax Office', defaultAddress)];
    const sorted = async () => (await heads()).sort((one, other) => one.join().localeCompare(other.join()));
    assert.deepEqual(await sorted(), first);
    await app.accept({ ...body, sendAt }, { clientId: parking });
    await update(parking, 'New Hall 1, 0103 Oslo');
    await run(2 * day);
    const then = headOf('Parking', ['New Hall 1', '0103 Oslo']);
    assert.deepEqual(await sorted(), [then, ...first]);
    await update(parking, 'none');
    await app.accept(body, { clientId: parking });
    await run(minuteMs);
    assert.deepEqual(await sorted(), [then, headOf('Parking', defaultAddress), ...first]);
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: a letter has the reference of the send and the contact of its client, and large print for a citizen who wishes it`, async (t) => {
    const { app, works, create, spool } = await open(t, engine);
    const tax = await create('Tax Office', '--contact-phone', '+44 117 496 0000');
    const run = await works();
    const printed: (readonly [readonly string[], number])[] = [];
    for (const citizenId of ['cit-ida', 'cit-ole']) {
      await app.accept(
        { citizenId, channels: ['letter'], reference: 'TA-2025-118', language: 'en' },
        { clientId: tax },
      );
      await run(minuteMs);
      const [name = ''] = readdirSync(spool).filter((file) => file.endsWith('.pdf'));
      const { boxes } = await readPdfTexts(readFileSync(join(spool, name)));
      const size = boxes.filter(({ text }) => text.includes('117')).map(({ top, bottom }) => (bottom - top) / 0.3528);
      printed.push([printedLines(boxes), Math.round(size[0] ?? 0)]);
      rmSync(join(spool, name));
    }
    assert.deepEqual(
      printed.map(([, size]) => size),
      [9, 18],
    );
    for (const [lines] of printed)
      for (const line of ['Reference: TA-2025-118', 'Phone: +44 117 496 0000'])
        assert.ok(
          lines.some((one) => one.endsWith(line)),
          `${line} in ${lines.join('|')}`,
        );
  });

  test(`${engine.name}: a letter that waited for its printer is rendered again with the current return address`, async (t) => {
    const { app, works, create, update, heads, spool } = await open(t, engine);
    const parking = await create('Parking', '--return-address', 'Town Hall, 0102 Oslo');
    rmSync(spool, { recursive: true });
    const run = await works();
    const id = await app.accept({ citizenId: 'cit-ida', channels: ['letter'] }, { clientId: parking });
    await run(1);
    mkdirSync(join(spool, 'making'), { recursive: true });
    await update(parking, 'New Hall 1, 0103 Oslo');
    await run(day);
    const shown = (await app.show(id, { clientId: parking })) as NotificationView;
    assert.deepEqual(
      shown.deliveries.map(({ channel, status, attempts }) => [channel, status, attempts]),
      [
        ['inbox', 'sent', 0],
        ['letter', 'sent', 2],
      ],
    );
    assert.deepEqual(await heads(), [headOf('Parking', ['New Hall 1', '0103 Oslo'])]);
  });

  test(`${engine.name}: a preview reports a return address with characters that no font contains`, async (t) => {
    const { db, time, create, parts, senderOf } = await open(t, engine);
    const noScript = String.fromCodePoint(0x10_0007);
    const [unprintable, tax] = [
      await create('Odd', '--return-address', `Hall ${noScript}`),
      await create('Tax Office'),
    ];
    const checkLetter = createLetterCheck(parts, (fault) => assert.fail(String(fault)));
    const app = await createNotificationApp(db, time.clock, citizens, { cascade, checkLetter, senderOf });
    const reachable = async (clientId: string) => {
      const answer = await app.preview({ citizenId: 'cit-ida', message: 'x' }, { clientId });
      assert.ok('json' in answer);
      const channels = answer.json['channels'] as ReadonlyArray<{ channel: string; reachable: boolean }>;
      return channels.find(({ channel }) => channel === 'letter')?.reachable;
    };
    assert.deepEqual([await reachable(unprintable), await reachable(tax)], [false, true]);
  });
}
