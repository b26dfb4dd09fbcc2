import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createIdGenerator, parseId } from '../../src/kernel/id.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { composeMail } from '../../src/notifications/channels/compose-mail.ts';
import { mailFor } from '../../src/notifications/channels/mail.ts';
import { createLetterRenderer } from '../../src/notifications/letters/letter-renderer.ts';
import { renderLetterPdf } from '../../src/notifications/letters/render-letter.ts';
import type { OutgoingMessage } from '../../src/notifications/notification/channel.ts';
import { createBounceAddresses, parseBounce } from '../../src/notifications/provider-webhooks/bounce.ts';
import { createProviderWebhook } from '../../src/notifications/provider-webhooks/provider-webhook.ts';
import { renderMessageHtml } from '../../src/notifications/rendering/message-html.ts';
import { fillPlaceholders, parseMarkdown } from '../../src/notifications/text/markdown.ts';
import { engines } from '../support/database-engines.ts';
import { readPdfTexts } from '../support/letters.ts';
import { createNotificationApp } from '../support/notification-app.ts';

const at = Date.UTC(2026, 0, 15, 9);
const createId = createIdGenerator({ now: () => at }, (bytes) => new Uint8Array(bytes));
const sender = { address: 'no-reply@tax.example', messageIdHost: 'tax.example' };
const html = (source: string, values = {}) =>
  renderMessageHtml({ title: 'x', language: 'en', blocks: parseMarkdown(source, values), sender: 'Tax' });

function message(more: Partial<OutgoingMessage>): OutgoingMessage {
  return {
    notification: createId('notification'),
    delivery: createId('delivery'),
    attempt: 1,
    address: 'ada@example.org',
    sender: 'Tax',
    subject: 'S',
    content: { message: 'T' },
    reminder: false,
    category: 'information' as const,
    language: undefined,
    at,
    ...more,
  };
}

test('texts of a sender add no header and no part to a mail', () => {
  const evil = 'x\r\nBcc: all@example.org\r\n\r\n--=_boundary\r\nContent-Type: text/html';
  const mail = mailFor(
    message({ sender: evil, subject: evil, language: evil, content: { message: '**a**\r\n--=_x--\r\nBcc: b@c.d' } }),
    sender,
  );
  assert.ok(mail !== undefined);
  const raw = composeMail(mail).toString();
  const head = raw.slice(0, raw.indexOf('\r\n\r\n'));
  assert.doesNotMatch(head, /^bcc:/im);
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? '-';
  assert.equal(raw.split(`--${boundary}`).length, 4, 'two parts and an end');
});

test('rendered Markdown contains no HTML of the sender, no script and no other URL scheme', () => {
  const sources = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[a](data:text/html;base64,xx)',
    '[a](http://plain.example/)',
    '[a](https://user:pw@evil.example/)',
    '**<b onclick=x>**',
    '# <iframe src=//evil>',
    '- "><svg/onload=1>',
    '[<img src=x>](https://ok.example/"onmouseover="alert(1))',
    'https://ok.example/\u0022onfocus=1',
  ];
  for (const source of sources) {
    const page = html(source);
    const body = page.slice(page.indexOf('\n', page.indexOf('<div')), page.lastIndexOf('</div>'));
    const tags = Array.from(body.matchAll(/<\/?([a-z0-9]+)/gi), ([, tag = '']) => tag);
    const allowed = ['p', 'br', 'hr', 'h1', 'h2', 'ul', 'ol', 'li', 'strong', 'a', 'span'];
    assert.deepEqual(
      tags.filter((tag) => !allowed.includes(tag)),
      [],
      source,
    );
    assert.doesNotMatch(body, /<[^>]*\s(on\w+|src)=/i, source);
    for (const [, href = ''] of body.matchAll(/href="([^"]*)"/g)) assert.match(href, /^https:\/\/[^@]+$/, source);
  }
});

test('a link shows the host that it leads to', () => {
  assert.match(html('[https://bank.example](https://evil.example/x)'), /bank\.example<\/a> \(evil\.example\)/);
});

