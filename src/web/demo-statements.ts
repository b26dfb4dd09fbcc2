import type { PageRoute } from '../api/page-route.ts';
import { html } from './html.ts';
import { apiPage, type DemoMark } from './page.ts';

const path = '/demo/statements';

/** The settings of the footer links in a demo that sets none: parts of one page, so that no link is broken. */
export const demoFooterSettings = {
  accessibilityUrl: `${path}#accessibility`,
  privacyUrl: `${path}#privacy`,
  helpUrl: `${path}#help`,
} as const;

/** The page to which the footer of a demo links, in place of the pages of an authority. */
export function demoStatementsPage(demo: DemoMark): PageRoute {
  const content = html`<p>The footer of the pages for citizens links to pages of the authority. This page is in their place.</p>
    <h2 id="accessibility">Accessibility</h2>
    <p>In a real installation, <code>ACCESSIBILITY_URL</code> is the address of the accessibility statement.</p>
    <h2 id="privacy">Privacy</h2>
    <p>In a real installation, <code>PRIVACY_URL</code> is the address of the privacy statement. The people of this demo are invented.</p>
    <h2 id="help">Help</h2>
    <p>In a real installation, <code>HELP_URL</code> is a page, an email address or a phone number.</p>`;
  return { path, get: async () => apiPage('Statements and help', content, { demo }) };
}
