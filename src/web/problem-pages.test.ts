import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problems } from '../kernel/problem-catalogue.ts';
import { problemPages } from './problem-pages.ts';

const [list, one] = problemPages();

async function bodyOf(page: typeof one, slug = ''): Promise<string> {
  const made = await page?.get({ slug }, new URLSearchParams());
  assert.ok(made !== undefined && 'body' in made && made.status === 200);
  return String(made.body);
}

test('the list of problems shows each with its status, its title and a link', async () => {
  const body = await bodyOf(list);
  const rows = [
    ...body.matchAll(/<tr><td>(\d+)<\/td><td><a href="\/problems\/([a-z-]+)">[^<]+<\/a><\/td><td><code>([a-z-]+)</g),
  ];
  assert.deepEqual(
    rows.map(([, status, slug, name]) => [Number(status), slug, name]),
    Object.entries(problems).map(([slug, { status }]) => [status, slug, slug]),
  );
});

test('the page of a problem shows its name, its status, and whether to retry', async () => {
  const busy = await bodyOf(one, 'capacity-reduced');
  assert.match(busy, /<dt>Name<\/dt><dd><code>capacity-reduced<\/code><\/dd>\s+<dt>Status<\/dt><dd>503<\/dd>/);
  assert.match(busy, /<dt>Retry<\/dt><dd>yes: repeat the same request later<\/dd>/);
  assert.match(await bodyOf(one, 'bad-request'), /<dt>Retry<\/dt><dd>no: change the request first<\/dd>/);
});

test('an unknown problem name is refused, also if it is a member of every object', async () => {
  for (const slug of ['nothing-such', 'constructor', '__proto__', '']) {
    const made = await one?.get({ slug }, new URLSearchParams());
    assert.ok(made !== undefined && 'slug' in made, slug);
    assert.equal(made.slug, 'problem-not-found');
  }
});
