import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readHtmlForm } from '../../test/support/cookie-browser.ts';
import {
  type ContactPreferences,
  noPreferences,
  preferencesFault,
} from '../notifications/contact/contact-preferences.ts';
import { declinableChannelNames, externalChannelNames } from '../notifications/notification/notification.ts';
import { preferredCitizenTexts } from './citizen-texts.ts';
import { parseContactFields, preferencesFromFields } from './contact-form.ts';
import { contactPage } from './contact-page.ts';

const frame = { words: preferredCitizenTexts('en'), site: undefined };
const nothingSent = { faults: [] };
const noAddresses = { verified: [], awaiting: [], confirmable: ['email', 'sms'] };

const hours = fc.record({
  channels: fc.uniqueArray(fc.constantFrom(...declinableChannelNames), { minLength: 1 }),
  from: fc.integer({ min: 0, max: 24 }),
  until: fc.integer({ min: 0, max: 24 }),
  timeZone: fc.constantFrom('UTC', 'Europe/Lisbon', 'europe/oslo', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3'),
});
const wishes: fc.Arbitrary<ContactPreferences> = fc
  .record({
    channels: fc.uniqueArray(fc.constantFrom(...externalChannelNames)),
    declined: fc.uniqueArray(fc.constantFrom(...declinableChannelNames)),
    hours: fc.option(hours),
    language: fc.option(fc.constantFrom('nb', 'de-AT', 'sma', 'zh-Hant-TW', 'x'.repeat(3))),
  })
  .filter((one) => preferencesFault(one) === undefined);

/** Sorts the lists of channels whose order has no meaning. */
function inOrder({ declined, hours: at, ...rest }: ContactPreferences): ContactPreferences {
  return {
    ...rest,
    declined: declined.toSorted(),
    hours: at === null ? null : { ...at, channels: at.channels.toSorted() },
  };
}

test('a form that is sent unchanged keeps the preferences that a client had set', async () => {
  await fc.assert(
    fc.asyncProperty(wishes, async (wished) => {
      const page = await contactPage(frame, { ...wished, ...noAddresses }, nothingSent);
      const stated = preferencesFromFields(
        parseContactFields(readHtmlForm(String(page.body))) ?? assert.fail('a field is not in the form'),
      );
      assert.ok('body' in stated, JSON.stringify(stated));
      assert.deepEqual(inOrder(JSON.parse(JSON.stringify(stated.body)) as ContactPreferences), inOrder(wished));
    }),
    { numRuns: 40 },
  );
});

test('a fault of the form is shown at the top and next to its field, and the choices stay', async () => {
  const form = new URLSearchParams(
    'what=wishes&email=1&sms=1&letter=&hoursFor=sms&from=8&until=8&timeZone=&language=nn',
  );
  const fields = parseContactFields(form) ?? assert.fail();
  const stated = preferencesFromFields(fields);
  assert.ok('faults' in stated);
  assert.deepEqual(stated.faults, ['places', 'hours', 'timeZone']);
  const page = await contactPage(frame, { ...noPreferences, ...noAddresses }, { fields, faults: stated.faults });
  assert.equal(page.status, 400);
  assert.deepEqual([...readHtmlForm(String(page.body))].sort(), [...form].sort());
  for (const [fault, field] of Object.entries({ places: 'email', hours: 'from', timeZone: 'timeZone' })) {
    assert.match(String(page.body), new RegExp(`href="#${field}"`));
    assert.match(String(page.body), new RegExp(`id="fault-${fault}"`));
    const marked = `id="${field}" name="${field}" aria-invalid="true" aria-describedby="fault-${fault}"`;
    assert.ok(String(page.body).includes(marked), marked);
  }
});

test('a form with a missing field or an impossible choice is refused', () => {
  const whole = 'email=&sms=&letter=&from=&until=&timeZone=&language=';
  assert.deepEqual(preferencesFromFields(parseContactFields(new URLSearchParams(whole)) ?? assert.fail()), {
    body: noPreferences,
  });
  for (const name of ['email', 'sms', 'letter', 'from', 'until', 'timeZone', 'language'])
    assert.equal(parseContactFields(new URLSearchParams(whole.replace(`${name}=`, 'x='))), undefined, name);
  for (const [wrong, fault] of [
    [whole.replace('email=', 'email=4'), 'form'],
    [whole.replace('from=&until=', 'hoursFor=email&from=&until=8').replace('Zone=', 'Zone=UTC'), 'hours'],
    [whole.replace('from=&until=', 'hoursFor=email&from=24&until=0').replace('Zone=', 'Zone=UTC'), 'hours'],
    [whole.replace('from=&until=', 'hoursFor=email&from=x&until=8').replace('Zone=', 'Zone=UTC'), 'hours'],
  ] as const)
    assert.deepEqual(
      preferencesFromFields(parseContactFields(new URLSearchParams(wrong)) ?? assert.fail()),
      { faults: [fault] },
      wrong,
    );
});
