import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderGuide } from '../../scripts/guides.ts';
import { guidePages } from './guide-pages.ts';

const [list, page] = guidePages('https://api.example.gov');

async function bodyOf(path: string): Promise<string> {
  const response = await (path === '' ? list : page)?.get({ name: path }, new URLSearchParams());
  return response !== undefined && 'body' in response ? String(response.body) : assert.fail(path);
}

test('every listed guide has a page, and every link between guides leads to an existing page and heading', async () => {
  const names = [...(await bodyOf('')).matchAll(/href="\/docs\/guide\/([\w-]+)"/g)].map(([, name = '']) => name);
  assert.ok(names.length > 10);
  const pages = new Map<string, string>();
  for (const name of names) pages.set(name, await bodyOf(name));
  const broken = [...pages].flatMap(([from, body]) =>
    [...body.matchAll(/href="(?:\/docs\/guide\/([\w-]+))?(?:#([^"]+))?"/g)].flatMap(([href, name = from, anchor]) => {
      const isThere = anchor === undefined || pages.get(name)?.includes(`id="${anchor}"`);
      return pages.has(name) && isThere ? [] : [`${from}: ${href}`];
    }),
  );
  assert.deepEqual(broken, []);
});

test('the samples of a guide have the URL of the server, not that of the demo', async () => {
  const body = await bodyOf('send');
  assert.ok(body.includes('curl -s https://api.example.gov/v1/notifications/send'));
  assert.ok(!body.includes('127.0.0.1:3000'));
});

test('an unknown guide is not found', async () => {
  const refusal = { slug: 'not-found', detail: 'No guide has this name. See the list at /docs/guide.' };
  assert.deepEqual(await page?.get({ name: 'unknown' }, new URLSearchParams()), refusal);
});

test('a link to a page that the server does not serve is shown as text, and code is escaped', () => {
  const { html, title } = renderGuide(
    'docs/integrate/send.md',
    '# Send\n\nSee [keys](../operate/keys.md) and [errors](errors.md#retry).\n\n```sh\ncurl <a> & b\n```\n',
  );
  assert.equal(title, 'Send');
  assert.equal(
    html,
    '<p>See keys and <a href="/docs/guide/errors#retry">errors</a>.</p>\n<pre tabindex="0"><code>curl &lt;a&gt; &amp; b</code></pre>',
  );
});
