import { accessSync, constants, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { CleanupScope } from './server-process.ts';
import { makeTestFolder } from './test-folder.ts';

const programNames = ['chromium', 'chromium-browser', 'google-chrome'];
const program = findChromium();

/** What `skip` of a test takes: it needs a real Chromium. */
export const browserSkipReason: string | false =
  program === undefined
    ? 'no Chromium is there: apt-get install --no-install-recommends chromium, or name one in CHROMIUM_PATH'
    : false;

function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const all = programNames.flatMap((name) => folders.map((folder) => join(folder, name)));
  return (named === undefined ? all : [named]).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Starts the Chromium of the system without a window, with a new empty profile; it is gone after the test. Playwright talks to
 * it over a pipe, whose end is its end too. No name but this machine's own is ever looked up.
 */
export async function openBrowser(t: CleanupScope): Promise<Browser> {
  if (program === undefined) throw new Error(String(browserSkipReason));
  const home = makeTestFolder('cs-browser-');
  const browser = await chromium.launch({
    executablePath: program,
    // Chromium refuses to run as root within its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    // Playwright adds --no-first-run, --disable-background-networking, --disable-component-update, --disable-sync.
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
    // Nothing of the test's own environment: a proxy of it would see what the pages ask for.
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
  });
  t.after(async () => {
    await browser.close();
    // With some patience: processes of it may be writing their last.
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });
  return browser;
}

/** How somebody looks at a page: `locale` is what the browser asks for in Accept-Language. */
export type PageView = {
  readonly scheme: 'light' | 'dark';
  readonly widthPx: number;
  readonly locale: string;
  readonly script?: 'on' | 'off';
};

/** A page that is open in a browser, from its first byte on; `await using` closes it. */
export type OpenedPage = AsyncDisposable & {
  readonly page: Page;
  readonly status: number | undefined;
  /** What went wrong so far: errors of the console, what the policy of the page forbids, requests to another origin. */
  readonly errors: readonly string[];
};

/** Opens an address in a window, cookies and cache of its own. The policy of the page is in force, as for everybody. */
export async function openPage(browser: Browser, url: string, view: PageView): Promise<OpenedPage> {
  const context = await browser.newContext({
    colorScheme: view.scheme,
    viewport: { width: view.widthPx, height: 800 },
    locale: view.locale,
    javaScriptEnabled: view.script !== 'off',
  });
  const page = await context.newPage();
  const errors = collectPageErrors(page, new URL(url).origin);
  // A listener of the document hears of more than the console tells: a policy that only reports, for one.
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    console.error('against the policy:', event.effectiveDirective, event.blockedURI);
  })`);
  const response = await page.goto(url);
  return { page, status: response?.status(), errors, [Symbol.asyncDispose]: () => context.close() };
}

function collectPageErrors(page: Page, origin: string): readonly string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    // It does not name what did not load; the listeners below do.
    const isOfLoading = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isOfLoading) errors.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(`script: ${error.message}`));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) errors.push(`another origin: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    errors.push(`not loaded: ${request.url()}: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    // A page that is answered with 404 is a page all the same; a picture or a style that is not there is a fault.
    const isPage = response.request().isNavigationRequest();
    if (response.status() >= 400 && !isPage) errors.push(`not loaded: ${response.url()}: ${response.status()}`);
  });
  return errors;
}

const axeTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * What axe finds against WCAG 2.0 to 2.2 A and AA and its best practices, a line for each element: rule, where, what to do. It
 * comes into the page past its policy, by the protocol of the debugger, so that the page is judged as everybody sees it. Not
 * for a page whose scripts are off.
 */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: axeTags, resultTypes: ['violations'] });
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.flat().join(' ')}: ${help}`),
  );
}

/** The elements that reach beyond the sides of a page that has to be scrolled sideways; none when it has not. */
export async function overflowingElements(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isWide = ({ left, right }) => left < 0 || right > clientWidth;
    const wide = [document.body, ...document.querySelectorAll('body *')].filter((one) => isWide(one.getBoundingClientRect()));
    return [scrollWidth + ' px in ' + clientWidth, ...wide.map((one) => one.outerHTML.slice(0, 100))];
  })()`);
}
