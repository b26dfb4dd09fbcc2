import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnavailableError } from '../../kernel/unavailable-error.ts';
import { createLetterCheck, maxConcurrentLetterChecks } from './check-letter.ts';

const letter = {
  contact: undefined,
  content: { message: 'Your permit is ready.' },
  sender: 'Permits',
  language: 'en',
  reminder: false,
  at: 0,
};

test('the 21st waiting preview of a letter is rejected until another one has ended', async () => {
  const { promise: set, resolve: finish } = Promise.withResolvers<Uint8Array>();
  const renderer = { render: () => set, close: async () => undefined };
  const checkLetter = createLetterCheck({ renderer, window: 'din5008b' }, (fault) => assert.fail(String(fault)));
  const tried = Array.from({ length: maxConcurrentLetterChecks }, () => checkLetter(letter));
  await assert.rejects(
    checkLetter(letter),
    (fault) => fault instanceof UnavailableError && fault.slug === 'capacity-reduced',
  );
  finish(new Uint8Array(1));
  assert.deepEqual(new Set(await Promise.all(tried)), new Set([undefined]));
  assert.equal(await checkLetter(letter), undefined);
});
