import { html } from 'hono/html';
import type { Page } from '../api/server.ts';
import { page } from './page.ts';

/** The page at the root: what this server is, and where everything stands. */
export function startPage(links: Readonly<Record<string, string>>): Page {
  return {
    path: '/',
    get: async () =>
      page(
        'citizen-services',
        html`<p>Verify identity claims, send official notifications, retrieve secure documents.</p>
          <ul>${Object.entries(links).map(([path, label]) => html`<li><a href="${path}">${label}</a></li>`)}</ul>`,
      ),
  };
}
