/**
 * Draws docs/pages.png, the picture of the pages in the README: starts a demo, signs in as an invented citizen in the Chromium of
 * the system, and joins the pictures of four pages.
 *
 *     node scripts/page-picture.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openBrowser, openPage } from '../test/support/browser.ts';
import { makeServerFixture } from '../test/support/server-process.ts';

const endings: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => void endings.push(end) };
const view = { scheme: 'light', widthPx: 430, locale: 'en' } as const;
const heightPx = 620;

type Shot = { readonly caption: string; readonly image: string };

/** Takes the pictures of the pages, each as a data URL. */
async function takeShots(browser: Browser, url: string): Promise<Shot[]> {
  await using seen = await openPage(browser, `${url}/me/sign-in?to=/me`, view);
  const { page } = seen;
  await page.setViewportSize({ width: view.widthPx, height: heightPx });
  await page.getByText('Mary Smith', { exact: false }).first().click();
  await page.waitForURL(`${url}/me**`);
  const shots: Shot[] = [];
  for (const [path, caption] of [
    ['/me', 'Messages of a citizen'],
    ['/me/uses', 'Use of your data'],
    ['/docs', 'API reference'],
    ['/docs/guide/verify', 'Guides for service teams'],
  ] as const) {
    await page.goto(`${url}${path}`, { waitUntil: 'networkidle' });
    // The API reference is empty until its script has run.
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    const image = await page.screenshot({ type: 'png' });
    shots.push({ caption, image: `data:image/png;base64,${image.toString('base64')}` });
  }
  return shots;
}

/** Joins the pictures side by side with their captions. */
async function joinShots(browser: Browser, shots: readonly Shot[]): Promise<Buffer> {
  const figures = shots.map(
    ({ caption, image }) =>
      `<figure><img src="${image}" width="${view.widthPx}" /><figcaption>${caption}</figcaption></figure>`,
  );
  const context = await browser.newContext({ viewport: { width: 460 * shots.length, height: heightPx + 80 } });
  const page = await context.newPage();
  await page.setContent(`<style>
    body { display: flex; gap: 20px; margin: 16px; background: #fff; font: 600 22px system-ui, sans-serif; }
    figure { margin: 0; } img { border: 1px solid #888; border-radius: 6px; display: block; } figcaption { margin-top: 10px; }
  </style>${figures.join('')}`);
  return await page.screenshot({ type: 'png', fullPage: true });
}

try {
  const home = await makeServerFixture(scope);
  await home.start();
  await home.fetchAccessToken();
  const browser = await openBrowser(scope);
  const path = join(import.meta.dirname, '../docs/pages.png');
  writeFileSync(path, await joinShots(browser, await takeShots(browser, home.url)));
  console.log(`page-picture: wrote ${path}, ${readFileSync(path).length} bytes`);
} finally {
  for (const end of endings.reverse()) await end();
}
