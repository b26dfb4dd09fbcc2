import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { defaultPolicyFor } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { createSmtpEmail } from '../../src/notifications/channels/smtp-email.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { createConfirmLinks } from '../../src/notifications/inbox/confirm-receipt.ts';
import { listInboxMessages } from '../../src/notifications/list-inbox-messages.ts';
import { unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import { openInboxMessage } from '../../src/notifications/open-inbox-message.ts';
import { readEvents } from '../../src/notifications/read-events.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { createFeedNumberer } from '../../src/notifications/webhooks/number-feed.ts';
import { mountReceiptPage } from '../../src/web/receipt-page.ts';
import { engines } from '../support/database-engines.ts';
import { defaultSite } from '../support/default-site.ts';
import { createDeliveryApp, createScriptedChannel, minuteMs, type NotificationView } from '../support/delivery-app.ts';

const day = 24 * 60 * minuteMs;
const base = 'https://services.example.gov';
const links = createConfirmLinks(base, new Uint8Array(32).fill(3));

async function open(t: TestContext, db: Database) {
  const cascade = defaultPolicyFor(new Set(['letter']));
  const { app, time, sink, start, faults } = await createDeliveryApp(t, db, { cascade });
  const sender = { address: 'no-reply@tax.example', messageIdHost: 'tax.example', confirmLink: links.linkFor };
  const email = createSmtpEmail({ url: sink.url, sender });
  t.after(() => email.close());
  const letter = { ...createScriptedChannel(), name: 'letter' as const, addressOf: () => 'x' };
  const worker = await start({ channels: { ...unconfiguredChannels, inbox: inboxChannel, email, letter } });
  const onFault = (fault: unknown) => void faults.push(fault);
  const deps = { ...app, ...app.ports, site: defaultSite, publicUrl: base, read: db.read, clock: time.clock, onFault };
  const { handler } = mountReceiptPage(deps, links);
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // It listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, redirect?: 'manual') => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...(redirect && { redirect }) });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const run = async (ms: number) => {
    worker.wake();
    await time.advance(ms, worker.idle);
  };
  const shown = async (id: string) => (await app.show(id)) as NotificationView;
  /** The path of the link in the latest mail. */
  const linkIn = (raw: string) => {
    const text = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    return /https:\/\/services\.example\.gov(\/received\/\S+)/.exec(text)?.[1] ?? '';
  };
  return { db, app, time, sink, ask, run, shown, linkIn, letter, faults };
}

