import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { createOutgoingChannels } from '../../src/notifications/channels/create-channels.ts';
import { unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';

const wrong: ReadonlyArray<[string, string, RegExp]> = [
  [
    'SMS_URL',
    'ftp://gateway.example/',
    /^SMS_URL: expected a URL that starts with https: or http: and has .*, received another value, which is a secret\. See/,
  ],
  ['SMS_URL', 'https://user:pa%ss@gateway.example/', /^SMS_URL: expected .* percent-encoded user, password and path/],
];

test('an invalid provider URL stops the start, and the message does not show the URL', async () => {
  for (const [name, url, fault] of wrong) {
    await assert.rejects(
      async () =>
        await createOutgoingChannels(readSettings({ [name]: url }), unconfiguredChannels.email, {
          warning: () => undefined,
        }),
      (error: Error) => fault.test(error.message) && !error.message.includes('pa%ss'),
      url,
    );
  }
});

test('an invalid relay URL stops the start, and the message does not show the URL', async (t) => {
  for (const [url, fault] of [
    ['smtp://', /SMTP_URL: expected .* a host, .*, received another value, which is a secret\. See/],
    [
      'smtp://user:pa%ss@relay.example',
      /SMTP_URL: expected .* percent-encoded user, password and path \(% is %25\), received another value, which is a secret\. See/,
    ],
    ['smtp://relay.example?logger=1', /SMTP_URL: unknown parameter logger\. See/],
  ] as const) {
    const program = (await makeServerFixture(t, { settings: { SMTP_URL: url } })).launchCommand('demo');
    const { code } = await program.exited;
    assert.notEqual(code, 0);
    assert.match(program.stderr(), fault);
    assert.doesNotMatch(program.stderr(), /pa%ss/);
  }
});

test('an invalid letter or DKIM setting stops the start, even if no letter and no mail is sent', async (t) => {
  const file = import.meta.filename;
  const wrongs: ReadonlyArray<[Record<string, string>, RegExp]> = [
    [{ LETTER_WINDOW: 'us' }, /LETTER_WINDOW: expected din5008b or uk-c5, received "us"/],
    [{ LETTER_FONTS: '/nowhere' }, /LETTER_FONTS: expected a folder with \.ttf or \.otf files/],
    [{ LETTER_LOGOS: '/nowhere' }, /LETTER_LOGOS: expected a folder with SVG or PNG images/],
    [
      { LETTER_RETURN_ADDRESS: 'P.O. Box 100,' },
      /LETTER_RETURN_ADDRESS: expected 1 to 6 lines with commas between them/,
    ],
    [{ LETTER_RETURN_ADDRESS: 'a,b,c,d,e,f,g' }, /LETTER_RETURN_ADDRESS: expected 1 to 6 lines/],
    [{ LETTER_SPOOL: file }, /LETTER_SPOOL: expected a folder/],
    [{ DKIM_DOMAIN: 'gov.example' }, /DKIM_DOMAIN: expected DKIM_DOMAIN, DKIM_SELECTOR and DKIM_KEY together/],
    [{ DATA_DIR: file }, /DATA_DIR: expected a folder that the user of this process can create/],
    [{ DOCUMENT_STORE: file }, /DOCUMENT_STORE: expected a folder that the user of this process can create/],
  ];
  for (const [settings, fault] of wrongs) {
    const home = await makeServerFixture(t, { settings });
    if ('DKIM_DOMAIN' in settings) await runCommandInProcess(home, 'keys', 'create');
    const { code, stderr } = await runCommandInProcess(home, 'DKIM_DOMAIN' in settings ? 'start' : 'demo');
    assert.notEqual(code, 0);
    assert.match(stderr, fault);
  }
});
