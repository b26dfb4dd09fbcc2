import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { createBrowserNotFoundPage } from './not-found-page.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

function shown(url: string, accept: string, refusal: Refusal = refuse('not-found')) {
  const request = Object.assign(new IncomingMessage(new Socket()), { url, headers: { accept } });
  return createBrowserNotFoundPage()(request, refusal);
}

test('a browser at an unknown path gets a page with a link to the start page', async () => {
  for (const [url, slug] of [
    ['/docs/', 'not-found'],
    ['/v1x?a', 'not-found'],
    ['/problems/none', 'problem-not-found'],
  ] as const) {
    const answer = await shown(url, browser, refuse(slug));
    assert.deepEqual([answer?.status, answer?.headers['vary']], [404, 'accept'], url);
    assert.match(String(answer?.body), /<h1>Nothing here<\/h1>[\s\S]*<a href="\/">/);
  }
});

test('a program, and a browser at an API path, get the problem', () => {
  for (const accept of ['', '*/*', 'application/json', 'application/problem+json, text/html;q=0.5'])
    assert.equal(shown('/docs/', accept), undefined, accept);
  for (const url of ['/v1/nothing', '/v1', '/oauth2/nothing', '/ledger/nothing', '/.well-known/nothing'])
    assert.equal(shown(url, browser), undefined, url);
  assert.equal(shown('/docs', browser, refuse('method-not-allowed')), undefined);
});
