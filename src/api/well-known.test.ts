import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiDocuments, securityTxtPage } from './well-known.ts';

const identity = { publicUrl: 'https://api.example.gov', apiVersion: '1.0.0', documentLimit: 1, authMethods: [] };
const query = new URLSearchParams();

test('a server that is not ready answers 503 with Retry-After, is still alive, and reveals nothing else', async () => {
  const pages = apiDocuments([], identity, async () => ({ up: false }));
  const answers = await Promise.all(
    ['/healthz', '/readyz'].map((wanted) => pages.find(({ path }) => path === wanted)?.get({}, query)),
  );
  const type = { 'content-type': 'application/json; charset=utf-8' };
  assert.deepEqual(answers, [
    { status: 200, headers: type, body: '{"status":"UP"}' },
    { status: 503, headers: { ...type, 'retry-after': '5' }, body: '{"status":"DOWN"}' },
  ]);
});

test('security.txt is never expired: its expiry moves with the day', async () => {
  const time = { now: Date.UTC(2026, 10, 20, 23, 59) };
  const page = securityTxtPage({ now: () => time.now }, (expires) => expires);
  const expiresAt = async () => {
    const answer = await page.get({}, query);
    return 'body' in answer ? answer.body : answer.slug;
  };
  assert.equal(await expiresAt(), '2027-09-16T00:00:00Z');
  time.now += 60_000;
  assert.equal(await expiresAt(), '2027-09-17T00:00:00Z');
});
