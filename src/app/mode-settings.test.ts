import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../config/settings.ts';
import { modeSettings } from './mode-settings.ts';

test('messages link to the pages for citizens if the server has them, and otherwise only to INBOX_URL', () => {
  const base = { PUBLIC_URL: 'https://api.example.gov' };
  const inboxUrlOf = (more: Readonly<Record<string, string>>, isDemo = false) =>
    modeSettings(readSettings({ ...base, ...more }), isDemo).inboxUrl;
  const signIn = { SIGN_IN_ISSUER: 'https://login.example.gov' };
  const pages = 'https://api.example.gov/me/messages/{id}';
  assert.equal(inboxUrlOf({}), undefined);
  assert.equal(inboxUrlOf(signIn), pages);
  assert.equal(inboxUrlOf({}, true), pages);
  const own = { INBOX_URL: 'https://portal.example.gov/{id}' };
  for (const more of [own, { ...own, ...signIn }]) assert.equal(inboxUrlOf(more), own.INBOX_URL);
});
