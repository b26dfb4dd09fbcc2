import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityViolations, browserSkipReason, overflowingElements, type PageView } from '../support/browser.ts';
import { startBrowserDemo } from '../support/browser-demo.ts';

// The guides for service teams in a real browser.
const skip = browserSkipReason;
const demo = startBrowserDemo();

/** All guides have one layout, so the dark colours are checked on the list and the first guide only. */
const looks: readonly { readonly look: PageView; readonly guides: number }[] = [
  { look: { scheme: 'light', widthPx: 360, locale: 'en' }, guides: 100 },
  { look: { scheme: 'dark', widthPx: 1440, locale: 'en' }, guides: 1 },
];

for (const { look, guides } of looks) {
  test(`up to ${guides} guides are accessible and have no error, ${look.scheme}, ${look.widthPx} px`, {
    skip,
  }, async () => {
    await using seen = await demo.open('/docs/guide', look);
    const { page, errors } = seen;
    const paths = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[href^="/docs/guide/"]')].map((one) => one.getAttribute('href')).filter((href) => !href.includes('/files/'))`,
    );
    assert.ok(paths.length > 10);
    for (const path of ['/docs/guide', ...paths.slice(0, guides)]) {
      await page.goto(`${demo.server.url}${path}`);
      assert.deepEqual(
        { path, errors, wide: await overflowingElements(page), violations: await accessibilityViolations(page) },
        { path, errors: [], wide: [], violations: [] },
      );
    }
  });
}
