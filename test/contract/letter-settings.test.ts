import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { createOutgoingChannels } from '../../src/notifications/channels/create-channels.ts';
import { unconfiguredChannels } from '../../src/notifications/notification/channel.ts';

test('settings that cannot hold stop the start with the fix, and never show the password', async () => {
  const host = `SHA256:${'A'.repeat(43)}`;
  const start = async (settings: Record<string, string>) =>
    await createOutgoingChannels(readSettings(settings), unconfiguredChannels.email, { notice: () => undefined });
  const url = 'sftp://printer:secret-word@printer.example/in';
  const wrong: Array<[Record<string, string>, RegExp]> = [
    [{ LETTER_SFTP: url }, /LETTER_SFTP_HOST_KEY beside it, as `ssh-keyscan/],
    [{ LETTER_SFTP: url, LETTER_SFTP_HOST_KEY: 'MD5:aa' }, /LETTER_SFTP_HOST_KEY/],
    [
      { LETTER_SFTP: 'sftp://printer@printer.example/in', LETTER_SFTP_HOST_KEY: host },
      /a password in it, or LETTER_SFTP_KEY/,
    ],
    [{ LETTER_SFTP: url, LETTER_SFTP_KEY: 'x', LETTER_SFTP_HOST_KEY: host }, /a password in it, or LETTER_SFTP_KEY/],
    [{ LETTER_SFTP: 'https://a:secret-word@b/', LETTER_SFTP_HOST_KEY: host }, /begins with sftp:/],
    [{ LETTER_SFTP: url, LETTER_SPOOL: '/tmp' }, /LETTER_SPOOL or LETTER_SFTP, both came/],
  ];
  for (const [settings, fault] of wrong) {
    await assert.rejects(
      start(settings),
      (error: Error) => fault.test(error.message) && !error.message.includes('secret'),
    );
  }
});
