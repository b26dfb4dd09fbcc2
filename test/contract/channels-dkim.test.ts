import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { dkimOf } from '../../src/notifications/channels/create-channels.ts';
import { type DkimKey, dkimFault } from '../../src/notifications/channels/dkim.ts';
import { createSmtpEmail } from '../../src/notifications/channels/smtp-email.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';

const at = Date.UTC(2026, 0, 15, 9);
const newId = createIdGenerator({ now: () => at }, (bytes) => new Uint8Array(bytes));
const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const key: DkimKey = { domain: 'tax.example', selector: 'mail2026', privateKey: pemOf(pair.privateKey) };

const texts = {
  plain: 'Your assessment is ready.\n\nSecond  paragraph.  \n\n\n',
  markup: '# What to do\n\nPay **by May**, see [the page](https://tax.example/pay).\n\n- ένα\n- δύο',
  dots: '.\n..\n.a line\n',
} as const;

async function mailThrough(t: TestContext, text: string): Promise<string> {
  const sink = await startTestSmtpServer(t);
  const email = createSmtpEmail({
    url: sink.url,
    sender: { address: 'no-reply@tax.example', messageIdHost: 'tax.example' },
    dkim: key,
  });
  t.after(() => email.close());
  const ready = await email.prepare({
    notification: newId('notification'),
    delivery: newId('delivery'),
    attempt: 1,
    address: 'ada@example.org',
    sender: 'Tax Office',
    subject: 'Żółć',
    content: { message: text },
    reminder: false,
    category: 'information',
    language: 'en',
    at,
  });
  assert.ok('call' in ready);
  assert.deepEqual(await ready.call(), { outcome: 'sent' });
  return sink.mails[0]?.raw ?? '';
}

/** Verifies a signature by RFC 6376 alone: relaxed header and body, SHA-256. Returns the tags, or the part that does not match. */
function verified(raw: string, publicKey: KeyObject): Record<string, string> | string {
  const cut = raw.indexOf('\r\n\r\n');
  const fields = raw.slice(0, cut).split(/\r\n(?![ \t])/);
  const own = fields.find((field) => /^dkim-signature:/i.test(field)) ?? '';
  const tags = Object.fromEntries(
    own
      .slice(own.indexOf(':') + 1)
      .split(';')
      .map((tag) => tag.replaceAll(/\s+/g, ''))
      .filter((tag) => tag !== '')
      .map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
  );
  const body = raw
    .slice(cut + 4)
    .replaceAll(/[ \t]+(?=\r\n|$)/g, '')
    .replaceAll(/[ \t]+/g, ' ')
    .replace(/(?:\r\n)*$/, '\r\n');
  if (createHash('sha256').update(body).digest('base64') !== tags['bh']) return 'body';
  const relaxed = (field: string) => {
    const [name = '', ...rest] = field.replaceAll('\r\n', '').split(':');
    return `${name.toLowerCase().trim()}:${rest
      .join(':')
      .replaceAll(/[ \t]+/g, ' ')
      .trim()}`;
  };
  const named = (name: string) => fields.findLast((field) => field.toLowerCase().startsWith(`${name}:`)) ?? '';
  const signed = (tags['h'] ?? '').split(':').map((name) => `${relaxed(named(name))}\r\n`);
  const without = relaxed(own.replace(/b=[^;]*$/, 'b='));
  const input = Buffer.from(`${signed.join('')}${without}`);
  return verify('sha256', input, publicKey, Buffer.from(tags['b'] ?? '', 'base64')) ? tags : 'signature';
}

for (const [kind, text] of Object.entries(texts)) {
  test(`a mail (${kind}) has a signature that the public key of the domain verifies`, async (t) => {
    const tags = verified(await mailThrough(t, text), pair.publicKey);
    assert.ok(typeof tags === 'object', `the ${tags} does not fit`);
    assert.deepEqual([tags['d'], tags['s'], tags['a']], ['tax.example', 'mail2026', 'rsa-sha256']);
    const covered = (tags['h'] ?? '').split(':');
    for (const name of ['from', 'to', 'subject', 'date', 'message-id', 'content-type'])
      assert.ok(covered.includes(name), `${name} is covered`);
  });
}

test('a signature does not verify after a change of body, subject or sender, or with another key', async (t) => {
  const raw = await mailThrough(t, texts.plain);
  assert.equal(verified(raw.replace('assessment', 'assassment'), pair.publicKey), 'body');
  assert.equal(verified(raw.replace('From: "Tax', 'From: "Tex'), pair.publicKey), 'signature');
  const other = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  assert.equal(verified(raw, other.publicKey), 'signature');
});

test('a key that cannot sign stops the start with the setting and the fix', () => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey;
  const curve = generateKeyPairSync('ed25519').privateKey;
  const faults: Array<[Partial<DkimKey>, string, RegExp]> = [
    [{ privateKey: pemOf(short) }, 'DKIM_KEY', /at least 2048 bits, received 1024; create one with/],
    [{ privateKey: pemOf(curve) }, 'DKIM_KEY', /expected an RSA key, received ed25519/],
    [{ privateKey: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString() }, 'DKIM_KEY', /a private key/],
    [{ privateKey: 'nonsense' }, 'DKIM_KEY', /a private key as PEM/],
    [{ domain: 'other.example' }, 'DKIM_DOMAIN', /the domain of MAIL_FROM/],
    [{ domain: 'tax.example; x=1' }, 'DKIM_DOMAIN', /a domain in ASCII/],
    [{ selector: 'a b' }, 'DKIM_SELECTOR', /under _domainkey/],
  ];
  for (const [wrong, name, fault] of faults) {
    const found = dkimFault({ ...key, ...wrong }, 'no-reply@mail.tax.example');
    assert.equal(found?.[0], name);
    assert.match(found?.[1] ?? '', fault);
  }
  assert.equal(dkimFault(key, 'no-reply@mail.tax.example'), undefined);
  const some = readSettings({ DKIM_DOMAIN: 'tax.example', DKIM_KEY: key.privateKey });
  assert.throws(() => dkimOf(some), /DKIM_DOMAIN: expected DKIM_DOMAIN, DKIM_SELECTOR and DKIM_KEY together/);
  const all = { DKIM_DOMAIN: 'tax.example', DKIM_SELECTOR: 'a', DKIM_KEY: pemOf(short), MAIL_FROM: 'a@tax.example' };
  assert.throws(
    () => dkimOf(readSettings(all)),
    (fault) => fault instanceof Error && !fault.message.includes('BEGIN'),
  );
  assert.equal(dkimOf(readSettings({ ...all, DKIM_KEY: key.privateKey }))?.selector, 'a');
});