test('the value of a placeholder is inserted as text: no Markdown, no HTML, no placeholder, no other host', () => {
  const values = {
    name: '**x** [a](https://evil.example) <b> ((other))',
    other: 'SECRET',
    path: '//evil.example/@?a=b#c',
  };
  const page = html('Hello ((name))\n\n[go](https://ok.example/((path)))', values);
  assert.match(page, /Hello \*\*x\*\* \[a\]\(https:\/\/evil\.example\) &lt;b&gt; \(\(other\)\)/);
  assert.doesNotMatch(page, /SECRET|href="https:\/\/evil/);
  assert.match(page, /href="https:\/\/ok\.example\/%2F%2Fevil/);
  assert.equal(fillPlaceholders('((constructor)) ((__proto__))', {}), '((constructor)) ((__proto__))');
});

test('hostile Markdown of 20,000 characters is parsed within the time limit', () => {
  for (const unit of [
    '[',
    '**',
    '[a](',
    '((',
    'https://',
    'https://(',
    '[a](https://e.org/(',
    '- ',
    '# ',
    '1.',
    '1. a\n\n',
  ]) {
    const before = process.cpuUsage();
    parseMarkdown(unit.repeat(Math.floor(20_000 / unit.length)));
    // Processor time, because other programs also use the machine.
    const { user } = process.cpuUsage(before);
    assert.ok(user < 1_000_000, unit);
  }
});

test('Typst code in a letter is printed as text', async (t) => {
  const renderer = createLetterRenderer();
  t.after(() => renderer.close());
  const evil = '#read("/etc/passwd") #panic("x") $x^2$ \\ @ref <label> *b* _i_ `raw` #import "@preview/x:1.0.0"';
  const seen = evil.replaceAll(' ', '');
  const parts = [
    { content: { message: evil } },
    { subject: evil },
    { sender: evil },
    { address: `${evil}\nRoad\nOslo` },
  ];
  for (const part of parts) {
    const pdf = await renderLetterPdf(
      { renderer, window: 'din5008b' },
      message({ address: 'Ada\nRoad\nOslo', ...part }),
    );
    assert.ok(pdf instanceof Uint8Array);
    const printed = (await readPdfTexts(pdf)).boxes.map(({ text }) => text.replaceAll(/[\s\u200b]/g, '')).join('');
    assert.ok(printed.includes(seen), `${Object.keys(part)}: ${printed}`);
  }
});

test('a template with a missing or unknown value is refused before anything is stored', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const app = await createNotificationApp(await engine.open(t), { now: () => at }, { 'cit-ada': {} });
  const personalisation = { name: 'Ada', extra: 'x', line: 'a\nBcc: b' };
  const answer = await app.send({
    citizenId: 'cit-ada',
    subject: '((line))',
    message: '((name)) ((amount))',
    personalisation,
  });
  assert.ok('refused' in answer);
  const found = answer.refused.issues?.map(({ pointer, code }) => `${pointer} ${code}`);
  assert.deepEqual(found?.sort(), [
    '/personalisation/amount required',
    '/personalisation/extra unknown-input',
    '/personalisation/line malformed',
  ]);
});

const addresses = createBounceAddresses('bounces@tax.example', new Uint8Array(32).fill(3));
const delivery = createId('delivery');
const bounce = (
  to: string,
  { action = 'failed', status = '5.1.1', type = 'multipart/report; report-type=delivery-status; boundary=b' } = {},
) =>
  [
    ...[
      'From: MAILER-DAEMON@relay.example',
      `To: <${to}>`,
      `Content-Type: ${type}`,
      '',
      '--b',
      'Content-Type: text/plain',
      '',
    ],
    ...[
      'Sorry. Action: failed',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; relay.example',
      '',
    ],
    ...[
      'Final-Recipient: rfc822; ada@example.org',
      `Action: ${action}`,
      `Status: ${status}`,
      'Diagnostic-Code: smtp; 550',
      '--b--',
      '',
    ],
  ].join('\r\n');

test('a bounce counts only if it is sent to the address of its attempt and is final', () => {
  const to = addresses.addressFor({ delivery, attempt: 1 });
  assert.ok((to.split('@')[0]?.length ?? 99) <= 64);
  const failed = { delivery, attempt: 1, ended: 'failed' };
  const other = createBounceAddresses('bounces@tax.example', new Uint8Array(32).fill(4)).addressFor({
    delivery,
    attempt: 1,
  });
  const cases: ReadonlyArray<[string, object | undefined]> = [
    [bounce(to), { ...failed, reason: 'address-refused' }],
    [bounce(to.toLowerCase()), { ...failed, reason: 'address-refused' }],
    [bounce(to, { status: '5.2.2' }), { ...failed, reason: 'mailbox-full' }],
    [bounce(to, { action: 'delayed', status: '4.4.1' }), undefined],
    [bounce(to, { action: 'delivered', status: '2.0.0' }), undefined],
    [bounce(other), undefined],
    [bounce(to.replace('.1-', '.2-')), undefined],
    [bounce('bounces@tax.example'), undefined],
    [bounce(to, { type: 'text/plain' }), undefined],
    [bounce(to, { type: 'multipart/mixed; boundary=b' }), undefined],
    ['', undefined],
  ];
  for (const [index, [raw, expected]] of cases.entries())
    assert.deepEqual(parseBounce(raw, addresses), expected, `${index}`);
});

test('an oversized bounce is refused by its length, and an automatic reply to a bounce changes nothing and is not answered', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const db = await engine.open(t);
  const app = await createNotificationApp(db, { now: () => at }, { 'cit-ada': { email: 'ada@example.org' } });
  await app.accept({ citizenId: 'cit-ada' });
  const handler = createProviderWebhook(
    { ...app, read: db.read, clock: { now: () => at }, onFault: (fault) => assert.fail(String(fault)) },
    { token: new Secret('t'), limitBytes: 10_000, read: (raw) => [parseBounce(raw, addresses) ?? []].flat() },
  );
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // It listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  const post = async (body: string) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { authorization: 'Bearer t' }, body })).status;
  const [row] = await db.read("select id from delivery where channel = 'email'");
  const own = parseId('delivery', String(row?.['id']));
  assert.ok(own !== undefined);
  await db.write([{ sql: "update delivery set status = 'sent', ended_at = $1 where id = $2", args: [at, own] }]);
  const raw = bounce(addresses.addressFor({ delivery: own, attempt: 1 }));
  assert.equal(await post(`${raw}${'x'.repeat(20_000)}`), 413);
  for (let round = 0; round < 5; round += 1) assert.equal(await post(raw), 200);
  const ended = (await app.events()).filter((type) => type === 'notification.delivery-ended');
  assert.equal(ended.length, 1);
});
