import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readHtmlForm } from '../../test/support/cookie-browser.ts';
import { localeFor, pageLanguages } from '../locales/locale.ts';
import {
  type ContactPreferences,
  noPreferences,
  preferencesFault,
} from '../notifications/contact/contact-preferences.ts';
import { declinableChannelNames, externalChannelNames } from '../notifications/notification/notification.ts';
import { citizenTextsOf } from './citizen-texts.ts';
import { describeAddressFault } from './contact-address-fault.ts';
import {
  channelFieldsOf,
  channelsFromFields,
  hourFieldsOf,
  hoursFromFields,
  parseChannelFields,
  parseHourFields,
} from './contact-form.ts';
import { channelsPage, contactFaults, contactOverviewPage, hoursPage, languagePage } from './contact-pages.ts';
import { timeZoneOptions } from './time-zone-options.ts';

const words = citizenTextsOf(localeFor('en'));
const frame = { words, site: undefined };
const zones = { country: 'PT', timeZone: 'Europe/Lisbon' };

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

const formOf = (page: { readonly body: string | Buffer }) => readHtmlForm(String(page.body));

/** The change that a page states when its form is sent unchanged. */
function unchanged(wished: ContactPreferences): ContactPreferences {
  const ranks = formOf(channelsPage(frame, { fields: channelFieldsOf(wished), faults: [] }));
  const channels = channelsFromFields(parseChannelFields(ranks) ?? assert.fail('a field is missing'));
  const times = formOf(hoursPage(frame, zones, { fields: hourFieldsOf(wished, zones.timeZone), faults: [] }));
  const hoursChange = hoursFromFields(parseHourFields(times) ?? assert.fail('a field is missing'));
  const language = formOf(languagePage(frame, { fields: wished.language ?? '', faults: [] })).get('language');
  assert.ok('change' in channels && 'change' in hoursChange, JSON.stringify([channels, hoursChange]));
  return { ...noPreferences, ...channels.change, ...hoursChange.change, language: language === '' ? null : language };
}

test('forms that are sent unchanged keep the preferences that a client had set', () => {
  fc.assert(
    fc.property(wishes, (wished) => {
      assert.deepEqual(inOrder(JSON.parse(JSON.stringify(unchanged(wished)))), inOrder(wished));
    }),
    { numRuns: 40 },
  );
});

test('a fault of the form is shown at the top, next to its field and in the title, and the choices stay', () => {
  const form = new URLSearchParams('hoursFor=sms&from=8&until=8&timeZone=');
  const fields = parseHourFields(form) ?? assert.fail();
  const stated = hoursFromFields(fields);
  assert.ok('faults' in stated);
  assert.deepEqual(stated.faults, ['sameHours', 'timeZone']);
  const page = hoursPage(frame, zones, { fields, faults: contactFaults(words, stated.faults, 'from') });
  assert.equal(page.status, 400);
  assert.deepEqual([...formOf(page)].sort(), [...form].sort());
  const text = String(page.body);
  assert.match(text, /<title>Error: Choose when we contact you – /);
  assert.match(text, /<h2>There is a problem<\/h2>\s*<ul><li><a href="#from">Choose two different hours\.<\/a>/);
  for (const field of ['from', 'timeZone']) {
    assert.match(text, new RegExp(`href="#${field}"`));
    assert.match(text, new RegExp(`<span class="fault" id="fault-${field}">`));
    const marked = `id="${field}" name="${field}" aria-invalid="true" aria-describedby="fault-${field}"`;
    assert.ok(text.includes(marked), marked);
  }
});

