import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import ssh2 from 'ssh2';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createLetterSftp } from '../../src/notifications/channels/letter-sftp.ts';
import { parseSftpTarget } from '../../src/notifications/channels/sftp-session.ts';
import type { OutgoingMessage } from '../../src/notifications/notification/channel.ts';
import { type RenameBehaviour, startSftpServer } from '../support/sftp-server.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = Date.UTC(2026, 0, 15, 9);
const mint = createIdGenerator({ now: () => at }, systemRandom);

function letter(): OutgoingMessage {
  const text = 'Your assessment is ready.';
  return {
    ...{ notification: mint('notification'), delivery: mint('delivery'), attempt: 1, address: 'Ada\nRoad 1\nOslo' },
    ...{ sender: 'Tax Office', subject: 'Assessment', content: { message: text }, reminder: false },
    ...{ category: 'decision', language: 'en', at },
  };
}

/** Setting letters is tested elsewhere; these are handed over as they are. */
const renderer = { render: async () => new Uint8Array(200_000).fill(7), close: async () => undefined };
const unreachable = { outcome: 'temporary', reason: 'provider-unreachable' };

async function open(t: TestContext, more: { hostKey?: string; password?: string } = {}) {
  const folder = makeTestFolder('sftp-');
  t.after(() => rmSync(folder, { recursive: true }));
  const server = await startSftpServer(t, folder);
  const url = server.url.replace('pass%20word', more.password ?? 'pass%20word');
  const target = parseSftpTarget(url, { key: undefined, hostKey: more.hostKey ?? server.fingerprint });
  const troubles: string[] = [];
  const onProviderFailure = (why: string) => void troubles.push(why);
  const channel = createLetterSftp({ target, window: 'din5008b', renderer, onProviderFailure });
  t.after(() => channel.close());
  const send = async (message = letter()) => {
    const ready = await channel.prepare(message);
    return 'call' in ready ? await ready.call() : ready;
  };
  return { folder, server, channel, send, troubles, files: () => readdirSync(folder).sort() };
}

test('a host with another key is not shown the password, and a wrong password is told as ours to mend', async (t) => {
  const other = await open(t, { hostKey: `SHA256:${'A'.repeat(43)}` });
  assert.deepEqual(await other.send(), { outcome: 'temporary', reason: 'provider-refuses-us' });
  const wrong = await open(t, { password: 'guess' });
  assert.deepEqual(await wrong.send(), { outcome: 'temporary', reason: 'provider-refuses-us' });
  assert.deepEqual([other.files(), wrong.files()], [[], []]);
  assert.match(String(other.troubles), /refused us.*no matching host key/);
  assert.match(String(wrong.troubles), /refused us.*authentication methods failed/);
});

test('a printer that knows us by a key takes letters, whichever form the key has', async (t) => {
  const pem = (key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1') => key.export({ type, format: 'pem' }).toString();
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const openSsh = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private;
  const folder = makeTestFolder('sftp-');
  t.after(() => rmSync(folder, { recursive: true }));
  const server = await startSftpServer(t, folder, [pem(rsa, 'pkcs1'), pem(ec, 'sec1'), openSsh]);
  const url = server.url.replace(':pass%20word', '');
  for (const key of [pem(rsa, 'pkcs1'), pem(rsa, 'pkcs8'), pem(ec, 'sec1'), pem(ec, 'pkcs8'), openSsh]) {
    const target = parseSftpTarget(url, { key, hostKey: server.fingerprint });
    const channel = createLetterSftp({ target, window: 'din5008b', renderer });
    const ready = await channel.prepare(letter());
    assert.deepEqual('call' in ready && (await ready.call()).outcome, 'sent', key.slice(0, 40));
    await channel.close();
  }
});

test('a key that could not be used stops the start, and so does what is no URL of a place', () => {
  const hostKey = `SHA256:${'A'.repeat(43)}`;
  const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const cipher = 'aes256-ctr';
  const locked = ssh2.utils.generateKeyPairSync('ecdsa', {
    bits: 256,
    passphrase: 'secret',
    cipher,
    rounds: 1,
  }).private;
  for (const key of [ed25519, locked, 'secret', '']) {
    const start = () => parseSftpTarget('sftp://printer@printer.example/in', { key, hostKey });
    assert.throws(start, /^TypeError: expected LETTER_SFTP_KEY as .* without a passphrase/);
  }
  for (const target of ['sftp://:pw@b/', 'sftp://a:pw@b/?x=1', 'sftp://a:pw@b/#x']) {
    assert.throws(() => parseSftpTarget(target, { key: undefined, hostKey }), /^TypeError: expected sftp:/);
  }
  const { port, folder } = parseSftpTarget('sftp://a:pw@b/in%20box/', { key: undefined, hostKey });
  assert.deepEqual([port, folder], [22, '/in box']);
});

test('a login that cannot even be begun leaves no connection', async (t) => {
  const { server } = await open(t);
  const target = parseSftpTarget(server.url, { key: undefined, hostKey: server.fingerprint });
  const channel = createLetterSftp({ target: { ...target, login: { privateKey: 'x' } }, window: 'din5008b', renderer });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    assert.deepEqual(await channel.prepare(letter()), { outcome: 'temporary', reason: 'provider-refuses-us' });
    await waitUntil(async () => server.connections() === 0);
    server.stop();
  }
  await channel.close();
});

