import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  accessibilityViolations,
  browserSkipReason,
  openBrowser,
  openPage,
  overflowingElements,
} from '../support/browser.ts';

// A check that reports nothing is trusted only if it is known to report faults.

const skip = browserSkipReason;
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'";

/** Serves one page at `/`, and 404 for other paths; returns its URL. */
async function serve(t: TestContext, html: string): Promise<string> {
  const server = createServer(({ url }, response) => {
    const headers = { 'content-type': 'text/html', 'content-security-policy': policy };
    if (url === '/') response.writeHead(200, headers).end(`<!doctype html>${html}`);
    else response.writeHead(404, headers).end('<!doctype html><html lang="en"><title>Gone</title><h1>Gone</h1></html>');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const view = { scheme: 'light', widthPx: 360, locale: 'en' } as const;

test('axe reports the faults of a bad page under the content security policy of the page', { skip }, async (t) => {
  const url = await serve(
    t,
    `<html><head><style>p, a { color: #aaa; background: #fff; } a { font-size: 8px; line-height: 8px; display: block; }</style></head>
      <body><h2>First</h2><h4>Second</h4><p>Pale</p><img src="/" /><input type="text" /><nav><a href="#1">one</a><a href="#2">two</a></nav></body></html>`,
  );
  const browser = await openBrowser(t);
  await using seen = await openPage(browser, url, view);
  const found = await accessibilityViolations(seen.page);
  const names = [
    ...[
      'color-contrast',
      'document-title',
      'heading-order',
      'html-has-lang',
      'image-alt',
      'label',
      'landmark-one-main',
    ],
    ...['page-has-heading-one', 'region', 'target-size'],
  ];
  assert.deepEqual([...new Set(found.map((line) => line.split(':')[0]))].sort(), names);
  assert.ok(
    found.includes('document-title: html: Documents must have <title> element to aid in navigation'),
    `${found}`,
  );
});

test('a contrast fault in one color scheme is reported for that scheme only', { skip }, async (t) => {
  const dark = '@media (prefers-color-scheme: dark) { body { background: #222; color: #333; } }';
  const url = await serve(
    t,
    `<html lang="en"><head><title>Dark</title><style>${dark}</style></head><body><main><h1>Dark</h1><p>Text</p></main></body></html>`,
  );
  const browser = await openBrowser(t);
  for (const [scheme, expected] of [
    ['light', 0],
    ['dark', 2],
  ] as const) {
    await using seen = await openPage(browser, url, { ...view, scheme });
    const found = await accessibilityViolations(seen.page);
    assert.equal(found.filter((line) => line.startsWith('color-contrast: ')).length, expected, scheme);
  }
});

test('a page that is too wide for a narrow window is reported with the elements that overflow', { skip }, async (t) => {
  const url = await serve(t, '<html lang="en"><p>short</p><p style="inline-size: 500px">wide</p></html>');
  const browser = await openBrowser(t);
  for (const [widthPx, expected] of [
    [360, ['508 px in 360', '<p style="inline-size: 500px">wide</p>']],
    [1000, []],
  ] as const) {
    await using seen = await openPage(browser, url, { ...view, widthPx });
    assert.deepEqual(await overflowingElements(seen.page), expected);
  }
});

test('policy violations, requests to other origins and missing images are faults, and a page with status 404 is not', {
  skip,
}, async (t) => {
  const elsewhere = 'http://elsewhere.example/a.png';
  const url = await serve(t, `<html lang="en"><img src="${elsewhere}" /><img src="/gone" /><script>1</script></html>`);
  const browser = await openBrowser(t);
  const always = [`another origin: ${elsewhere}`, `not loaded: ${elsewhere}: csp`, `not loaded: ${url}gone: 404`];
  const expected = ['against the policy: img-src', 'against the policy: script-src-elem', 'Executing inline script'];
  for (const script of ['on', 'off'] as const) {
    await using seen = await openPage(browser, url, { ...view, script });
    const faults = seen.errors.join('\n');
    for (const fault of [...always, 'Loading the image']) assert.ok(faults.includes(fault), `${fault} of:\n${faults}`);
    for (const fault of expected) assert.equal(faults.includes(fault), script === 'on', `${fault} of:\n${faults}`);
  }
  await using gone = await openPage(browser, `${url}gone`, view);
  assert.deepEqual([gone.status, gone.errors], [404, []]);
});
