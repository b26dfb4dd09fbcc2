import type { PageRoute } from '../api/page-route.ts';
import { html } from './html.ts';
import { apiPage } from './page.ts';

/** The page at `/` with links to the other pages. */
export function startPage(links: Readonly<Record<string, string>>): PageRoute {
  return {
    path: '/',
    get: async () =>
      apiPage(
        'citizen-services',
        html`<p>Verify identity claims, send official notifications, retrieve secure documents.</p>
          <ul>${Object.entries(links).map(([path, label]) => html`<li><a href="${path}">${label}</a></li>`)}</ul>`,
      ),
  };
}
