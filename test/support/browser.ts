import { accessSync, constants, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import type { CleanupScope } from './server-process.ts';
import { makeTestFolder } from './test-folder.ts';

const programNames = ['chromium', 'chromium-browser', 'google-chrome'];
const program = findChromium();

/** The `skip` option of tests that need a real Chromium. */
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
 * Starts the Chromium of the system without a window, with a new empty profile; both are removed after the test. Playwright
 * controls it over a pipe, and Chromium ends when the pipe closes. Only names of this machine are resolved.
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
    // The environment of the test is not inherited: its proxy would see the requests of the pages.
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
  });
  t.after(async () => {
    await browser.close();
    // Retries: processes of Chromium may still be writing.
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });
  return browser;
}

/** How a page is viewed: `locale` is sent in Accept-Language. */
export type PageView = {
  readonly scheme: 'light' | 'dark';
  readonly widthPx: number;
  readonly locale: string;
  readonly script?: 'on' | 'off';
  /** The colours of the system replace those of the page. */
  readonly forcedColours?: boolean;
};

/** An open page, observed from its first byte; `await using` closes it. */
export type OpenedPage = AsyncDisposable & {
  readonly page: Page;
  readonly status: number | undefined;
  /** The faults so far: console errors, violations of the content security policy, requests to another origin. */
  readonly errors: readonly string[];
};

/** Opens an address in a new window with its own cookies and cache. The content security policy of the page applies. */
export async function openPage(browser: Browser, url: string, view: PageView): Promise<OpenedPage> {
  const context = await browser.newContext({
    colorScheme: view.scheme,
    viewport: { width: view.widthPx, height: 800 },
    locale: view.locale,
    forcedColors: view.forcedColours === true ? 'active' : 'none',
  });
  const page = await context.newPage();
  if (view.script === 'off') await turnScriptsOff(page);
  const errors = collectPageErrors(page, new URL(url).origin);
  // The event also reports violations that the console does not show, such as those of a report-only policy.
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    console.error('against the policy:', event.effectiveDirective, event.blockedURI);
  })`);
  const response = await page.goto(url);
  return { page, status: response?.status(), errors, [Symbol.asyncDispose]: () => context.close() };
}

/** The sessions of the debugger protocol, one for each page. */
const sessions = new WeakMap<Page, CDPSession>();
const pagesWithoutScript = new WeakSet<Page>();

async function sessionOf(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  return session;
}

/** From now on the page runs no scripts. The option `javaScriptEnabled` of a context would also stop the timers of axe. */
export async function turnScriptsOff(page: Page): Promise<void> {
  await setScripts(page, 'off');
  pagesWithoutScript.add(page);
}

async function setScripts(page: Page, state: 'on' | 'off'): Promise<void> {
  const session = await sessionOf(page);
  await session.send('Emulation.setScriptExecutionDisabled', { value: state === 'off' });
}

function collectPageErrors(page: Page, origin: string): readonly string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    // This message does not name the failed resource; the listeners below do.
    const isLoadFailure = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isLoadFailure) errors.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(`script: ${error.message}`));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) errors.push(`another origin: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    errors.push(`not loaded: ${request.url()}: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    // A page may have the status 404; a missing image or stylesheet is a fault.
    const isPage = response.request().isNavigationRequest();
    if (response.status() >= 400 && !isPage) errors.push(`not loaded: ${response.url()}: ${response.status()}`);
  });
  return errors;
}

const axeTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const axeRulesOfWidth = ['scrollable-region-focusable', 'target-size'];
const axeRulesOfColours = ['color-contrast', 'link-in-text-block'];
/** The rules whose result depends on the texts of a page, and not only on its elements. */
const axeRulesOfTexts = [
  ...['aria-command-name', 'aria-input-field-name', 'aria-progressbar-name', 'aria-toggle-field-name', 'button-name'],
  ...['document-title', 'empty-heading', 'empty-table-header', 'frame-title', 'html-has-lang', 'html-lang-valid'],
  ...['html-xml-lang-mismatch', 'image-alt', 'image-redundant-alt', 'input-button-name', 'label', 'label-title-only'],
  ...['label-content-name-mismatch', 'landmark-unique', 'link-name', 'page-has-heading-one', 'select-name'],
  ...['summary-name', 'svg-img-alt', 'table-duplicate-name', 'valid-lang'],
];

/** The rules to check: all, or those whose result depends on these properties of a page. */
export type AxeRules = 'all' | 'width' | 'colours and width' | 'texts and width';

const axeOptions: Readonly<Record<AxeRules, axe.RunOptions>> = {
  all: { runOnly: axeTags },
  width: { runOnly: axeRulesOfWidth },
  'colours and width': { runOnly: [...axeRulesOfColours, ...axeRulesOfWidth] },
  'texts and width': { runOnly: [...axeRulesOfTexts, ...axeRulesOfWidth] },
};

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * The violations that axe finds of WCAG 2.0 to 2.2 A and AA and of its best practices. One line for each element: rule,
 * selector, advice. The debugger protocol injects axe, which the content security policy of the page does not block, so the
 * policy stays in force. On a page without scripts, they are on during the check, because axe needs timers.
 */
export async function accessibilityViolations(page: Page, rules: AxeRules = 'all'): Promise<string[]> {
  const isWithoutScript = pagesWithoutScript.has(page);
  if (isWithoutScript) await setScripts(page, 'on');
  const options = JSON.stringify({ ...axeOptions[rules], resultTypes: ['violations'], reporter: 'no-passes' });
  const run = `axe.run(document, ${options}).then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => id + ': ' + target.flat().join(' ') + ': ' + help)))`;
  const isMissing = await evaluateInPage<boolean>(page, `typeof axe === 'undefined'`);
  if (isMissing) await evaluateInPage(page, axeSource);
  const violations = await evaluateInPage<string[]>(page, run);
  if (isWithoutScript) await setScripts(page, 'off');
  return violations;
}

/** Like `page.evaluate`, which compiles a large text for each page again: this takes half as long for axe. */
async function evaluateInPage<T>(page: Page, expression: string): Promise<T> {
  const session = await sessionOf(page);
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  // The caller names the type of its expression.
  return result.value as T;
}

/** The elements that extend beyond the width of a page that scrolls sideways; empty for any other page. */
export async function overflowingElements(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isWide = ({ left, right }) => left < 0 || right > clientWidth;
    const wide = [document.body, ...document.querySelectorAll('body *')].filter((one) => isWide(one.getBoundingClientRect()));
    return [scrollWidth + ' px in ' + clientWidth, ...wide.map((one) => one.outerHTML.slice(0, 100))];
  })()`);
}
