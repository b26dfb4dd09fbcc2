import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations, browserSkipReason, overflowingElements } from '../support/browser.ts';
import { startBrowserDemo } from '../support/browser-demo.ts';
import { createHttpClient, fetchOnce, postJson } from '../support/http-client.ts';
import { waitUntil } from '../support/wait-until.ts';

const skip = browserSkipReason;
const demo = startBrowserDemo();

type Mail = { readonly citizenId: string; readonly subject: string; readonly message: string };

/** The parts of a mail in the outbox. */
async function mailsInOutbox(): Promise<string[]> {
  const outbox = await (await fetchOnce(`${demo.server.url}/outbox`)).text();
  return outbox.split('<article>').slice(1);
}

/** Sends a mail to a citizen of the demo, and returns the path of its link when it is in the outbox. */
async function linkOfMail(mail: Mail): Promise<string> {
  const body = { ...mail, channels: ['email'] };
  const sent = await createHttpClient(demo.server.url)(
    postJson(await demo.server.fetchAccessToken(), '/v1/notifications/send', body),
  );
  assert.equal(sent.status, 202, String(sent.body));
  let path: string | undefined;
  await waitUntil(async () => {
    const own = (await mailsInOutbox()).find((text) => text.includes(mail.subject));
    path = /http:\S+(\/received\/[\w.-]+)/.exec(own ?? '')?.[1];
    return path !== undefined;
  });
  return path ?? '';
}

const mailToMary = (subject: string): Mail => ({ citizenId: 'demo-mary', subject, message: 'Your permit is ready.' });

/** A page, its title, and the requested language. Pages for citizens are in that language. */
type Expected = { readonly path: string; readonly locale: string; readonly title: string; readonly status?: number };

/** The title, language and headings of a page for tabs and screen readers. */
async function outlineOf(page: Page) {
  return await page.evaluate<{ lang: string; dir: string; title: string; headings: number }>(`({
    lang: document.documentElement.lang,
    dir: document.documentElement.dir,
    title: document.title,
    headings: document.querySelectorAll('h1').length,
  })`);
}

/** Each color scheme and each width once: contrast depends on the scheme, and layout on the width. */
const looks = [
  { scheme: 'light', widthPx: 360 },
  { scheme: 'dark', widthPx: 1000 },
] as const;

/**
 * Checks a page in a narrow light and in a wide dark window, and without scripts at the width of WCAG 1.4.10. The
 * accessibility tree must be the same each time.
 */
async function checkPage({ path, locale, title, status = 200 }: Expected): Promise<void> {
  const lang = path.startsWith('/received') ? locale : 'en';
  const readOut = new Set<string>();
  for (const look of looks) {
    await using seen = await demo.open(`${path}`, { ...look, locale });
    const { page, errors } = seen;
    const where = `${path} in ${locale}, ${look.scheme}, ${look.widthPx} px`;
    assert.deepEqual(await outlineOf(page), { lang, dir: 'ltr', title, headings: 1 }, where);
    const found = { overflow: await overflowingElements(page), axe: await accessibilityViolations(page) };
    assert.deepEqual(
      { status: seen.status, faults: errors, ...found },
      { status, faults: [], overflow: [], axe: [] },
      where,
    );
    readOut.add(await page.locator('body').ariaSnapshot());
  }
  const plain = { scheme: 'light', widthPx: 320, locale, script: 'off' } as const;
  await using seen = await demo.open(`${path}`, plain);
  const { page, errors } = seen;
  assert.deepEqual(
    [seen.status, errors, await overflowingElements(page)],
    [status, [], []],
    `${path} in ${locale}, no scripts`,
  );
  readOut.add(await page.locator('body').ariaSnapshot());
  assert.equal(readOut.size, 1, [...readOut].join('\n\n'));
}

for (const [path, title] of Object.entries({
  '/': 'Your official messages and documents – Public services',
  '/problems': 'Problems – citizen-services',
  '/problems/citizen-not-found': 'Citizen not found – citizen-services',
})) {
  test(`${path} has no faults in narrow and wide windows, with light and dark colors, with and without scripts`, {
    skip,
  }, async () => {
    await checkPage({ path, title, locale: 'en' });
  });
}

