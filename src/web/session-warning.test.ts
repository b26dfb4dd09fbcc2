import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localeFor } from '../locales/locale.ts';
import { citizenTextsOf } from './citizen-texts.ts';
import { sessionWarning } from './session-warning.ts';
import { stylesheet } from './stylesheet.ts';

const words = citizenTextsOf(localeFor('en'));

test('the warning appears two minutes before the session ends, by a class that the stylesheet has', async () => {
  const sheet = await stylesheet.get({}, new URLSearchParams());
  const css = 'body' in sheet ? String(sheet.body) : assert.fail();
  for (const [minutesLeft, delay] of [
    [30, 28],
    [10, 8],
    [9.9, 7],
    [2, 0],
    [0.1, 0],
    [-1, 0],
    [480, 30],
  ] as const) {
    const warning = String(sessionWarning(words, minutesLeft));
    assert.match(warning, new RegExp(`class="session-warning warn-in-${delay}"`));
    assert.ok(css.includes(`.warn-in-${delay} { animation-delay: ${delay * 60}s; }`));
  }
});

test('the warning has no script, and its link opens a new tab so that typed text stays', () => {
  const warning = String(sessionWarning(words, 10));
  assert.doesNotMatch(warning, /<script|style=|http-equiv/);
  assert.match(warning, /<a href="\/me\/stay" target="_blank" rel="noopener">Stay signed in \(opens a new tab\)<\/a>/);
  assert.match(warning, /^<div role="status">/);
});
