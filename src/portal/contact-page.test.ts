import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formOf } from '../../test/page-form.ts';
import { type ContactWishes, wishesFault } from '../notifications/contact/contact-wishes.ts';
import { leavingChannelNames, timedChannelNames } from '../notifications/notification.ts';
import { wishedWords } from './citizen-words-by-language.ts';
import { readFields, wishesIn } from './contact-form.ts';
import { contactPage } from './contact-page.ts';

const frame = { words: wishedWords('en'), site: undefined };
const nothingSent = { faults: [] };
const noAddresses = { verified: [], awaiting: [], confirmable: ['email', 'sms'] };

const hours = fc.record({
  channels: fc.uniqueArray(fc.constantFrom(...timedChannelNames), { minLength: 1 }),
  from: fc.integer({ min: 0, max: 24 }),
  until: fc.integer({ min: 0, max: 24 }),
  timeZone: fc.constantFrom('UTC', 'Europe/Lisbon', 'europe/oslo', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3'),
});
const wishes: fc.Arbitrary<ContactWishes> = fc
  .record(
    {
      channels: fc.uniqueArray(fc.constantFrom(...leavingChannelNames), { minLength: 1 }),
      declined: fc.uniqueArray(fc.constantFrom(...timedChannelNames), { minLength: 1 }),
      hours,
      language: fc.constantFrom('nb', 'de-AT', 'sma', 'zh-Hant-TW', 'x'.repeat(3)),
    },
    { requiredKeys: [] },
  )
  .filter((one) => wishesFault(one) === undefined);

/** Lists of channels whose order says nothing stand in one order. */
function inOrder({ declined, hours: at, ...rest }: ContactWishes): ContactWishes {
  return {
    ...rest,
    ...(declined === undefined ? {} : { declined: declined.toSorted() }),
    ...(at === undefined ? {} : { hours: { ...at, channels: at.channels.toSorted() } }),
  };
}

test('a form that nobody has changed states what was wished before, whatever a program has stated', async () => {
  await fc.assert(
    fc.asyncProperty(wishes, async (wished) => {
      const page = await contactPage(frame, { ...wished, ...noAddresses }, nothingSent);
      const stated = wishesIn(readFields(formOf(String(page.body))) ?? assert.fail('a field is not in the form'));
      assert.ok('body' in stated, JSON.stringify(stated));
      assert.deepEqual(inOrder(JSON.parse(JSON.stringify(stated.body)) as ContactWishes), inOrder(wished));
    }),
    { numRuns: 40 },
  );
});

test('what is wrong with a form is said, beside its field too, and what was chosen stays', async () => {
  const form = new URLSearchParams(
    'what=wishes&email=1&sms=1&letter=&hoursFor=sms&from=8&until=8&timeZone=&language=nn',
  );
  const fields = readFields(form) ?? assert.fail();
  const stated = wishesIn(fields);
  assert.ok('faults' in stated);
  assert.deepEqual(stated.faults, ['places', 'hours', 'timeZone']);
  const page = await contactPage(frame, noAddresses, { fields, faults: stated.faults });
  assert.equal(page.status, 400);
  assert.deepEqual([...formOf(String(page.body))].sort(), [...form].sort());
  for (const [fault, field] of Object.entries({ places: 'email', hours: 'from', timeZone: 'timeZone' })) {
    assert.match(String(page.body), new RegExp(`href="#${field}"`));
    assert.match(String(page.body), new RegExp(`id="fault-${fault}"`));
    const marked = `id="${field}" name="${field}" aria-invalid="true" aria-describedby="fault-${fault}"`;
    assert.ok(String(page.body).includes(marked), marked);
  }
});

test('a form in which a field is missing, or says what cannot be chosen, states nothing', () => {
  const whole = 'email=&sms=&letter=&from=&until=&timeZone=&language=';
  assert.deepEqual(wishesIn(readFields(new URLSearchParams(whole)) ?? assert.fail()), {
    body: { channels: undefined, declined: undefined, hours: undefined, language: undefined },
  });
  for (const name of ['email', 'sms', 'letter', 'from', 'until', 'timeZone', 'language'])
    assert.equal(readFields(new URLSearchParams(whole.replace(`${name}=`, 'x='))), undefined, name);
  for (const [wrong, fault] of [
    [whole.replace('email=', 'email=4'), 'form'],
    [whole.replace('from=&until=', 'hoursFor=email&from=&until=8').replace('Zone=', 'Zone=UTC'), 'hours'],
    [whole.replace('from=&until=', 'hoursFor=email&from=24&until=0').replace('Zone=', 'Zone=UTC'), 'hours'],
    [whole.replace('from=&until=', 'hoursFor=email&from=x&until=8').replace('Zone=', 'Zone=UTC'), 'hours'],
  ] as const)
    assert.deepEqual(wishesIn(readFields(new URLSearchParams(wrong)) ?? assert.fail()), { faults: [fault] }, wrong);
});
