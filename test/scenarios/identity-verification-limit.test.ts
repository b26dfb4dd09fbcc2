import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { startTestSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const mary = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
const juergen = { citizenId: 'demo-juergen', givenName: 'Jürgen', familyName: 'Müller-Groß', birthDate: '1972-06-12' };

let home: ServerFixture;
let sink: TestSmtpServer;
let token: string;

const thisFile = fileCleanupScope();
before(async () => {
  sink = await startTestSmtpServer(thisFile);
  home = await makeServerFixture(thisFile, {
    settings: { SMTP_URL: sink.url, REGISTER_NAME: 'Register of Ruritania' },
  });
  await home.start();
  token = await home.fetchAccessToken();
});

async function verify(claims: object): Promise<{ readonly decision: string; readonly bytes: number }> {
  const response = await fetch(`${home.url}/v1/identity/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(claims),
  });
  const text = await response.text();
  return { decision: (JSON.parse(text) as { decision: string }).decision, bytes: text.length };
}

test('with the id, a name with one wrong letter matches, and another name or a wrong birth date does not', async () => {
  const decisions = await Promise.all(
    [
      { ...mary, familyName: 'Smyth' },
      { ...mary, birthDate: '1981-04-24' },
      { ...mary, familyName: 'Jones' },
    ].map(async (claims) => (await verify(claims)).decision),
  );
  assert.deepEqual(decisions, ['match', 'no_match', 'no_match']);
});

test('at the limit correct claims receive no_match, and the register sends the citizen a message', async () => {
  assert.equal((await verify(mary)).decision, 'match');
  const wrong = [];
  for (const day of ['10', '11', '12', '13']) wrong.push(await verify({ ...mary, birthDate: `1981-04-${day}` }));
  const right = await verify(mary);
  assert.deepEqual([...new Set([...wrong, right].map(({ decision, bytes }) => `${decision} ${bytes}`))].length, 1);
  assert.equal(right.decision, 'no_match');
  const noticeOf = () => sink.mails.find(({ raw }) => raw.includes('Subject: Someone tried to confirm'))?.raw;
  await waitUntil(async () => noticeOf() !== undefined);
  const notice = noticeOf() ?? '';
  assert.match(notice, /^From: "Register of Ruritania" </m);
  assert.doesNotMatch(notice, /^citizen-services/m);
  assert.match(notice, /^Content-Language: en\r$/m);
});

test('the notice of the verification limit is in the language of the citizen', async () => {
  for (const day of ['01', '02', '03', '04', '05']) await verify({ ...juergen, birthDate: `1972-06-${day}` });
  const noticeOf = () => sink.mails.find(({ to }) => to.includes('demo-juergen@citizens.example'))?.raw;
  await waitUntil(async () => noticeOf() !== undefined);
  const notice = noticeOf() ?? '';
  assert.match(notice, /^Content-Language: de\r$/m);
  assert.match(notice, /^Subject: =\?UTF-8\?B\?/m);
  // Without soft line breaks (RFC 2045, section 6.7).
  assert.match(notice.replaceAll('=\r\n', ''), /Waren Sie es selbst, vielleicht mit einem falsch geschriebenen Namen/);
});
