import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localeFor, pageLanguages } from '../../locales/locale.ts';
import { citizenTextsOf } from '../citizen-texts.ts';
import { useText } from './timeline-words.ts';

/** Only the citizen does these, or the text for the citizen does not address them. */
const sharedKinds = [
  'own-lock.set',
  'identity.record-read',
  'notification.opened',
  'notification.confirmed',
  'inbox.listed',
  'inbox.searched',
  'inbox.exported',
  'inbox.archived',
  'inbox.restored',
  'inbox.marked-unread',
  'contact-address.asked',
  'contact-address.confirmed',
  'contact-address.code-wrong',
  'contact-address.removed',
  'document.unknown',
];

test('each use by others has words for staff in every language, which do not address the citizen', () => {
  for (const locale of pageLanguages.map(localeFor)) {
    const { kinds } = locale.page.uses;
    const staffKinds = Object.keys(locale.staffPages.uses.kinds);
    assert.deepEqual([...staffKinds, ...sharedKinds].sort(), Object.keys(kinds).sort(), locale.language);
  }
  const words = Object.values(localeFor('en').staffPages.uses).flatMap((texts) => Object.values(texts));
  assert.deepEqual(
    words.filter((text) => /\byou/i.test(text)),
    [],
  );
});

test('a use names its channel, and the reason of staff in their own words', () => {
  const locale = localeFor('en');
  const visit = { texts: locale.staffPages, words: citizenTextsOf(locale) };
  const use = { at: '2026-11-29T00:00:00.000Z', organisation: null };
  const delivery = { ...use, usage: 'notification.delivery-ended', channel: 'email', outcome: 'delivered' };
  assert.equal(useText(visit, delivery), 'Sent a message (Email).');
  const lookUp = { ...use, usage: 'staff.looked-up', reason: 'citizen-asked' };
  assert.equal(useText(visit, lookUp), 'Looked up the messages of the person. Why: The citizen asked for help.');
});
