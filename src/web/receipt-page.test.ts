import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { defaultSite } from '../../test/support/default-site.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';
import { createConfirmLinks } from '../notifications/inbox/confirm-receipt.ts';
import { mountReceiptPage } from './receipt-page.ts';

test('while the database is unavailable, a citizen sees a page with 503 and the log has the fault', async (t) => {
  const away = new Error('the database is away');
  const faults: unknown[] = [];
  const createId = createIdGenerator(systemClock, systemRandom);
  const links = createConfirmLinks('', new Uint8Array(32));
  const parts = {
    clock: systemClock,
    createId,
    senderOf: async () => ({ name: 'Tax Office' }),
    site: defaultSite,
    publicUrl: 'https://services.example.gov',
    calendar: { holidays: new Set<string>() },
    read: () => Promise.reject(away),
    commit: () => Promise.reject(away),
    onFault: (fault: unknown) => void faults.push(fault),
  };
  const server = createServer(mountReceiptPage(parts, links).handler).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (const method of ['GET', 'POST', 'HEAD']) {
    const headers = { 'accept-language': 'de' };
    const answer = await fetch(`http://127.0.0.1:${port}${links.linkFor(createId('delivery'))}`, { method, headers });
    assert.equal(answer.status, 503);
    const text = await answer.text();
    if (method === 'HEAD') assert.equal(text, '');
    else assert.match(text, /<html lang="de"[\s\S]*<h1>Das ist gerade nicht möglich<\/h1><p>Versuchen Sie es in /);
    // Search engines must not list the links of mails, and caches must not mix languages.
    const [robots, vary] = ['x-robots-tag', 'vary'].map((name) => answer.headers.get(name));
    assert.deepEqual([robots, vary], ['noindex', 'accept-language, cookie']);
  }
  assert.deepEqual(faults, [away, away, away]);
});