test('a host is known by any of its keys', async (t) => {
  const { folder, server } = await open(t);
  const target = parseSftpTarget(server.url, { key: undefined, hostKey: server.rsaFingerprint });
  const channel = createLetterSftp({ target, window: 'din5008b', renderer });
  t.after(() => channel.close());
  const ready = await channel.prepare(letter());
  assert.ok('call' in ready);
  assert.equal((await ready.call()).outcome, 'sent');
  assert.equal(readdirSync(folder).length, 2);
});

test('a server that is not there, or full, takes nothing and can be tried again', async (t) => {
  const { server, send, troubles, files } = await open(t);
  server.fill(true);
  assert.deepEqual(await send(), unreachable);
  assert.equal(troubles.splice(0).length, 1);
  await waitUntil(async () => server.connections() === 0);
  assert.deepEqual(files(), []);
  server.fill(false);
  assert.equal((await send()).outcome, 'sent');
  assert.equal(files().length, 2);
  server.stop();
  assert.deepEqual(await send(), unreachable);
  // Now no session is kept either.
  assert.deepEqual(await send(), unreachable);
  assert.match(String(troubles), /^put: .*,no SFTP session could be opened: .*ECONNREFUSED/);
});

test('a refused renaming is temporary, whichever of the two it is; the letter is not the printer’s', async (t) => {
  const { server, send, troubles, files } = await open(t);
  for (const ending of ['.pdf', '.json']) {
    server.renames((to) => (to.endsWith(ending) ? 'refuse' : 'make'));
    assert.deepEqual(await send(), unreachable, ending);
    assert.match(String(troubles.splice(0)), new RegExp(`rename: .*\\${ending}`));
  }
  assert.deepEqual(
    files().filter((file) => file.endsWith('.json')),
    [],
  );
});

test('a connection lost at the renaming is asked about at once: handed over or not, never guessed', async (t) => {
  const { server, channel, send, troubles, files } = await open(t);
  const drops = (how: RenameBehaviour) => {
    let once = true;
    server.renames((to) => {
      if (!once || !to.endsWith('.json')) return 'make';
      once = false;
      return how;
    });
  };
  drops('drop-before');
  assert.deepEqual(await send(), unreachable);
  drops('drop-after');
  const message = letter();
  const outcome = { outcome: 'sent', providerRef: `${message.delivery}.1` };
  assert.deepEqual(await send(message), outcome);
  assert.ok(files().includes(`${message.delivery}.1.json`));
  drops('drop-late');
  const late = letter();
  assert.deepEqual(await send(late), { outcome: 'sent', providerRef: `${late.delivery}.1` });
  for (const ending of ['pdf', 'json']) assert.ok(files().includes(`${late.delivery}.1.${ending}`), ending);
  // Only of the first it is known that it did not reach the printer.
  assert.deepEqual(troubles, ['rename: Unexpected end event']);
  drops('drop-taken');
  assert.deepEqual([await send(), files()], [{ outcome: 'unknown' }, []]);
  server.renames((to) => (to.endsWith('.json') ? 'drop-after' : 'make'));
  const taken = letter();
  const ready = await channel.prepare(taken);
  assert.ok('call' in ready);
  const called = ready.call();
  server.stop();
  assert.deepEqual(await called, { outcome: 'unknown' });
});

