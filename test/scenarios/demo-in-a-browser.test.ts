import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accessibilityViolations,
  browserSkipReason,
  type OpenedPage,
  overflowingElements,
} from '../support/browser.ts';
import { startBrowserDemo } from '../support/browser-demo.ts';
import { fetchOnce } from '../support/http-client.ts';
import { waitUntil } from '../support/wait-until.ts';

// The choice of a person and the outbox of the demo, in a real browser.
const skip = browserSkipReason;
const demo = startBrowserDemo({
  prepare: async (server) => {
    await waitUntil(async () => (await (await fetchOnce(`${server.url}/outbox`)).text()).includes('Open the letter'));
  },
});

async function checkPage({ page, errors }: OpenedPage, where: string): Promise<void> {
  const seen = [errors, await overflowingElements(page), await accessibilityViolations(page)];
  assert.deepEqual(seen, [[], [], []], where);
}

const looks = [
  { scheme: 'light', widthPx: 360, locale: 'en' },
  { scheme: 'dark', widthPx: 1_000, locale: 'en' },
] as const;

test('the choice of a person unfolds, signs in, and has no accessibility faults', { skip }, async () => {
  for (const look of looks) {
    await using seen = await demo.open('/me/sign-in?to=/me', look);
    const { page } = seen;
    await checkPage(seen, 'folded');
    assert.equal(await page.getByText('try-nora').isVisible(), false);
    await page.getByText('People for tests of identity verification').click();
    assert.ok(await page.getByText('try-nora').isVisible());
    await checkPage(seen, 'unfolded');
    await page.getByRole('link', { name: 'Łukasz Wiśniewski' }).click();
    await page.waitForURL(`${demo.server.url}/me**`);
    assert.ok(await page.getByText('Decyzja w sprawie podatku od nieruchomości').isVisible());
    await checkPage(seen, 'messages');
  }
});

test('the outbox shows the HTML of a mail, whose links open the message in a new tab', { skip }, async () => {
  for (const look of looks) {
    await using seen = await demo.open('/outbox', look);
    const { page } = seen;
    await checkPage(seen, 'outbox');
    await page.locator('iframe').first().scrollIntoViewIfNeeded();
    const mail = page.frameLocator('iframe').first();
    assert.equal(await mail.locator('li').first().textContent(), 'Ισχύει για μία αποθήκη κήπου έως 12 τ.μ.');
    const opened = page.context().waitForEvent('page');
    await mail.getByRole('link', { name: 'Read this message in your inbox' }).click();
    const tab = await opened;
    await tab.waitForLoadState();
    assert.match(new URL(tab.url()).pathname, /^\/(me|demo)\//);
    await checkPage(seen, 'outbox with a shown mail');
  }
});
