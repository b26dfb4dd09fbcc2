import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { contrastRatio } from '../kernel/colour-contrast.ts';
import { createStylesheet, stylesheet } from './stylesheet.ts';

async function readCss(acceptEncoding?: string) {
  const answer = await stylesheet.get({}, new URLSearchParams(), acceptEncoding);
  assert.ok('body' in answer);
  return answer;
}

/** Text and its backgrounds with the least contrast of WCAG 2.2: 7 for the text itself, 4.5 for other text, 3 for borders. */
const pairs = [
  ['ink', ['paper', 'surface', 'urgent', 'fresh', 'due'], 7],
  ['muted', ['paper', 'surface'], 4.5],
  ['link', ['paper', 'surface'], 4.5],
  ['fault', ['paper', 'surface'], 4.5],
  ['success', ['paper', 'surface'], 3],
  ['line', ['paper', 'surface'], 3],
] as const;

test('text, links and borders have enough contrast in the light and in the dark scheme', async () => {
  const css = String((await readCss()).body);
  const [light = {}, dark = {}] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, inner = '']) =>
    Object.fromEntries([...inner.matchAll(/--(\w+): (#\w+)/g)].map(([, name = '', colour = '']) => [name, colour])),
  );
  for (const scheme of [light, { ...light, ...dark }]) {
    for (const [text, backgrounds, least] of pairs)
      for (const background of backgrounds) {
        const ratio = contrastRatio(scheme[text] ?? '', scheme[background] ?? '');
        assert.ok(ratio >= least, `${text} on ${background}: ${ratio}`);
      }
    assert.ok(contrastRatio(scheme['brand'] ?? '', '#ffffff') >= 4.5);
  }
  assert.notDeepEqual(dark, {});
});

test('the stylesheet has only logical directions, loads nothing and has no comments', async () => {
  const css = String((await readCss()).body);
  assert.doesNotMatch(css, /(?:^|[\s;{-])(?:left|right)\b(?!:)|url\(|@import|@font-face|\/\*/m);
  assert.doesNotMatch(css, /(?:margin|padding|border)-(?:top|bottom|left|right)\b/);
});

test('the stylesheet is served compressed to browsers, and its path changes with its content', async () => {
  const plain = await readCss();
  const coded = await readCss('gzip, br');
  assert.deepEqual([plain.headers['content-encoding'], coded.headers['content-encoding']], [undefined, 'br']);
  assert.equal(brotliDecompressSync(Buffer.from(coded.body)).toString('utf8'), String(plain.body));
  assert.ok(Buffer.from(coded.body).length < 5_000, `${Buffer.from(coded.body).length} bytes`);
  assert.match(String(coded.headers['cache-control']), /immutable/);
  assert.notEqual(createStylesheet('a {}').path, createStylesheet('b {}').path);
});

test('buttons and fields have the font of the text and are 44 pixels high, and the focus is visible', async () => {
  const css = String((await readCss()).body);
  assert.match(css, /button \{[^}]*font: inherit/);
  assert.match(css, /button,\s\.action \{[^}]*min-block-size: 2\.75rem/);
  assert.match(css, /:focus-visible \{[^}]*outline: 3px solid/);
});