test('a server that falls silent is given up after a minute, with its connection', async (t) => {
  const { server, send, files } = await open(t);
  const asked = Promise.withResolvers<void>();
  server.renames(() => {
    asked.resolve();
    return 'silent';
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sent = send();
  await asked.promise;
  t.mock.timers.tick(60_000);
  assert.deepEqual([await sent, files()], [unreachable, []]);
  t.mock.timers.reset();
  await waitUntil(async () => server.connections() === 1);
});

test('a letter that cannot be set has ended, and nothing of it goes to the printer', async (t) => {
  const { send, files } = await open(t);
  assert.deepEqual([(await send({ ...letter(), address: 'Ada' })).outcome, files()], ['permanent', []]);
});

test('a letter that was refused is taken back at once', async (t) => {
  const { server, send, files } = await open(t);
  for (const ending of ['.pdf', '.json']) {
    server.renames((to) => (to.endsWith(ending) ? 'refuse' : 'make'));
    assert.equal((await send()).outcome, 'temporary', ending);
    assert.deepEqual(files(), [], ending);
  }
});

test('what cannot be taken back is tried again where its renaming was refused, and not where it may be made yet', async (t) => {
  const { server, send, files } = await open(t);
  server.keep(true);
  server.renames((to) => (to.endsWith('.json') ? 'refuse' : 'make'));
  assert.deepEqual(await send(), unreachable);
  server.renames((to) => (to.endsWith('.pdf') ? 'drop-late' : 'make'));
  assert.deepEqual(await send(), unreachable);
  server.renames((to) => (to.endsWith('.json') ? 'drop-late' : 'make'));
  const message = letter();
  assert.deepEqual(await send(message), { outcome: 'unknown' });
  // The printer would have had two, had it been tried again: the renaming is made when what was left is taken away.
  server.keep(false);
  server.renames(() => 'make');
  assert.equal((await send({ ...message, attempt: 2 })).outcome, 'sent');
  assert.ok(files().includes(`${message.delivery}.1.json`));
});

test('what crashes left is taken away, and nothing that is the printer’s or still being made', async (t) => {
  const { folder, channel, send, files } = await open(t);
  // Processes died between writing and handing over, one of them two days ago; the printer has files of its own.
  const [message, old, young] = [letter(), letter(), letter()];
  for (const left of [message, old, young]) assert.ok('call' in (await channel.prepare(left)));
  const waiting = letter();
  assert.equal((await send(waiting)).outcome, 'sent');
  writeFileSync(join(folder, 'theirs.pdf.part'), '');
  const kept = [message, young].map(({ delivery }) => delivery);
  const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400;
  for (const name of files()) {
    if (!kept.some((delivery) => name.startsWith(delivery))) utimesSync(join(folder, name), twoDaysAgo, twoDaysAgo);
  }
  assert.equal((await send({ ...message, attempt: 2, at: at + 3_600_000 })).outcome, 'sent');
  const whole = (name: string) => [`${name}.json`, `${name}.pdf`];
  const left = [`${young.delivery}.1.json.part`, `${young.delivery}.1.pdf.part`, 'theirs.pdf.part'];
  assert.deepEqual(files(), [...whole(`${waiting.delivery}.1`), ...whole(`${message.delivery}.2`), ...left].sort());
});

test('in the hour behind a sweep a letter takes away what its own former attempts left, and leaves other leftovers', async (t) => {
  const { folder, channel, send, files } = await open(t);
  const [message, old] = [letter(), letter()];
  for (const begun of [message, old]) assert.ok('call' in (await channel.prepare(begun)));
  for (const name of files()) if (name.endsWith('.part')) utimesSync(join(folder, name), 0, 0);
  const left = () => files().filter((name) => name.endsWith('.part'));
  await send({ ...message, attempt: 2, at: at + 1_800_000 });
  assert.deepEqual(left(), [`${old.delivery}.1.json.part`, `${old.delivery}.1.pdf.part`]);
  await send({ ...letter(), at: at + 3_600_000 });
  assert.deepEqual(left(), []);
});

test('what was handed over stays with the printer when its delivery is tried again', async (t) => {
  const { send, files } = await open(t);
  const message = letter();
  for (const attempt of [1, 2]) assert.equal((await send({ ...message, attempt })).outcome, 'sent');
  assert.deepEqual(
    files(),
    [1, 2].flatMap((attempt) => ['json', 'pdf'].map((ending) => `${message.delivery}.${attempt}.${ending}`)),
  );
});

test('a server that tells nobody what lies there takes letters all the same', async (t) => {
  const { server, send, files } = await open(t);
  server.unlist();
  assert.equal((await send()).outcome, 'sent');
  assert.equal(files().length, 2);
});

test('a session that comes back after the end is closed', async (t) => {
  const { channel, server } = await open(t);
  const ready = await channel.prepare(letter());
  assert.ok('drop' in ready);
  ready.drop();
  await channel.close();
  await waitUntil(async () => server.connections() === 0);
});

test('sessions are kept between letters and questions, and one that ended is replaced unnoticed', async (t) => {
  const { channel, server, send } = await open(t);
  for (let sent = 0; sent < 5; sent += 1) assert.equal((await send()).outcome, 'sent');
  for (let asked = 0; asked < 2; asked += 1) assert.equal(await channel.queryOutcome?.(letter()), undefined);
  assert.equal(server.opened(), 1);
  server.hangUp();
  await waitUntil(async () => server.connections() === 0);
  assert.equal((await send()).outcome, 'sent');
  assert.equal(server.opened(), 2);
  await channel.close();
  await waitUntil(async () => server.connections() === 0);
});
