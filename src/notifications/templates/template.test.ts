import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeholderIssues, textForLanguage } from './template.ts';

const cases: ReadonlyArray<readonly [requested: string, languages: readonly string[], found: string | undefined]> = [
  ['fr', ['en', 'fr'], 'fr'],
  ['fr-BE', ['en', 'fr'], 'fr'],
  ['DE-at', ['de-AT', 'de'], 'de-AT'],
  ['de-CH-1996', ['de', 'de-CH'], 'de-CH'],
  // RFC 4647, section 3.4: a single letter is dropped together with the subtag after it.
  ['zh-Hant-CN-x-private1', ['zh', 'zh-Hant-CN'], 'zh-Hant-CN'],
  ['zh-Hant-TW', ['zh', 'zh-Hant'], 'zh-Hant'],
  ['deu', ['de'], 'de'],
  // Not by lookup: a variant of the same language.
  ['nl', ['fr-BE', 'nl-BE'], 'nl-BE'],
  ['de-AT', ['de-CH', 'de-DE'], 'de-CH'],
  ['nb-NO', ['en', 'nn', 'no'], 'no'],
  ['no', ['en', 'nb'], 'nb'],
  ['nn', ['en', 'nb'], 'nb'],
  ['de', ['den', 'fr'], undefined],
  ['pl', ['fr', 'nl'], undefined],
];

test('the text for a language is found by lookup, then as a variant of the language, and otherwise undefined', () => {
  for (const [requested, languages, found] of cases) {
    const texts = languages.map((language) => ({ language, message: language }));
    assert.equal(textForLanguage(texts, requested)?.language, found, `${requested} of ${languages}`);
  }
});

test('a template with many missing placeholders has one short issue for each language', () => {
  const texts = Array.from({ length: 40 }, (_, at) => ({
    language: `x${at}`,
    message: Array.from({ length: 200 }, (_name, of) => `((p${at}x${of}))`).join(''),
  }));
  const issues = placeholderIssues(texts);
  assert.equal(issues.length, 40);
  assert.match(issues[0]?.detail ?? '', /^lacks \(\(p1x0\)\), .* and 7790 more, which the text in x1, x2, /);
  assert.ok(issues.every(({ detail }) => detail.length < 500));
});
