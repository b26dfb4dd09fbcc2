import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { createNotificationApp } from '../../test/support/notification-app.ts';
import type { Database } from '../db/database.ts';

const now = Date.UTC(2026, 0, 15, 9);
const open = (db: Database) => createNotificationApp(db, { now: () => now }, { 'cit-ada': {} });

// These requests are refused before the database is used, so one engine is enough.
const onlySqlite = engines.filter((engine) => engine.name === 'sqlite');

const refused: ReadonlyArray<[string, Record<string, unknown>, string[]]> = [
  ['a missing message', { message: undefined }, ['/message required']],
  ['an empty message', { message: '' }, ['/message too-short']],
  ['a blank message', { message: ' \n\t ' }, ['/message malformed']],
  ['a message of invisible characters', { message: '\u200b\u2060 \u00ad\ufeff\u3164\u2800' }, ['/message malformed']],
  ['a subject of direction marks', { subject: '\u202e\u200f' }, ['/subject malformed']],
  [
    'a message whose values are invisible characters',
    { message: '((a)) ', personalisation: { a: '\u200b' } },
    ['/message malformed'],
  ],
  ['a message of 20,001 characters', { message: 'x'.repeat(20_001) }, ['/message too-long']],
  ['a control character in the message', { message: 'ding \u0007' }, ['/message malformed']],
  ['a line break in the subject', { subject: 'a\r\nBcc: eve@example.org' }, ['/subject malformed']],
  ['an override of the direction in the subject', { subject: 'Bill \u202e001' }, ['/subject malformed']],
  ['an isolate in the reference', { reference: 'A \u2067B' }, ['/reference malformed']],
  [
    'an embedding in a value of the subject',
    { subject: 'Dear ((a))', personalisation: { a: '\u202bAda\u202c' } },
    ['/personalisation/a malformed'],
  ],
  ['a placeholder without personalisation', { message: 'Dear ((name)).' }, ['/personalisation/name required']],
  [
    'placeholders in subject and message, and an empty personalisation',
    { subject: 'For ((name))', message: '((greeting)) ((name))', personalisation: {} },
    ['/personalisation/greeting required', '/personalisation/name required'],
  ],
  ['a line break in the reference', { reference: 'a\nb' }, ['/reference malformed']],
  ['an unknown field', { template: 'x' }, ['/template unknown-input']],
  ['sendAt in the past', { sendAt: '2026-01-15T08:59:59Z' }, ['/sendAt out-of-range']],
  ['sendAt in two years', { sendAt: '2028-01-15T08:59:59Z' }, ['/sendAt out-of-range']],
  ['sendAt without a time zone', { sendAt: '2026-01-16T08:59:59' }, ['/sendAt malformed']],
  ['sendAt on the 30th of February', { sendAt: '2026-02-30T08:59:59Z' }, ['/sendAt malformed']],
  ['a leap second', { sendAt: '2026-06-30T23:59:60Z' }, ['/sendAt malformed']],
  [
    'deliverBy before sendAt',
    { sendAt: '2026-01-17T00:00:00Z', deliverBy: '2026-01-16T00:00:00Z' },
    ['/deliverBy out-of-range'],
  ],
  ['respondBy in the past', { respondBy: '2026-01-13' }, ['/respondBy out-of-range']],
  ['respondBy before sendAt', { respondBy: '2026-01-16', sendAt: '2026-01-20T00:00:00Z' }, ['/respondBy out-of-range']],
  ['respondBy in three years', { respondBy: '2029-01-16' }, ['/respondBy out-of-range']],
  ['respondBy on the 30th of February', { respondBy: '2026-02-30' }, ['/respondBy malformed']],
  ['respondBy without a time zone', { respondBy: '2026-02-20T12:00:00' }, ['/respondBy malformed']],
  ['an unknown channel', { channels: ['fax'] }, ['/channels/0 not-allowed']],
  ['a repeated channel', { channels: ['email', 'email'] }, ['/channels not-valid']],
  [
    'a legal effect that needs a letter, without a letter channel',
    { legalEffect: 'as-letter' },
    ['/legalEffect not-allowed'],
  ],
  ['an unknown category', { category: 'spam' }, ['/category not-allowed']],
  ['a malformed language', { language: 'english please' }, ['/language malformed']],
  ['a message whose values make it empty', { message: '((a))', personalisation: { a: '' } }, ['/message malformed']],
  [
    'a message whose values make it blank',
    { message: ' ((a))\n((b))', personalisation: { a: '', b: '' } },
    ['/message malformed'],
  ],
  [
    'a message of 8 million characters with its values',
    { message: '((a))'.repeat(4_000), personalisation: { a: 'x'.repeat(2_000) } },
    ['/message too-long'],
  ],
  [
    'a message of 20,001 characters with its values',
    { message: `${'((a))'.repeat(10)}!`, personalisation: { a: '😀'.repeat(2_000) } },
    ['/message too-long'],
  ],
  [
    'a message of 20,001 characters with its values encoded for a link',
    { message: `https://e.org/${'((a))'.repeat(4)}`, personalisation: { a: 'é'.repeat(2_000) } },
    ['/message too-long'],
  ],
  [
    'a subject of 201 characters with its values, together with another fault',
    { subject: '((b))((b))!', personalisation: { b: '😀'.repeat(100) }, sendAt: '2020-01-01T00:00:00Z' },
    ['/sendAt out-of-range', '/subject too-long'],
  ],
  [
    'more placeholders than there may be values',
    { message: Array.from({ length: 2_000 }, (_, index) => `((p${index}))`).join(''), personalisation: { p0: 'x' } },
    ['/personalisation too-long'],
  ],
  [
    'a value without a placeholder',
    { personalisation: { name: 'x', 'Eleni/Papadopoulou 1990': 'x' } },
    ['/personalisation/name unknown-input', '/personalisation/… unknown-input'],
  ],
  [
    'malformed members together with other issues',
    { foo: 1, subject: 'a\nb', sendAt: '2020-01-01T00:00:00Z', attachments: ['x'], legalEffect: 'never' },
    [
      '/attachments/0 not-found',
      '/foo unknown-input',
      '/legalEffect not-allowed',
      '/sendAt out-of-range',
      '/subject malformed',
    ],
  ],
  [
    'a template with an invalid part, whose values are not checked',
    {
      subject: `((a))${'x'.repeat(200)}`,
      message: '((b))',
      personalisation: { a: 'x' },
      deliverBy: '2020-01-01T00:00:00Z',
    },
    ['/deliverBy out-of-range', '/subject too-long'],
  ],
  [
    'a template without its text and without a citizen',
    { message: 7, citizenId: undefined, personalisation: { a: 'x' }, attachments: ['x'], legalEffect: 'never' },
    ['/citizenId required', '/legalEffect not-allowed', '/message wrong-type'],
  ],
  ['two issues', { subject: 'a\nb', sendAt: '2020-01-01T00:00:00Z' }, ['/subject malformed', '/sendAt out-of-range']],
];

