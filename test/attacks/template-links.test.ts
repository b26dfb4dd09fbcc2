import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMessageHtml } from '../../src/notifications/rendering/message-html.ts';
import { fillPlaceholders, parseMarkdown } from '../../src/notifications/text/markdown.ts';

const html = (source: string, values = {}) =>
  renderMessageHtml({ title: 'x', language: 'en', blocks: parseMarkdown(source, values), sender: 'Tax' });

test('a value in the link of a template cannot change the host or leave its path segment', () => {
  const refused: ReadonlyArray<[string, string]> = [
    ['[x](https://example.org((v)))', '.evil.com'],
    ['https://example.org((v))', '.evil.com'],
    ['https://example.org((v))/pay', '@evil.com'],
    ['https://example.org:((v))/', '80'],
    ['https://((v)).example.org/', 'x'],
    ['[x](https://((v))@evil.com/)', 'bank.example'],
    ['[y](https://e.org/u/((v))/delete)', '..'],
    ['[y](https://e.org/u/((v))/delete)', '.'],
    ['[y](https://e.org/u/((v))/delete)', ''],
    ['[y](https://e.org/u/((v)))', '.'],
    ['https://e.org/u/.((v))/delete', '.'],
    ['https://e.org/u/%2E((v))/delete', '.'],
    ['https://e.org/u/((v))((v))/delete', '.'],
    ['https://e.org/u/((v))/delete', '%2e%2e'],
    ['https://e.org/u/((v))/delete', '../../admin'],
    ['https://e.org/u/((v))/delete', '..\\admin'],
    ['https://e.org/u/((v))/delete', '%2e%2e%2fadmin'],
  ];
  for (const [source, v] of refused) {
    const body = html(source, { v }).split('<body')[1] ?? '';
    assert.doesNotMatch(body, /href=/, `${source} with ${v}`);
    assert.ok(body.includes(fillPlaceholders(source, { v })), `${source} with ${v} stays plain text: ${body}`);
  }
  const allowed: ReadonlyArray<[string, string, string]> = [
    ['https://e.org/((v))', 'a..b', 'https://e.org/a..b'],
    ['https://e.org/((v))', '...', 'https://e.org/...'],
    ['https://e.org/f?q=((v))', '..&a=b#c', 'https://e.org/f?q=..%26a%3Db%23c'],
    ['[x](https://e.org/a/((v))/b)', 'x/y\\z?q', 'https://e.org/a/x%2Fy%5Cz%3Fq/b'],
    ['https://e.org/((v))', '\ud800', 'https://e.org/%EF%BF%BD'],
  ];
  for (const [source, v, href] of allowed)
    assert.ok(html(source, { v }).includes(`href="${href}"`), `${source} with ${v}`);
});
