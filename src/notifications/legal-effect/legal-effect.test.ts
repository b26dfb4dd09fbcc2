import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { defaultPolicyFor, inboxAndEmailPolicy } from '../cascade/cascade.ts';
import {
  type Calendar,
  calendarNotice,
  isLegalRule,
  type LegalEffect,
  type LegalFacts,
  legalEffectOf,
  legalRuleIssues,
} from './legal-effect.ts';

const at = (text: string) => Date.parse(text);
const calendar = (...days: string[]): Calendar => ({ holidays: new Set(days) });
const holidaysOf = ({ counting }: LegalEffect) =>
  counting && 'notCounted' in counting ? counting.notCounted.holidays : undefined;
const acceptedAt = at('2026-12-23T10:00:00Z');
const none = { availableAt: undefined, openedAt: undefined, confirmedAt: undefined, letterAt: undefined };
const later = at('2027-06-01T00:00:00Z');

test('a result contains the skipped holidays, so that the count can be repeated without the calendar', () => {
  const facts: LegalFacts = { ...none, availableAt: acceptedAt };
  const rule = 'after-3-working-days';
  const christmas = calendar('2026-12-24', '2026-12-25', '2026-12-26', '2027-01-01');
  const effect = legalEffectOf(rule, facts, christmas, later);
  assert.deepEqual(effect, {
    rule,
    effectiveAt: '2026-12-31T00:00:00.000Z',
    basis: '3 working days after the message lay in the inbox',
    counting: {
      from: '2026-12-23T10:00:00.000Z',
      workingDays: 3,
      // A holiday on a Saturday is skipped as a Saturday.
      notCounted: { weekdays: ['Saturday', 'Sunday'], holidays: ['2026-12-24', '2026-12-25'] },
    },
  });
  const again = legalEffectOf(rule, facts, calendar(...(holidaysOf(effect) ?? [])), later);
  assert.deepEqual(again, effect);
  const forgotten = legalEffectOf(rule, facts, calendar('2027-01-01'), later);
  assert.deepEqual([forgotten.effectiveAt, holidaysOf(forgotten)], ['2026-12-29T00:00:00.000Z', []]);
});

test('the days of a legal effect are in the time zone of the calendar, also when its offset changes', () => {
  const effectIn = (timeZone: string, availableAt: string) => {
    const facts = { ...none, availableAt: at(availableAt) };
    const { effectiveAt, counting } = legalEffectOf('after-1-working-days', facts, { ...calendar(), timeZone }, later);
    return [effectiveAt, counting?.timeZone];
  };
  // Monday, 30 March 2026, 07:30 in Tokyo, which is still Sunday in UTC. Counting starts on Tuesday.
  assert.deepEqual(effectIn('Asia/Tokyo', '2026-03-29T22:30:00Z'), ['2026-03-31T15:00:00.000Z', 'Asia/Tokyo']);
  assert.deepEqual(effectIn('UTC', '2026-03-29T22:30:00Z'), ['2026-03-31T00:00:00.000Z', undefined]);
  // Thursday evening in Toronto is Friday in UTC.
  assert.deepEqual(effectIn('America/Toronto', '2026-01-16T02:00:00Z'), [
    '2026-01-17T05:00:00.000Z',
    'America/Toronto',
  ]);
  // Lisbon sets its clocks forward in the night after a Saturday, which does not count.
  assert.deepEqual(effectIn('Europe/Lisbon', '2026-03-27T12:00:00Z'), ['2026-03-30T23:00:00.000Z', 'Europe/Lisbon']);
  assert.deepEqual(effectIn('Europe/Lisbon', '2026-03-26T12:00:00Z'), ['2026-03-28T00:00:00.000Z', 'Europe/Lisbon']);
  assert.deepEqual(effectIn('Asia/Kathmandu', '2026-01-12T12:00:00Z'), ['2026-01-13T18:15:00.000Z', 'Asia/Kathmandu']);
});

