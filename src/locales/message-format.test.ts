import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMessage, placeholdersOf } from './message-format.ts';

test('a placeholder is replaced by its value, which is inserted unchanged', () => {
  const values = { sender: '{subject} $& <b>', subject: 'Bill', minutes: 15 };
  assert.equal(formatMessage('en', '{sender}: "{subject}" ({minutes})', values), '{subject} $& <b>: "Bill" (15)');
});

test('a plural takes the case of the exact number, then of the plural category of the language, then other', () => {
  const message =
    'In all: {count, plural, =1 {one entry} one {{count} entry} few {{count} few} other {{count} entries}}.';
  const format = (language: string) => [0, 1, 2, 1_000_000].map((count) => formatMessage(language, message, { count }));
  assert.deepEqual(format('en'), [
    'In all: 0 entries.',
    'In all: one entry.',
    'In all: 2 entries.',
    'In all: 1000000 entries.',
  ]);
  assert.equal(format('fr')[0], 'In all: 0 entry.');
  assert.equal(format('pl')[2], 'In all: 2 few.');
});

test('the placeholders of a text include those inside the cases of a plural', () => {
  const message = '{b} {count, plural, one {{a}} other {{count} {b}}}';
  assert.deepEqual(placeholdersOf(message), ['a', 'b', 'count']);
  assert.deepEqual(placeholdersOf('No placeholder.'), []);
});

test('a text that does not follow the format is rejected', () => {
  const malformed = ['{', 'a }', '{}', '{a b}', '{n, number}', '{n, plural, one {x}}', '{n, plural, 1 {x} other {y}}'];
  for (const message of malformed)
    assert.throws(() => placeholdersOf(message), { name: 'MessageFormatError' }, message);
});

test('a text is not formatted without the value of a placeholder', () => {
  assert.throws(() => formatMessage('en', 'Hello {name}', {}), /no value for the placeholder \{name\}/);
});
