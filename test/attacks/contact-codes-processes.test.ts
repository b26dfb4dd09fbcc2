import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { differentCode } from '../support/contact-app.ts';
import { addCitizenClient, startExternalIssuer } from '../support/external-issuer.ts';
import { bearerHeaders, createHttpClient, type HttpResponse, parseJsonBody, postJson } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';
import { makeTwoServerHomes, startServers } from '../support/two-server-processes.ts';

test('two servers share the five wrong tries of a code, and a code of one server can be entered at the other', async (t) => {
  const [issuer, sink] = [await startExternalIssuer(t), await startTestSmtpServer(t)];
  const homes = await makeTwoServerHomes(t, { TRUSTED_ISSUERS: issuer.url, SMTP_URL: sink.url });
  const [first, second] = homes;
  const people = join(first.dataDir, 'people.jsonl');
  const ida = {
    citizenId: 'cit-ida',
    givenName: 'Ida',
    familyName: 'Berg',
    birthDate: '1981-04-25',
    email: 'ida@example.org',
  };
  writeFileSync(people, JSON.stringify(ida));
  const imported = await runCommandInProcess(first, 'citizens', 'import', people);
  assert.equal(imported.code, 0, imported.stderr);
  const client = await addCitizenClient(first, issuer);
  await startServers(homes);
  const claims = { client_id: client, sub: 'ida', scope: 'citizen:self', citizen_id: 'cit-ida' };
  const token = await issuer.sign({ ...claims, aud: `${first.publicUrl}/v1` });
  const [here, there] = [createHttpClient(first.url), createHttpClient(second.url)];
  const slugOf = (answer: HttpResponse) => String(parseJsonBody(answer)['type']).split('/').at(-1);
  const entering = (code: string) => postJson(token, '/v1/contact-addresses/confirm', { channel: 'email', code });
  const codes = async (count: number) => {
    await sink.waitForMails(count);
    return sink.mails.flatMap(({ to, raw }) => {
      const code = /Your code is (\d{6})/.exec(raw)?.[1];
      return code !== undefined && to.includes('new@example.org') ? [code] : [];
    });
  };
  const askAt = async (exchange: typeof here) => {
    const asked = await exchange(
      postJson(token, '/v1/contact-addresses', { channel: 'email', address: 'new@example.org' }),
    );
    assert.equal(asked.status, 202, String(asked.body));
  };

  await askAt(there);
  const [code = ''] = await codes(1);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? here : there)(entering(differentCode(code, at + 1)))),
  );
  const slugs = new Set(answers.map(slugOf));
  assert.ok(slugs.isSubsetOf(new Set(['contact-code-wrong', 'contact-code-needed'])), [...slugs].join());
  for (const exchange of [here, there]) assert.equal(slugOf(await exchange(entering(code))), 'contact-code-needed');

  await askAt(there);
  const next = (await codes(2)).at(-1) ?? '';
  const confirmed = await here(entering(next));
  assert.equal(confirmed.status, 200, String(confirmed.body));
  const read = await there({ path: '/v1/contact-preferences', headers: bearerHeaders(token) });
  const [own] = parseJsonBody(read)['verified'] as { address: string }[];
  assert.equal(own?.address, 'new@example.org');
  await sink.waitForMails(3);
  assert.deepEqual(sink.mails.at(-1)?.to, ['ida@example.org']);
});
