import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type HtmlValue, html, trustedHtml } from './html.ts';

test('html escapes an inserted element', () => {
  assert.equal(String(html`<p>${'<script>alert(1)</script>'}</p>`), '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>');
});

test('html escapes quotes, so that a value cannot leave its attribute', () => {
  assert.equal(
    String(html`<a title="${'" onclick="x'}" lang='${"' onclick='x"}'>`),
    `<a title="&quot; onclick=&quot;x" lang='&#39; onclick=&#39;x'>`,
  );
});

test('html escapes an ampersand once, and does not escape a nested template again', () => {
  assert.equal(String(html`<p>${html`<b>${'a & b &amp; c'}</b>`}</p>`), '<p><b>a &amp; b &amp;amp; c</b></p>');
});

test('html joins lists, escapes their items, and leaves out undefined', () => {
  const items = [['<', [html`<i>${1}</i>`]], undefined, 0];
  assert.equal(String(html`<ul>${items}</ul>`), '<ul>&lt;<i>1</i>0</ul>');
});

test('html keeps a template without values as it is', () => {
  assert.equal(String(html``), '');
  assert.equal(String(html`<br />`), '<br />');
});

test('html escapes an object that looks like trusted HTML', () => {
  const forged: unknown = JSON.parse('{"isEscaped":true,"text":"<b>","callbacks":[]}');
  assert.doesNotMatch(String(html`${forged as HtmlValue}`), /</);
  const withMethod = { toString: () => '<b>' };
  assert.equal(String(html`${withMethod as unknown as HtmlValue}`), '&lt;b&gt;');
});

test('trustedHtml inserts markup unchanged', () => {
  assert.equal(String(html`${trustedHtml('<!doctype html>')}`), '<!doctype html>');
});

test('html inserts any text without a character of markup, and the text can be decoded unchanged', () => {
  const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('&', '<', '>', '"', "'", ';', 'l', 't', 'a', '#', '3') }), (text) => {
      const escaped = String(html`${text}`);
      assert.doesNotMatch(escaped, /[<>"']/);
      assert.equal(
        escaped.replaceAll(/&([^;]+);/g, (_entity, name) => characters[name] ?? ''),
        text,
      );
    }),
  );
});
