import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOfSms } from './sms-text.ts';

test('a letter that comes in two pieces is sent, and charged, as one', () => {
  const content = { message: 'Gr\u0075\u0308\u00dfe' };
  const sent = textOfSms({ sender: 'Finanzamt Mu\u0308nchen', subject: undefined, content, language: 'de' });
  assert.deepEqual(sent, { text: 'Finanzamt München: Grüße', segments: 1 });
  const subject = 'Gebu\u0308hr';
  const long = textOfSms({ sender: 'Amt', subject, content: { message: 'Wort '.repeat(1_000) }, language: 'de' });
  assert.deepEqual(long, { text: 'Amt: Eine Nachricht für Sie "Gebühr" liegt in Ihrem Postfach.', segments: 1 });
});

test('a direction that the subject begins ends with it', () => {
  const [rlo, pdf] = ['\u202e', '\u202c'];
  const { text } = textOfSms({
    ...{ sender: 'Tax', subject: `Your ${rlo}bill`, content: { message: 'word '.repeat(1_000) }, language: undefined },
  });
  assert.equal(text, `Tax: a message for you "Your ${rlo}bill${pdf}" lies in your inbox.`);
});