for (const engine of onlySqlite) {
  test('an invalid request is refused with a pointer for each issue, and stores nothing', async (t) => {
    const app = await open(await engine.open(t));
    for (const [what, body, expected] of refused) {
      await t.test(`${what} is refused with its pointer`, async () => {
        const answer = await app.send({ citizenId: 'cit-ada', message: 'Hello.', ...body });
        assert.ok('refused' in answer);
        const issues = answer.refused.issues?.map(({ pointer, code }) => `${pointer} ${code}`).sort();
        assert.deepEqual([answer.refused.slug, issues], ['bad-request', expected.sort()]);
        assert.deepEqual(await app.preview({ citizenId: 'cit-ada', message: 'Hello.', ...body }), answer);
        assert.deepEqual(await app.events(), []);
      });
    }
  });

  test('a request with more issues than the limit is refused', async (t) => {
    const app = await open(await engine.open(t));
    const channels = Array.from({ length: 100 }, () => 'fax');
    const body = { citizenId: 'cit-ada', message: 'Hello.', sendAt: '2020-01-01T00:00:00Z', channels, legalEffect: 5 };
    const answer = await app.send(body);
    assert.ok('refused' in answer && answer.refused.slug === 'bad-request');
    const places = new Set(answer.refused.issues?.map(({ pointer }) => pointer?.split('/')[1]));
    assert.deepEqual(places, new Set(['channels']));
  });

  test('a message of 20,000 characters with line breaks and tabs is accepted', async (t) => {
    const app = await open(await engine.open(t));
    await app.accept({ citizenId: 'cit-ada', message: 'é\tx\r\n'.repeat(4_000) });
  });

  test('each channel receives the link of a template with its filled and encoded values', async (t) => {
    const app = await open(await engine.open(t));
    const message = 'Pay: https://e.org/((ref))';
    const answer = await app.preview({ citizenId: 'cit-ada', message, personalisation: { ref: 'A 1' } });
    assert.ok('json' in answer);
    const { channels } = answer.json as { readonly channels: ReadonlyArray<{ readonly text: string }> };
    assert.deepEqual(
      channels.map(({ text }) => text),
      ['Pay: https://e.org/A%201', 'Pay: https://e.org/A%201\n\n-- \nTax Office\n'],
    );
  });

  test('a template can be filled up to the limits of its texts', async (t) => {
    const app = await open(await engine.open(t));
    const personalisation = { a: '😀'.repeat(2_000), b: '😀'.repeat(100), none: '' };
    const texts = { message: `((none))${'((a))'.repeat(10)}`, subject: '((b))((b))' };
    await app.accept({ citizenId: 'cit-ada', ...texts, personalisation });
  });
}
