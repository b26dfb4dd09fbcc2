import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeholderIssues, textForLanguage } from './template.ts';

const cases: ReadonlyArray<readonly [wanted: string, has: readonly string[], found: string | undefined]> = [
  ['fr', ['en', 'fr'], 'fr'],
  ['fr-BE', ['en', 'fr'], 'fr'],
  ['DE-at', ['de-AT', 'de'], 'de-AT'],
  ['de-CH-1996', ['de', 'de-CH'], 'de-CH'],
  // RFC 4647, section 3.4: a single letter goes together with what follows it.
  ['zh-Hant-CN-x-private1', ['zh', 'zh-Hant-CN'], 'zh-Hant-CN'],
  ['zh-Hant-TW', ['zh', 'zh-Hant'], 'zh-Hant'],
  ['deu', ['de'], 'de'],
  // Not by lookup: a variant of the same language before another language.
  ['nl', ['fr-BE', 'nl-BE'], 'nl-BE'],
  ['de-AT', ['de-CH', 'de-DE'], 'de-CH'],
  ['nb-NO', ['en', 'nn', 'no'], 'no'],
  ['no', ['en', 'nb'], 'nb'],
  ['nn', ['en', 'nb'], 'nb'],
  ['de', ['den', 'fr'], undefined],
  ['pl', ['fr', 'nl'], undefined],
];

test('the text for a language is found by lookup, then in a variant of it, and else there is none', () => {
  for (const [wanted, has, found] of cases) {
    const texts = has.map((language) => ({ language, message: language }));
    assert.equal(textForLanguage(texts, wanted)?.language, found, `${wanted} of ${has}`);
  }
});

test('of each language that lacks values there is one fault, however many values and languages there are', () => {
  const texts = Array.from({ length: 40 }, (_, at) => ({
    language: `x${at}`,
    message: Array.from({ length: 200 }, (_name, of) => `((p${at}x${of}))`).join(''),
  }));
  const issues = placeholderIssues(texts);
  assert.equal(issues.length, 40);
  assert.match(issues[0]?.detail ?? '', /^lacks \(\(p1x0\)\), .* and 7790 more, which stand in the text in x1, x2, /);
  assert.ok(issues.every(({ detail }) => detail.length < 500));
});
