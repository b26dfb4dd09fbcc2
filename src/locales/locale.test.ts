import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import en from './en.json' with { type: 'json' };
import { localeFor, localeForHeader } from './locale.ts';
import { placeholdersOf } from './message-format.ts';

const others = ['nb', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'sv', 'pl', 'uk', 'tr', 'ar'];

/** Texts that are the same in English and in another language, by key. */
const sharedKeys: Readonly<Record<string, readonly string[]>> = {
  fr: [
    'page.frame.menu',
    'page.nav.messages',
    'page.nav.documents',
    'page.messages.categories.information',
    'page.messages.categories.urgent',
    'page.uses.labels.document',
    'page.uses.labels.message',
  ],
  es: ['page.forms.errorTitle', 'staffPages.proposals.no'],
  de: [
    'message.website',
    'page.messages.categories.information',
    'staffPages.sections.clients',
    'staffPages.proposals.members.clientId',
    'staffPages.proposals.members.name',
    'staffPages.clients.webhooks',
    'staffPages.audit.name',
  ],
  pl: ['page.frame.menu'],
  pt: ['page.frame.menu'],
  it: ['page.frame.menu', 'staffPages.proposals.no'],
  nl: ['message.website', 'page.frame.menu', 'page.frame.privacy', 'page.messages.inbox', 'page.uses.labels.document'],
};

/** The texts of a catalogue by key, such as `page.nav.messages`. */
function textsByKey(texts: object, prefix = ''): Map<string, string> {
  const entries = Object.entries(texts).flatMap(([name, text]): [string, string][] =>
    typeof text === 'string' ? [[`${prefix}${name}`, text]] : [...textsByKey(text, `${prefix}${name}.`)],
  );
  return new Map(entries);
}

test('every catalogue in the folder is served, for its own language tag', () => {
  const tags = globSync('*.json', { cwd: import.meta.dirname }).map((file) => file.replace('.json', ''));
  assert.deepEqual(tags.sort(), ['en', ...others].sort());
  for (const tag of tags) assert.equal(localeFor(tag).language, tag);
});

test('a language tag has the catalogue of its language, or the English one if there is none', () => {
  const tags = ['nb-NO', 'no', 'nn', 'de-AT', ' FR', undefined, '', 'xx', 'constructor', 'english', 'de_AT'];
  assert.deepEqual(
    tags.map((tag) => localeFor(tag).language),
    ['nb', 'nb', 'nb', 'de', 'fr', 'en', 'en', 'en', 'en', 'en', 'en'],
  );
});

test('the catalogue of a page is that of the first known language of the Accept-Language header', () => {
  const headers = [undefined, '', '*', 'xx,de;q=0.5', 'pt-BR, en', 'no', 'nn-NO, de', '<script>', 'toString, fr'];
  assert.deepEqual(
    headers.map((header) => localeForHeader(header).language),
    ['en', 'en', 'en', 'de', 'pt', 'nb', 'nb', 'en', 'fr'],
  );
});

test('the catalogue of a page is that of the known language with the highest weight in the header', () => {
  const languages = {
    'fr;q=0.1, de;q=0.9': 'de',
    'de ; Q=0.3 , fr;q=0.301': 'fr',
    'fr;q=0.5, de;q=0.5': 'fr',
    '*;q=0.5, nl': 'nl',
    'nl;q=0.5, *': 'en',
    'nn;q=0.2, it;q=0.3, nb': 'nb',
    'it;q=0.2, fr;q=high': 'fr',
  };
  for (const [header, language] of Object.entries(languages))
    assert.equal(localeForHeader(header).language, language, header);
});

test('a language that the header refuses is not served, unless all are refused', () => {
  const languages = {
    'fr;q=0, de': 'de',
    'fr;q=0.000, de;q=0.001': 'de',
    'fr;q=0': 'en',
    'en;q=0, xx': 'nb',
    'en;q=0, nb;q=0, *;q=0.1': 'de',
    'nn;q=0, nb': 'nb',
    'de, *;q=0': 'de',
    'de;q=0, *;q=0': 'en',
  };
  for (const [header, language] of Object.entries(languages))
    assert.equal(localeForHeader(header).language, language, header);
});

test('every catalogue has the keys and placeholders of English, and no text that was left in English', () => {
  const english = textsByKey(en);
  for (const language of others) {
    const texts = textsByKey(localeFor(language));
    const placeholdersByKey = (all: Map<string, string>) =>
      [...all].map(([key, text]) => `${key}: ${placeholdersOf(text).join(', ')}`).sort();
    assert.deepEqual(placeholdersByKey(texts), placeholdersByKey(english), language);
    for (const [key, text] of texts) assert.match(text, /^\S(?:.*\S)?$/, `${language} ${key}`);
    const untranslated = [...english.keys()].filter((key) => texts.get(key) === english.get(key));
    assert.deepEqual(untranslated, sharedKeys[language] ?? [], language);
    const isSentence = (text = '') => text.endsWith('.');
    const changed = [...english].filter(([key, text]) => isSentence(text) !== isSentence(texts.get(key)));
    assert.deepEqual(
      changed.map(([key]) => key),
      [],
      language,
    );
  }
});

test('no two texts of the system messages about codes, addresses and locks are the same', () => {
  for (const language of ['en', ...others]) {
    const { contactCode, addressChanged, citizenLock } = localeFor(language).systemMessage;
    const texts = [...textsByKey({ contactCode, addressChanged, citizenLock }).values()];
    assert.equal(new Set(texts).size, texts.length, language);
  }
});