for (const engine of engines) {
  test(`${engine.name}: the button on the linked page proves the delivery and ends the cascade, but does not open the message`, async (t) => {
    const { db, app, time, sink, ask, run, shown, linkIn, letter, faults } = await open(t, await engine.open(t));
    const id = await app.accept({
      citizenId: 'cit-ada',
      message: '# Hello\n\nA **secret** text',
      legalEffect: 'opened-or-confirmed',
    });
    await run(minuteMs);
    const path = linkIn(sink.mails[0]?.raw ?? '');
    for (const method of ['GET', 'HEAD']) {
      const looked = await ask(method, path);
      assert.equal(looked.status, 200);
      // The random part of the link can contain any letters.
      assert.doesNotMatch(looked.text.replaceAll(path, ''), /secret|Hello|ada/i);
      assert.match(looked.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    }
    const nb = await ask('GET', path, { 'accept-language': 'xx, nb-NO;q=0.9, de;q=0.8' });
    assert.match(nb.text, /<html lang="nb"[\s\S]*Jeg har mottatt meldingen/);
    assert.equal((await shown(id)).status, 'sending');
    assert.match((await ask('GET', path)).text, new RegExp(`<form method="post" action="${path}">`));
    const asked = (await ask('GET', path)).text;
    assert.match(
      asked,
      /<title>Confirm that you received the message – Tax Office<\/title>[\s\S]*<header>[\s\S]*<bdi>Tax Office<\/bdi>[\s\S]*<\/header>/,
    );
    assert.match(
      asked,
      /\u2068Tax Office\u2069 sent you an email[\s\S]*think that it is not real[\s\S]*Ask \u2068Tax Office\u2069/,
    );
    const confirmed = /<title>You confirmed that [^<]* – Tax Office<[\s\S]*\u2068Tax Office\u2069 now knows/;
    // A redirect, because a phone that returns to the page would send the form again.
    const pressed = await ask('POST', path, {}, 'manual');
    assert.deepEqual([pressed.status, pressed.headers.get('location'), pressed.text], [303, path, '']);
    const used = (await ask('GET', path)).text;
    assert.match(used, confirmed);
    assert.doesNotMatch(used, /<form/);
    const after = await shown(id);
    assert.deepEqual(
      [after.status, after.deliveries.map(({ channel, status }) => `${channel} ${status}`)],
      ['delivered', ['inbox sent', 'email delivered', 'email skipped', 'letter skipped']],
    );
    const eventCount = (await app.events()).length;
    assert.equal((await ask('POST', path)).status, 200);
    await run(13 * day);
    assert.equal((await app.events()).length, eventCount);
    assert.deepEqual([sink.mails.length, letter.calls.length, faults], [1, 0, []]);
    await createFeedNumberer({ read: db.read, write: db.write, clock: time.clock }).run('pass');
    const feed = await app.serve(readEvents)({});
    assert.ok('json' in feed);
    assert.equal((feed.json['items'] as Array<{ type: string }>).at(-1)?.type, 'notification.confirmed');
  });

  test(`${engine.name}: a message whose receipt was confirmed by the link stays new in the inbox, and its evidence names the link`, async (t) => {
    const { app, sink, ask, run, shown, linkIn } = await open(t, await engine.open(t));
    const id = await app.accept({ citizenId: 'cit-ada', legalEffect: 'opened-or-confirmed' });
    await run(minuteMs);
    await ask('POST', linkIn(sink.mails[0]?.raw ?? ''));
    const reasons = (await shown(id)).deliveries.map(({ reason }) => (reason as { code: string } | undefined)?.code);
    assert.deepEqual(reasons, [undefined, undefined, 'receipt-confirmed', 'receipt-confirmed']);
    const listed = await app.serve(listInboxMessages)({}, { citizenId: 'cit-ada' });
    assert.ok('json' in listed);
    const [item] = listed.json['items'] as Array<{ opened: boolean; legalEffect: object }>;
    const legalEffect = { rule: 'opened-or-confirmed', confirmationCounts: true, awaitsLetter: false };
    assert.deepEqual([item?.opened, item?.legalEffect], [false, { ...legalEffect, effectiveOn: '2026-01-15' }]);
    const answer = await app.serve(readEvidence)({ params: { id } });
    assert.ok('json' in answer);
    const { claims } = verifyEvidence(JSON.stringify(answer.json));
    const names = (claims['evidence'] as Array<Record<string, unknown>>).map(
      ({ event, channel, citizenProof, basis }) =>
        [String(event).split('/').at(-1), channel, citizenProof, basis].filter((part) => part !== undefined).join(' '),
    );
    assert.deepEqual(names, [
      'SubmissionAcceptance',
      'ContentConsignment inbox',
      'RelayToNonERDS email',
      'RelayToNonERDS email true',
      'NotificationAccessTracking email confirmed by the link in the message',
    ]);
    assert.equal((claims['legalEffect'] as { basis: string }).basis, 'confirmed by the link in the message');
  });

  test(`${engine.name}: a confirmation by the link does not count as opening, and leaves the letter in the cascade`, async (t) => {
    const { app, time, sink, ask, run, shown, linkIn, letter, faults } = await open(t, await engine.open(t));
    const id = await app.accept({ citizenId: 'cit-ada', legalEffect: 'opened' });
    await run(minuteMs);
    const path = linkIn(sink.mails[0]?.raw ?? '');
    const asked = (await ask('GET', path)).text;
    assert.match(
      asked,
      /Pressing the button does not count as opening the message\. This message counts as delivered when/,
    );
    assert.match(sink.mails[0]?.raw.replaceAll('=\r\n', '') ?? '', /that does not count as opening it/);
    await ask('POST', path);
    assert.equal((await shown(id)).status, 'delivered');
    const effect = async () => {
      const answer = await app.serve(readEvidence)({ params: { id } });
      assert.ok('json' in answer);
      return verifyEvidence(JSON.stringify(answer.json)).claims['legalEffect'];
    };
    assert.deepEqual(await effect(), { rule: 'opened', basis: 'not yet' });
    const used = (await ask('GET', path)).text;
    assert.match(
      used,
      /You confirmed that you received the message[\s\S]*This message counts as delivered when you open it in your inbox\./,
    );
    await run(8 * day);
    assert.equal(letter.calls.length, 1);
    const openedAt = new Date(time.clock.now()).toISOString();
    await app.serve(openInboxMessage)({ params: { id } }, { citizenId: 'cit-ada' });
    assert.deepEqual(await effect(), {
      rule: 'opened',
      effectiveAt: openedAt,
      basis: 'the citizen opened the message',
    });
    assert.deepEqual(
      (await app.events()).filter((type) => /confirmed|opened/.test(String(type))),
      ['notification.confirmed', 'notification.opened'],
    );
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: the page of a link does not say that a message was confirmed which was only opened`, async (t) => {
    const { app, sink, ask, run, linkIn } = await open(t, await engine.open(t));
    const id = await app.accept({ citizenId: 'cit-ada', legalEffect: 'opened' });
    await run(minuteMs);
    await app.serve(openInboxMessage)({ params: { id } }, { citizenId: 'cit-ada' });
    const path = linkIn(sink.mails[0]?.raw ?? '');
    for (const method of ['GET', 'POST']) {
      const { text } = await ask(method, path);
      assert.match(
        text,
        /<h1>You have already opened this message<[\s\S]*do not need to confirm[\s\S]*has counted as delivered since/,
      );
      assert.doesNotMatch(text, /<form method="post"|You confirmed/);
    }
  });

  test(`${engine.name}: the page of a link says beforehand when its button makes the message count as served`, async (t) => {
    const { app, sink, ask, run, linkIn } = await open(t, await engine.open(t));
    const textFor = async (legalEffect?: string) => {
      await app.accept({ citizenId: 'cit-ada', ...(legalEffect === undefined ? {} : { legalEffect }) });
      await run(minuteMs);
      return (await ask('GET', linkIn(sink.mails.at(-1)?.raw ?? ''))).text;
    };
    const counts = /If you press the button, the message counts as delivered to you today/;
    assert.match(await textFor('after-3-days-or-confirmed'), counts);
    const waits = await textFor('after-3-days');
    assert.doesNotMatch(waits, counts);
    assert.match(waits, /It counts as delivered from 19 January 2026 even if you do not open it\./);
    assert.match(await textFor('as-letter'), /If you do not open it, you will get a letter\./);
    const plain = await textFor();
    assert.doesNotMatch(plain, /counts as delivered/);
    assert.match(plain, /This only means that the message has reached you/);
  });

  test(`${engine.name}: the link of a mail without a delivery report proves its delivery, even after the deadline`, async (t) => {
    const { app, sink, ask, run, shown, linkIn } = await open(t, await engine.open(t));
    sink.setBehaviour(() => 'drop-after-data');
    const id = await app.accept({ citizenId: 'cit-ada', channels: ['email'] });
    await run(20 * day);
    assert.equal((await shown(id)).status, 'unknown');
    await ask('POST', linkIn(sink.mails[0]?.raw ?? ''));
    const { status, deliveries } = await shown(id);
    assert.deepEqual([status, deliveries[1]?.['status']], ['delivered', 'delivered']);
  });

  test(`${engine.name}: an invented or changed link, or the link of an unsent mail, confirms nothing`, async (t) => {
    const { app, db, sink, ask, run, shown, linkIn, faults } = await open(t, await engine.open(t));
    const id = await app.accept({ citizenId: 'cit-ada' });
    await run(minuteMs);
    const path = linkIn(sink.mails[0]?.raw ?? '');
    const [, own = '', mark = ''] = /received\/(dlv_\w+)\.(.*)$/.exec(path) ?? [];
    const rows = await db.read('select id from delivery where notification_id = $1 order by id', [id]);
    const others = rows.map((row) => String(row['id'])).filter((one) => one !== own);
    const waiting = String(others.at(-1));
    const wrong = [
      ...others.map((other) => `/received/${other}.${mark}`),
      `/received/${own}.${mark.slice(0, -1)}${mark.endsWith('A') ? 'B' : 'A'}`,
      `/received/${own}`,
      `/received/${own}.`,
      `${path}A`,
      `/received/${own.toLowerCase()}.${mark}`,
      '/received/%00',
      new URL(links.linkFor(waiting as Parameters<typeof links.linkFor>[0])).pathname,
    ];
    for (const path of wrong) {
      const { status, text } = await ask('POST', path, { 'accept-language': 'de-AT' });
      assert.equal(status, 404, path);
      assert.match(text, /<html lang="de"[\s\S]*Dieser Link funktioniert nicht[\s\S]*Sie haben nichts bestätigt/);
      assert.doesNotMatch(text, /Tax|citizen-services/);
    }
    assert.equal((await shown(id)).status, 'sending');
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: a citizen can list and open only their own messages, and the first opening is the proof`, async (t) => {
    const { app, run, shown, time } = await open(t, await engine.open(t));
    const message = '# Title\n\n<script>alert(1)</script>';
    const ids: string[] = [];
    for (const subject of ['One', 'Two', 'Three']) {
      ids.push(await app.accept({ citizenId: 'cit-ada', subject, message }));
      await time.advance(minuteMs, async () => undefined);
    }
    const foreign = await app.accept({ citizenId: 'cit-bo' });
    await run(minuteMs);
    const ada = { clientId: 'my-pages', citizenId: 'cit-ada' };
    const list = async (query = '') => {
      const answer = await app.serve(listInboxMessages)({ query }, ada);
      assert.ok('json' in answer);
      return answer.json as { items: Array<{ id: string; subject: string; opened: boolean }>; next?: string };
    };
    const first = await list('limit=2');
    assert.deepEqual(
      first.items.map(({ subject, opened }) => [subject, opened]),
      [
        ['Three', false],
        ['Two', false],
      ],
    );
    const second = await list(`limit=2&cursor=${first.next}`);
    assert.deepEqual([second.items.map(({ id }) => id), second.next], [[ids[0]], null]);
    const openOne = async (id: string, ask: object = ada) => await app.serve(openInboxMessage)({ params: { id } }, ask);
    const opened = await openOne(ids[1] ?? '');
    assert.ok('json' in opened);
    assert.deepEqual(
      [opened.json['subject'], opened.json['message'], opened.json['sender'], opened.json['attachments']],
      ['Two', message, 'Tax Office', []],
    );
    assert.doesNotMatch(String(opened.json['html']), /<script>/);
    assert.equal((await shown(ids[1] ?? '')).status, 'read');
    assert.equal((await shown(ids[0] ?? '')).status, 'sending');
    assert.deepEqual(
      (await list()).items.map(({ opened: was }) => was),
      [false, true, false],
    );
    const slug = async (answer: ReturnType<typeof openOne>) => {
      const given = await answer;
      return 'refused' in given ? given.refused.slug : given.status;
    };
    assert.deepEqual(
      [
        await slug(openOne(foreign)),
        await slug(openOne('ntf_x')),
        await slug(openOne(ids[0] ?? '', {})),
        await slug(openOne(ids[1] ?? '')),
      ],
      ['notification-not-found', 'notification-not-found', 'citizen-token-needed', 200],
    );
  });
}