test('an earlier opening takes precedence over a rule, and a rule has no effect before its instant', () => {
  const opened = at('2026-12-24T08:00:00Z');
  const letterAt = at('2026-12-23T12:00:00Z');
  const seen = (rule: string, facts: Partial<LegalFacts>, now = later) => {
    const { effectiveAt, basis, counting } = legalEffectOf(rule, { ...none, ...facts }, calendar(), now);
    return [effectiveAt, basis, counting && 'workingDays' in counting ? counting.workingDays : undefined];
  };
  const byOpening = ['2026-12-24T08:00:00.000Z', 'the citizen opened the message', undefined];
  for (const rule of ['opened', 'as-letter', 'after-2-working-days']) {
    assert.deepEqual(seen(rule, { openedAt: opened }), byOpening);
    assert.deepEqual(seen(rule, { openedAt: opened, letterAt, availableAt: letterAt }), byOpening);
    assert.deepEqual(seen(rule, {}), [undefined, 'not yet', undefined]);
  }
  const byLetter = ['2026-12-29T00:00:00.000Z', '3 working days after the letter was handed over', 3];
  assert.deepEqual(seen('as-letter', { letterAt }), byLetter);
  assert.deepEqual(seen('as-letter', { letterAt, openedAt: at('2027-01-05T00:00:00Z') }), byLetter);
  const due = at('2026-12-29T00:00:00Z');
  assert.deepEqual(seen('as-letter', { letterAt }, due), byLetter);
  assert.deepEqual(seen('as-letter', { letterAt }, due - 1), [undefined, 'not yet', undefined]);
});

test('a confirmation by the link in a mail has an effect only under a rule that ends with -or-confirmed', () => {
  const confirmedAt = at('2026-12-23T11:00:00Z');
  const openedAt = at('2026-12-24T08:00:00Z');
  const seen = (rule: string, facts: Partial<LegalFacts>) => {
    const { effectiveAt, basis } = legalEffectOf(rule, { ...none, ...facts }, calendar(), later);
    return [effectiveAt, basis];
  };
  const byLink = ['2026-12-23T11:00:00.000Z', 'confirmed by the link in the message'];
  const byOpening = ['2026-12-24T08:00:00.000Z', 'the citizen opened the message'];
  for (const rule of ['opened', 'as-letter', 'after-2-working-days', 'after-2-days']) {
    assert.deepEqual(seen(rule, { confirmedAt }), [undefined, 'not yet'], rule);
    assert.deepEqual(seen(rule, { confirmedAt, openedAt }), byOpening, rule);
    assert.ok(isLegalRule(`${rule}-or-confirmed`));
    assert.deepEqual(seen(`${rule}-or-confirmed`, { confirmedAt, openedAt }), byLink, rule);
    assert.deepEqual(seen(`${rule}-or-confirmed`, { openedAt }), byOpening, rule);
  }
  const due = ['2026-12-25T00:00:00.000Z', '1 days after the message lay in the inbox'];
  const lateLink = { availableAt: acceptedAt, confirmedAt: at('2026-12-26T00:00:00Z') };
  assert.deepEqual(seen('after-1-days-or-confirmed', lateLink), due);
  const issues = legalRuleIssues('as-letter-or-confirmed', ['email'], inboxAndEmailPolicy);
  assert.deepEqual(
    issues.map(({ code }) => code),
    ['not-allowed'],
  );
});

test('the calendar decides which days of the week do not count', () => {
  const riyadh = { ...calendar(), weekend: ['Friday', 'Saturday'], timeZone: 'Asia/Riyadh' };
  const effectOf = (availableAt: string, used: Calendar) =>
    legalEffectOf('after-2-working-days', { ...none, availableAt: at(availableAt) }, used, later);
  // From Wednesday, 25 November, Thursday and Sunday count. From Thursday, Sunday and Monday count.
  const fromWednesday = effectOf('2026-11-25T09:00:00Z', riyadh);
  assert.deepEqual(
    [fromWednesday.effectiveAt, effectOf('2026-11-26T09:00:00Z', riyadh).effectiveAt],
    ['2026-11-29T21:00:00.000Z', '2026-11-30T21:00:00.000Z'],
  );
  assert.deepEqual(fromWednesday.counting, {
    from: '2026-11-25T09:00:00.000Z',
    timeZone: 'Asia/Riyadh',
    workingDays: 2,
    notCounted: { weekdays: ['Friday', 'Saturday'], holidays: [] },
  });
  const everyDay = { ...calendar(), weekend: [] };
  assert.equal(effectOf('2026-11-27T09:00:00Z', everyDay).effectiveAt, '2026-11-30T00:00:00.000Z');
});

