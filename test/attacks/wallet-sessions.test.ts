import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileCleanupScope } from '../support/server-process.ts';
import { answerWithWallet, encryptResponse, fetchRequest, postResponse, requestUriOf } from '../support/test-wallet.ts';
import { openWalletServer } from '../support/wallet-server.ts';

const site = await openWalletServer(fileCleanupScope());
const returnUrl = 'https://permits.example.gov/back?case=1';
const codeOf = (redirectUri: unknown) => /#response_code=([\w-]{22})$/.exec(String(redirectUri))?.[1] ?? '';

/** A presentation on one device, answered; the code is in the address to which the wallet returns. */
async function answeredOnSameDevice() {
  const { id, walletUrl } = await site.start({ purpose: 'permit', returnUrl });
  const { body } = await answerWithWallet(walletUrl);
  assert.ok(String(body['redirect_uri']).startsWith(`${returnUrl}#`));
  return { id, code: codeOf(body['redirect_uri']) };
}

/** A presentation with a QR code, answered; by default the wallet is sent to a page with the code that the citizen types. */
async function answeredOnOtherDevice() {
  const { id, walletUrl, pageUrl } = await site.start({ purpose: 'permit', confirmation: undefined });
  const { body } = await answerWithWallet(walletUrl);
  const shown = await (await fetch(String(body['redirect_uri']))).text();
  const code = /(\d{3}) (\d{3})<\/bdi>/.exec(shown)?.slice(1).join('') ?? '';
  assert.match(code, /^\d{6}$/);
  return { id, code, pageUrl };
}

test('the result of an answer is released only with the code of the session, once', async () => {
  const { id, code } = await answeredOnSameDevice();
  const { body: waiting } = await site.read(id);
  assert.deepEqual([waiting['status'], waiting['verification']], ['answered', undefined]);
  const { status, body } = await site.complete(id, code);
  assert.deepEqual([status, body['status']], [200, 'completed']);
  const { body: replayed, status: replayStatus } = await site.complete(id, code);
  assert.deepEqual([replayStatus, String(replayed['type']).split('/').at(-1)], [409, 'presentation-ended']);
});

test('the result of each claim is released only for a token with the scope identity:verify:claims', async () => {
  const narrow = await site.withScopes(['identity:present']);
  const claimsOf = ({ body }: Awaited<ReturnType<typeof narrow.read>>) =>
    (body['verification'] as { readonly claims?: object }).claims;
  const [first, second] = [await answeredOnSameDevice(), await answeredOnSameDevice()];
  assert.equal(claimsOf(await narrow.complete(first.id, first.code)), undefined);
  assert.equal(claimsOf(await narrow.read(first.id)), undefined);
  assert.ok(claimsOf(await site.read(first.id)));
  assert.ok(claimsOf(await site.complete(second.id, second.code)));
});

test('an answer that waits for its session is neither replaced nor ended by another response', async () => {
  const { id, walletUrl } = await site.start({ purpose: 'permit', returnUrl });
  const request = await fetchRequest(walletUrl);
  const { body } = await postResponse(request.response_uri, { response: await encryptResponse(request) });
  const again = await postResponse(request.response_uri, { response: await encryptResponse(request) });
  const broken = await postResponse(request.response_uri, { response: 'x' });
  const fetched = await fetch(requestUriOf(walletUrl));
  assert.deepEqual([again.status, broken.status, fetched.status], [400, 400, 400]);
  assert.equal((await site.complete(id, codeOf(body['redirect_uri']))).status, 200);
});

test('a response code of another session ends the presentation with other-session', async () => {
  const [own, other] = [await answeredOnSameDevice(), await answeredOnSameDevice()];
  const { status, body } = await site.complete(other.id, own.code);
  assert.deepEqual([status, String(body['type']).split('/').at(-1)], [403, 'response-code-wrong']);
  const { body: ended } = await site.read(other.id);
  assert.deepEqual([ended['status'], (ended['reason'] as { code: string }).code], ['failed', 'other-session']);
  assert.equal((await site.complete(other.id, other.code)).status, 409);
  assert.equal((await site.complete(own.id, own.code)).status, 200);
});

