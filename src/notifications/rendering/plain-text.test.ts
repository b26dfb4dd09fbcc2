import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMailText } from './mail-text.ts';
import { renderPlainText } from './plain-text.ts';
import { renderSmsText } from './sms-text.ts';

const draft = { sender: 'Tax', subject: 'Bill', language: undefined };

test('plain text has no Markdown characters, and the full URL of each link', () => {
  const message =
    '# Your tax\r\n\r\nPay **by May**,\r\nsee [the page](https://tax.example/a_(b)).\r\n## Then\r\n- one\r\n* two\r\n\r\n3. three\r\n4. https://tax.example/x\r\n';
  const plain =
    'Your tax\n\nPay by May,\nsee the page <https://tax.example/a_(b)>.\n\nThen\n\n- one\n- two\n\n3. three\n4. https://tax.example/x';
  assert.equal(renderPlainText({ message }), plain);
  assert.equal(renderSmsText({ ...draft, content: { message } }).text, `Tax: ${plain}`);
  const mail = renderMailText({ ...draft, content: { message }, reminder: false });
  assert.equal(mail.text, `${plain}\n\n-- \nTax\n`);
  assert.match(mail.html ?? '', /<strong>by May<\/strong>/);
});

test('a message without Markdown stays unchanged', () => {
  for (const message of ['2 ** 3 = 8\n\n\n  a *star*, #1, [x] and (y)', 'a\r\nb ', '15. Mai']) {
    assert.equal(renderPlainText({ message }), message);
  }
});

test('the values of a template are not parsed as Markdown in plain text', () => {
  const template = '**Pay ((sum))** [here](https://tax.example/?q=((sum)))';
  const content = { message: 'the filled text', template, values: { sum: '**5** & <b>' } };
  assert.equal(renderPlainText(content), 'Pay **5** & <b> here <https://tax.example/?q=%2A%2A5%2A%2A%20%26%20%3Cb%3E>');
});

test('white space around a subject and after a message is removed from a mail', () => {
  const content = { message: ' Text. \n\n' };
  const { subject, text } = renderMailText({ ...draft, subject: ' Bill\t', content, reminder: false });
  assert.deepEqual([subject, text], ['Bill', ' Text.\n\n-- \nTax\n']);
});

test('only the sender is below the signature line of a mail, even if the message has such a line', () => {
  for (const message of ['-- \nText.', 'Text.\r\n-- \r\nMore.', '**Text.**\n-- \nMore.', 'Text.\n-- ']) {
    const { text } = renderMailText({ ...draft, content: { message }, reminder: false });
    assert.deepEqual(text.split(/^-- \r?\n/m).slice(1), ['Tax\n'], message);
    assert.match(text, /^--\r?\n/m);
  }
  const unchanged = ' -- \n--  \n---\na -- ';
  assert.equal(renderPlainText({ message: unchanged }), unchanged);
  assert.ok(
    renderMailText({ ...draft, content: { message: `${unchanged}b` }, reminder: false }).text.startsWith(
      `${unchanged}b\n`,
    ),
  );
});