test('/outbox has no faults with a message from right to left and one long message without a space', {
  skip,
}, async () => {
  const address = `https://permits.example/${'renewal-'.repeat(30)}`;
  await linkOfMail({ citizenId: 'demo-mary', subject: 'x'.repeat(120), message: `Renew it at ${address} by Friday.` });
  const arabic = 'صدر تصريح الوقوف رقم 2026/119 في 20 November 2026.';
  await linkOfMail({ citizenId: 'demo-layla', subject: 'تصريح الوقوف', message: arabic });
  // Waits for the mails of the demo too, so that none arrives between two checks.
  await waitUntil(async () => (await mailsInOutbox()).length >= demo.server.readDemoFile().documents.length + 2);
  await checkPage({ path: '/outbox', title: 'Outbox – citizen-services', locale: 'en' });
  await using seen = await demo.open('/outbox', { scheme: 'light', widthPx: 360, locale: 'en' });
  const lines = "[...document.querySelectorAll('time')].map((one) => one.getClientRects().length)";
  assert.deepEqual(new Set(await seen.page.evaluate<number[]>(lines)), new Set([1]), 'no date is broken into lines');
});

test('the site name is aligned with the content of the page at any window width', { skip }, async () => {
  for (const widthPx of [360, 1000, 1600]) {
    await using seen = await demo.open('/problems', { scheme: 'light', widthPx, locale: 'en' });
    const begin = async (place: string) => (await seen.page.locator(place).boundingBox())?.x;
    assert.equal(await begin('.masthead a'), await begin('h1'), `${widthPx} px`);
  }
});

const words = {
  en: {
    ask: 'Confirm that you received the message – Demo Permit Service',
    done: 'You confirmed that you received the message – Demo Permit Service',
    unknown: 'This link does not work – Public services',
  },
  de: {
    ask: 'Bestätigen Sie, dass Sie die Nachricht erhalten haben – Demo Permit Service',
    done: 'Sie haben bestätigt, dass Sie die Nachricht erhalten haben – Demo Permit Service',
    unknown: 'Dieser Link funktioniert nicht – Öffentliche Verwaltung',
  },
} as const;

for (const locale of ['en', 'de'] as const) {
  const { ask, done, unknown } = words[locale];

  test(`the confirmation page has no faults before and after the confirmation, in ${locale}`, {
    skip,
  }, async () => {
    const path = await linkOfMail(mailToMary(`Readable in ${locale}`));
    await checkPage({ path, locale, title: ask });
    await checkPage({ path: path.slice(0, -1), locale, title: unknown, status: 404 });
    const { status } = await fetch(`${demo.server.url}${path}`, { method: 'POST', redirect: 'manual' });
    assert.equal(status, 303);
    await checkPage({ path, locale, title: done });
  });

  test(`a citizen can confirm the receipt with the keyboard only and without scripts, in ${locale}`, {
    skip,
  }, async () => {
    const path = await linkOfMail(mailToMary(`By keyboard in ${locale}`));
    const view = { scheme: locale === 'en' ? 'light' : 'dark', widthPx: 360, locale, script: 'off' } as const;
    await using seen = await demo.open(`${path}`, view);
    const { page, errors } = seen;
    const unfocused = await page.screenshot();
    // The first stop is the link to the main part.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<{ name: string; line: string }>(`(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      return { name: document.activeElement.localName, line: outlineStyle + ' ' + outlineWidth };
    })()`);
    assert.deepEqual(focused, { name: 'button', line: 'solid 3px' });
    assert.ok(!unfocused.equals(await page.screenshot()), 'it can be seen that the button has the focus');
    const next = page.waitForEvent('load');
    await page.keyboard.press('Enter');
    await next;
    assert.deepEqual([await page.title(), page.url()], [done, `${demo.server.url}${path}`]);
    await page.reload();
    assert.deepEqual([await page.title(), errors], [done, []], 'and looked at again it asks nothing');
  });
}

test('the Tab key reaches each link and table in the order of the page, with a visible focus', {
  skip,
}, async () => {
  for (const path of ['/', '/problems', '/problems/citizen-not-found']) {
    await using seen = await demo.open(`${path}`, { scheme: 'dark', widthPx: 360, locale: 'en' });
    const { page } = seen;
    const inOrder = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a, [tabindex="0"]')].map((one) => one.href ?? one.getAttribute('aria-label'))`,
    );
    const reached: string[] = [];
    for (const _ of inOrder) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate<string>(`(() => {
          const one = document.activeElement;
          const isShown = getComputedStyle(one).outlineStyle === 'solid';
          return isShown ? one.href ?? one.getAttribute('aria-label') : one.localName + ' shows nothing';
        })()`),
      );
    }
    assert.deepEqual(reached, inOrder, path);
  }
});