test('a form with a missing field or an impossible choice is refused', () => {
  assert.equal(parseChannelFields(new URLSearchParams('email=&sms=')), undefined);
  assert.equal(parseHourFields(new URLSearchParams('from=&until=')), undefined);
  assert.equal(parseChannelFields(undefined), undefined);
  for (const [ranks, fault] of [
    [{ email: '4', sms: '', letter: '' }, 'form'],
    [{ email: '', sms: '', letter: 'never' }, 'form'],
    [{ email: '1', sms: '1', letter: '' }, 'places'],
  ] as const)
    assert.deepEqual(channelsFromFields(ranks), { faults: [fault] });
  for (const [from, until] of [
    ['', '8'],
    ['24', '0'],
    ['x', '8'],
  ] as const) {
    const fields = { hoursFor: ['email'], from, until, timeZone: 'UTC' };
    assert.deepEqual(hoursFromFields(fields), { faults: ['hours'] }, `${from} ${until}`);
  }
  const unknown = { hoursFor: ['letter'], from: '8', until: '9', timeZone: 'UTC' };
  assert.deepEqual(hoursFromFields(unknown), { faults: ['form'] });
});

test('the overview has the form for the newest code, and a link to the form for the other one', () => {
  const codes = [
    { channel: 'email', address: 'mary@example.org', endsAt: '2026-01-01T10:14:00Z' },
    { channel: 'sms', address: '+44 7700 900123', endsAt: '2026-01-01T10:15:00Z' },
  ];
  const preferences = { ...noPreferences, verified: [], awaiting: codes, confirmable: ['email', 'sms'] };
  const text = String(contactOverviewPage(frame, preferences, undefined).body);
  assert.deepEqual(text.match(/<form [^>]*\/me\/contact[^>]*>/g), [
    '<form method="post" action="/me/contact/phone/code" novalidate>',
  ]);
  assert.match(text, /We sent a code to \u2068\+44 7700 900123\u2069/);
  assert.match(text, /<a href="\/me\/contact\/email\/code">Enter the code from the email<\/a>/);
});

test('the overview names the hours in words, because a range of numbers can be read from the right', () => {
  const chosen: ContactPreferences['hours'] = { channels: ['email'], from: 20, until: 8, timeZone: 'UTC' };
  const preferences = { ...noPreferences, hours: chosen, verified: [], awaiting: [], confirmable: [] };
  assert.match(String(contactOverviewPage(frame, preferences, undefined).body), /<p>From 20:00 until 8:00, /);
});

test('the time zone of the operator and those of the country come first, and each name is offered once', () => {
  const [own, others] = timeZoneOptions('en', zones, 'Other');
  assert.ok(own !== undefined && 'label' in own && others !== undefined && 'label' in others);
  assert.equal(own.label, 'Portugal');
  assert.deepEqual(
    own.options.map(([zone]) => zone),
    ['Europe/Lisbon', 'Atlantic/Azores', 'Atlantic/Madeira'],
  );
  assert.deepEqual(own.options[0]?.[1], 'Western European Time (Lisbon)');
  const names = others.options.map(([, name]) => name.replace(/ \(.*/, ''));
  assert.equal(new Set(names).size, names.length);
  const page = String(
    hoursPage(frame, zones, { fields: hourFieldsOf(noPreferences, 'Europe/Lisbon'), faults: [] }).body,
  );
  assert.match(page, /<option value="Europe\/Lisbon" selected>/);
});

test('only languages of this server are offered, and the one that a client had set', () => {
  const offered = (language: string) =>
    [...String(languagePage(frame, { fields: language, faults: [] }).body).matchAll(/<option value="([^"]*)"/g)]
      .map(([, tag]) => tag)
      .sort();
  assert.deepEqual(offered(''), ['', ...pageLanguages].sort());
  assert.deepEqual(offered('sma'), ['', 'sma', ...pageLanguages].sort());
});

test('the fault of an address says what is missing', () => {
  const { faults } = words.contact.addresses;
  for (const [typed, fault] of [
    ['', faults.email.empty],
    ['  ', faults.email.empty],
    ['mary.example.org', faults.email.noAt],
    ['mary smith@example.org', faults.email.space],
    ['mary@example', faults.email.malformed],
  ] as const)
    assert.equal(describeAddressFault(faults, 'email', typed), fault, typed);
  for (const [typed, fault] of [
    ['', faults.sms.empty],
    ['07700 900123', faults.sms.noCountry],
    ['+44 7700 9OO123', faults.sms.letters],
    ['+44 77', faults.sms.malformed],
    ['0044 77', faults.sms.malformed],
  ] as const)
    assert.equal(describeAddressFault(faults, 'sms', typed), fault, typed);
});
