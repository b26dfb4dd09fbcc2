import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createHttpClient, postJson } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';
import { waitUntil } from '../support/wait-until.ts';

test('a language in another notation is read as its language tag, and an invalid one is not used in a mail', async (t) => {
  const sink = await startTestSmtpServer(t);
  const home = await makeServerFixture(t, { settings: { SMTP_URL: sink.url } });
  const server = await home.start('demo');
  const rows = [
    ['ida', 'nb_NO'],
    ['jon', 'deu'],
    ['eva', 'español'],
  ].map(([id, language]) => `${id},${id},Berg,1980-01-01,${id}@example.org,${language}`);
  const people = join(home.dataDir, 'people.csv');
  writeFileSync(people, `citizenId,givenName,familyName,birthDate,email,language\n${rows.join('\n')}\n`);
  const { code, stderr } = await runCommandInProcess(home, 'citizens', 'import', people);
  assert.equal(code, 0, stderr);
  const ask = createHttpClient(home.url);
  const token = await home.fetchAccessToken();
  const heads = new Map<string, string>();
  for (const citizenId of ['ida', 'jon', 'eva']) {
    const body = { citizenId, message: 'Text.', channels: ['email'] };
    assert.equal((await ask(postJson(token, '/v1/notifications/send', body))).status, 202);
    const mail = () => sink.mails.find(({ to }) => to.includes(`${citizenId}@example.org`));
    await waitUntil(async () => mail() !== undefined);
    heads.set(citizenId, mail()?.raw.split('\r\n\r\n', 1)[0] ?? '');
  }
  assert.match(heads.get('ida') ?? '', /^Subject: Melding fra Demo[\s\S]*^Content-Language: nb-NO$/m);
  assert.match(heads.get('jon') ?? '', /^Subject: Nachricht von Demo[\s\S]*^Content-Language: de$/m);
  assert.match(heads.get('eva') ?? '', /^Subject: Message from Demo/m);
  assert.doesNotMatch(heads.get('eva') ?? '', /Content-Language|[^\t\r\n -~]/);
  await server.stop('SIGTERM');
});
