import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { differentCode, readCodeFromOutbox } from '../support/contact-app.ts';
import { type ExternalIssuer, makeDemoWithExternalIssuer } from '../support/external-issuer.ts';
import {
  bearerHeaders,
  createHttpClient,
  fetchOnce,
  type HttpResponse,
  parseJsonBody,
  postJson,
} from '../support/http-client.ts';
import { fileCleanupScope, type RunningServer, type ServerFixture } from '../support/server-process.ts';
import { waitPastMidnight, waitUntil } from '../support/wait-until.ts';

// Verification of addresses over HTTP, with an external issuer and the outbox of the demo as the mailbox.
let fixture: ServerFixture;
let server: RunningServer;
let issuer: ExternalIssuer;
let portal = '';
let client: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  ({ issuer, home: fixture, citizensClient: portal } = await makeDemoWithExternalIssuer(thisFile));
  server = await fixture.start('demo');
  client = createHttpClient(fixture.url);
});

async function tokenOf(citizenId: string): Promise<string> {
  const claims = { client_id: portal, sub: citizenId, scope: 'citizen:self', citizen_id: citizenId };
  return await issuer.sign({ ...claims, aud: `${fixture.url}/v1` });
}

const slugOf = (answer: HttpResponse) => [answer.status, String(parseJsonBody(answer)['type']).split('/').at(-1)];
const address = 'mary.new@example.org';

/** The mails to an address in the outbox, newest first. */
async function mailsTo(to: string): Promise<string[]> {
  const outbox = await (await fetchOnce(`${fixture.url}/outbox`)).text();
  return outbox.split('<article>').filter((mail) => mail.includes(to));
}

test('a citizen can verify an address by the code in a mail and remove it, and the log contains neither', async () => {
  const mary = await tokenOf('demo-mary');
  const before =
    fixture.readDemoFile().citizens.find(({ citizenId }) => citizenId === 'demo-mary')?.email ?? assert.fail();
  const remove = () =>
    client({ method: 'DELETE', path: '/v1/contact-addresses?channel=email', headers: bearerHeaders(mary) });
  const confirm = (code: string) => client(postJson(mary, '/v1/contact-addresses/confirm', { channel: 'email', code }));
  assert.deepEqual(slugOf(await remove()), [404, 'contact-address-not-found']);
  assert.deepEqual(slugOf(await confirm('012345')), [409, 'contact-code-needed']);
  const requested = await client(postJson(mary, '/v1/contact-addresses', { channel: 'email', address }));
  assert.equal(requested.status, 202, String(requested.body));
  const code = await readCodeFromOutbox(fixture, address);
  const [mail = ''] = await mailsTo(address);
  // The owner of a mistyped address must not learn who the citizen is, and gets no link that confirms the receipt.
  assert.doesNotMatch(mail, /Mary|Smith|\/received\//);
  assert.deepEqual(slugOf(await confirm(differentCode(code))), [409, 'contact-code-wrong']);
  const confirmed = await confirm(code);
  assert.equal(confirmed.status, 200, String(confirmed.body));
  const [stored] = parseJsonBody(confirmed)['verified'] as { channel: string; address: string }[];
  assert.deepEqual([stored?.channel, stored?.address], ['email', address]);
  await waitUntil(async () => (await mailsTo(before)).some((text) => text.includes('Your email address for official')));
  const removed = await remove();
  assert.deepEqual([removed.status, parseJsonBody(removed)['verified']], [200, []], String(removed.body));
  await waitUntil(async () =>
    (await mailsTo(address)).some((text) => text.includes('Your email address for official')),
  );
  const logged = `${server.stdout()}\n${server.stderr()}`.split('\n').filter((line) => line.startsWith('{'));
  assert.doesNotMatch(logged.join('\n'), new RegExp(`"level":"(?:error|fatal)"|\\b${code}\\b|mary\\.new|demo-mary`));
});

test('a request for too many codes is refused with Retry-After', async () => {
  const anh = await tokenOf('demo-anh');
  const requestCode = (to: string) => client(postJson(anh, '/v1/contact-addresses', { channel: 'email', address: to }));
  await waitPastMidnight();
  await waitUntil(async () => (await requestCode('anh.new@example.org')).status === 429);
  const refused = await requestCode('anh.new@example.org');
  assert.deepEqual(slugOf(refused), [429, 'too-many-contact-codes']);
  assert.ok(Number(refused.headers['retry-after']) > 0);
});

test('an unknown citizen and a service get no code', async () => {
  const nobody = await tokenOf('nobody');
  for (const request of [
    postJson(nobody, '/v1/contact-addresses', { channel: 'email', address }),
    { method: 'DELETE', path: '/v1/contact-addresses?channel=email', headers: bearerHeaders(nobody) },
  ])
    assert.deepEqual(slugOf(await client(request)), [404, 'citizen-not-found'], request.path);
  const accessToken = await fixture.fetchAccessToken();
  const refused = await client(postJson(accessToken, '/v1/contact-addresses', { channel: 'email', address }));
  assert.equal(refused.status, 403, String(refused.body));
});