test('calendar days include weekends and holidays, and end early when the message is opened', () => {
  const facts = { ...none, availableAt: acceptedAt };
  const christmas = { ...calendar('2026-12-24', '2026-12-25'), timeZone: 'Europe/Rome' };
  assert.deepEqual(legalEffectOf('after-7-days', facts, christmas, later), {
    rule: 'after-7-days',
    effectiveAt: '2026-12-30T23:00:00.000Z',
    basis: '7 days after the message lay in the inbox',
    counting: { from: '2026-12-23T10:00:00.000Z', days: 7, timeZone: 'Europe/Rome' },
  });
  const openedAt = at('2026-12-24T08:00:00Z');
  const opened = legalEffectOf('after-7-days', { ...facts, openedAt }, christmas, later);
  assert.deepEqual([opened.effectiveAt, opened.counting], ['2026-12-24T08:00:00.000Z', undefined]);
});

test('only the exact name of a rule with 1 to 99 days is accepted', () => {
  for (const good of ['opened', 'as-letter', 'after-1-working-days', 'after-99-working-days', 'after-7-days'])
    assert.ok(isLegalRule(good), good);
  for (const bad of ['after-0-working-days', 'after-00-working-days', 'after-100-working-days', 'after--working-days'])
    assert.ok(!isLegalRule(bad), bad);
  for (const bad of [
    'reopened',
    'after-0-days',
    'after-7-day',
    'after-days',
    'opened ',
    'as-letters',
    'after-1-working-day',
  ])
    assert.ok(!isLegalRule(bad), bad);
});

test('the rule as-letter is refused without a planned letter or without a provider of letters', () => {
  const pointers = (...args: Parameters<typeof legalRuleIssues>) => legalRuleIssues(...args).map((one) => one.pointer);
  const letters = defaultPolicyFor(new Set(['letter']));
  const unplanned = { ...letters, steps: inboxAndEmailPolicy.steps };
  assert.deepEqual(pointers('as-letter', undefined, letters), []);
  assert.deepEqual(pointers('as-letter', ['email', 'letter'], unplanned), []);
  assert.deepEqual(pointers('as-letter', undefined, unplanned), ['/legalEffect']);
  assert.deepEqual(pointers('as-letter', ['email'], letters), ['/legalEffect']);
  assert.deepEqual(pointers('as-letter', ['letter'], inboxAndEmailPolicy), ['/legalEffect']);
  for (const rule of ['opened', 'after-3-working-days', undefined]) {
    assert.deepEqual(pointers(rule, ['email'], inboxAndEmailPolicy), []);
  }
});

test('the operator gets a notice when the holidays lack the current year, and none for an empty list', () => {
  const now = at('2027-01-02T00:00:00Z');
  assert.equal(calendarNotice(calendar(), now), undefined);
  assert.equal(calendarNotice(calendar('2026-12-25', '2027-01-01'), now), undefined);
  assert.match(calendarNotice(calendar('2026-12-25'), now) ?? '', /^HOLIDAYS has no day of 2027/);
});

test('working days match a count with Temporal, also over year ends and 29 February', () => {
  const february = fc.constantFrom(2028, 2100, 2400).map((year) => Date.UTC(year, 1, 25));
  const from = fc.oneof(february, fc.integer({ min: 0, max: at('9998-12-31T00:00:00Z') }));
  const holidays = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99 }), from, holidays, (days, availableAt, offsets) => {
      const begin = Temporal.Instant.fromEpochMilliseconds(availableAt).toZonedDateTimeISO('UTC').toPlainDate();
      const free = new Set(offsets.map((offset) => begin.add({ days: offset }).toString()));
      let day = begin;
      for (let left = days; left > 0; ) {
        day = day.add({ days: 1 });
        if (day.dayOfWeek <= 5 && !free.has(day.toString())) left -= 1;
      }
      const facts = { ...none, availableAt };
      const { effectiveAt } = legalEffectOf(`after-${days}-working-days`, facts, { holidays: free }, Infinity);
      assert.equal(effectiveAt, `${day.add({ days: 1 }).toString()}T00:00:00.000Z`);
    }),
    { numRuns: 500 },
  );
});