test('somebody who lets another person scan the QR code gets no result without the code on that device', async () => {
  const { id, code, pageUrl } = await answeredOnOtherDevice();
  // The page in the session of the attacker never shows the code.
  assert.ok(!(await (await fetch(pageUrl)).text()).includes(`${code.slice(0, 3)} ${code.slice(3)}`));
  const wrong = code === '000000' ? '000001' : '000000';
  for (let attempt = 1; attempt <= 5; attempt += 1) assert.equal((await site.complete(id, wrong)).status, 403);
  const { body } = await site.read(id);
  assert.deepEqual([body['status'], (body['reason'] as { code: string }).code], ['failed', 'other-session']);
  assert.equal((await site.complete(id, code)).status, 409);
});

test('concurrent guesses try no more than five codes', async () => {
  const { id, code } = await answeredOnOtherDevice();
  const wrong = code === '000000' ? '000001' : '000000';
  const answers = await Promise.all(Array.from({ length: 20 }, () => site.complete(id, wrong)));
  assert.equal(answers.filter(({ status }) => status === 403).length, 5);
  assert.ok(answers.every(({ status }) => status === 403 || status === 409));
});

test('a citizen who types the code wrong once can type it again, with spaces and Arabic digits', async () => {
  const { id, code } = await answeredOnOtherDevice();
  assert.equal((await site.complete(id, code === '123456' ? '123457' : '123456')).status, 403);
  const arabic = code.replaceAll(/\d/g, (digit) => String.fromCharCode(0x0660 + Number(digit)));
  const { status, body } = await site.complete(id, `${arabic.slice(0, 3)} ${arabic.slice(3)}`);
  assert.deepEqual([status, body['status']], [200, 'completed']);
});

test('a presentation that has no answer yet cannot be completed', async () => {
  const { id } = await site.start({ purpose: 'permit', returnUrl });
  const { status, body } = await site.complete(id, 'x');
  assert.deepEqual([status, String(body['type']).split('/').at(-1)], [409, 'presentation-not-answered']);
});

test('another client can neither read, complete nor cancel a presentation', async () => {
  const { id, code } = await answeredOnSameDevice();
  for (const { status, body } of [
    await site.other.read(id),
    await site.other.complete(id, code),
    await site.other.cancel(id),
  ])
    assert.deepEqual([status, String(body['type']).split('/').at(-1)], [404, 'presentation-not-found']);
  assert.equal((await site.complete(id, code)).status, 200);
});

test('with a return address and no code, the page has no QR code that would lead past the check of the session', async () => {
  const { pageUrl } = await site.start({ purpose: 'permit', returnUrl });
  const page = await continuePage(pageUrl);
  assert.ok(!page.includes('<svg'));
  assert.ok(page.includes('href="haip-vp://?'));
});

/** The page after the citizen has answered whether they want to be recognised. */
async function continuePage(pageUrl: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const body = new URLSearchParams({ action: 'continue' });
  return await (await fetch(pageUrl, { method: 'POST', body, headers })).text();
}

test('the form of another site neither cancels a presentation nor agrees to a link', async () => {
  const { id, pageUrl } = await site.start({ purpose: 'permit' });
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const body = new URLSearchParams({ action: 'cancel' });
  await (await fetch(pageUrl, { method: 'POST', body, headers })).text();
  assert.ok((await continuePage(pageUrl, headers)).includes('name="remember"'));
  assert.equal((await site.read(id)).body['status'], 'requested');
  await (await fetch(pageUrl, { method: 'POST', body })).text();
  assert.equal((await site.read(id)).body['status'], 'cancelled');
});

for (const address of [
  'http://permits.example.gov/',
  'https://user@permits.example.gov/',
  'https://permits.example.gov/#x',
  'javascript:alert(1)',
]) {
  test(`the return address ${address} is refused`, async () => {
    const { status, body } = await site.ask({ purpose: 'permit', returnUrl: address });
    assert.equal(status, 400);
    assert.deepEqual(
      (body['issues'] as { pointer: string }[]).map(({ pointer }) => pointer),
      ['/returnUrl'],
    );
  });
}
