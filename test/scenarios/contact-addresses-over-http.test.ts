import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { waitPastMidnight } from '../support/avoid-midnight.ts';
import { differentCode } from '../support/contact-app.ts';
import { type ExternalIssuer, makeDemoWithExternalIssuer } from '../support/external-issuer.ts';
import { bearerHeaders, createHttpClient, type HttpResponse, parseJsonBody, postJson } from '../support/http-client.ts';
import { readCodeFromOutbox } from '../support/outbox-code.ts';
import { fileCleanupScope, type RunningServer, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// Addresses that are verified by a code, over HTTP: a portal of its own, and the outbox of the demo as the mailbox.
let home: ServerFixture;
let server: RunningServer;
let issuer: ExternalIssuer;
let portal = '';
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  ({ issuer, home, citizensClient: portal } = await makeDemoWithExternalIssuer(thisFile));
  server = await home.start('demo');
  ask = createHttpClient(home.url);
});

async function tokenOf(citizenId: string): Promise<string> {
  const claims = { client_id: portal, sub: citizenId, scope: 'citizen:self', citizen_id: citizenId };
  return await issuer.sign({ ...claims, aud: `${home.url}/v1` });
}

const slugOf = (answer: HttpResponse) => [answer.status, String(parseJsonBody(answer)['type']).split('/').at(-1)];
const address = 'mary.new@example.org';

/** The mails to that address in the outbox, the newest first. */
async function mailsTo(to: string): Promise<string[]> {
  const outbox = await (await fetch(`${home.url}/outbox`)).text();
  return outbox.split('<article>').filter((mail) => mail.includes(to));
}

test('a citizen verifies an address by the code of a mail, and removes it again; the log has neither', async () => {
  const mary = await tokenOf('demo-mary');
  const before =
    home.readDemoFile().citizens.find(({ citizenId }) => citizenId === 'demo-mary')?.email ?? assert.fail();
  const remove = () =>
    ask({ method: 'DELETE', path: '/v1/contact-addresses?channel=email', headers: bearerHeaders(mary) });
  const confirm = (code: string) => ask(postJson(mary, '/v1/contact-addresses/confirm', { channel: 'email', code }));
  assert.deepEqual(slugOf(await remove()), [404, 'contact-address-not-found']);
  assert.deepEqual(slugOf(await confirm('012345')), [409, 'contact-code-needed']);
  const asked = await ask(postJson(mary, '/v1/contact-addresses', { channel: 'email', address }));
  assert.equal(asked.status, 202, String(asked.body));
  const code = await readCodeFromOutbox(home, address);
  const [mail = ''] = await mailsTo(address);
  // Whoever reads a mistyped address learns of nobody, and can confirm nothing by a link.
  assert.doesNotMatch(mail, /Mary|Smith|\/received\//);
  assert.deepEqual(slugOf(await confirm(differentCode(code))), [409, 'contact-code-wrong']);
  const confirmed = await confirm(code);
  assert.equal(confirmed.status, 200, String(confirmed.body));
  const [kept] = parseJsonBody(confirmed)['verified'] as { channel: string; address: string }[];
  assert.deepEqual([kept?.channel, kept?.address], ['email', address]);
  await waitUntil(async () => (await mailsTo(before)).some((text) => text.includes('Your email address for official')));
  const removed = await remove();
  assert.deepEqual([removed.status, parseJsonBody(removed)['verified']], [200, []], String(removed.body));
  await waitUntil(async () =>
    (await mailsTo(address)).some((text) => text.includes('Your email address for official')),
  );
  const logged = `${server.stdout()}\n${server.stderr()}`.split('\n').filter((line) => line.startsWith('{'));
  assert.doesNotMatch(logged.join('\n'), new RegExp(`"level":"(?:error|fatal)"|\\b${code}\\b|mary\\.new|demo-mary`));
});

test('too many codes are refused with the time to come again', async () => {
  const anh = await tokenOf('demo-anh');
  const askFor = (to: string) => ask(postJson(anh, '/v1/contact-addresses', { channel: 'email', address: to }));
  await waitPastMidnight();
  await waitUntil(async () => (await askFor('anh.new@example.org')).status === 429);
  const refused = await askFor('anh.new@example.org');
  assert.deepEqual(slugOf(refused), [429, 'too-many-contact-codes']);
  assert.ok(Number(refused.headers['retry-after']) > 0);
});

test('what no channel of this server can bring, who is in no register, and who is no citizen get no code', async () => {
  const mary = await tokenOf('demo-mary');
  const text = { channel: 'sms', address: '+4799999999' };
  assert.deepEqual(slugOf(await ask(postJson(mary, '/v1/contact-addresses', text))), [400, 'bad-request']);
  const nobody = await tokenOf('nobody');
  for (const asked of [
    postJson(nobody, '/v1/contact-addresses', { channel: 'email', address }),
    { method: 'DELETE', path: '/v1/contact-addresses?channel=email', headers: bearerHeaders(nobody) },
  ])
    assert.deepEqual(slugOf(await ask(asked)), [404, 'citizen-not-found'], asked.path);
  const service = await home.fetchAccessToken();
  const refused = await ask(postJson(service, '/v1/contact-addresses', { channel: 'email', address }));
  assert.equal(refused.status, 403, String(refused.body));
});
