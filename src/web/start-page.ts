import type { IncomingMessage } from 'node:http';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { Cookies } from './browser-cookies.ts';
import { renderLayout } from './citizen-layout.ts';
import { citizenTextsOf } from './citizen-texts.ts';
import { type Html, html } from './html.ts';
import { outboxPath } from './outbox-page.ts';
import { apiPage } from './page.ts';
import { chooseLocale, switchLanguage } from './page-language.ts';
import { citizenPaths } from './sign-in-flow.ts';
import type { SiteFrame } from './site-frame.ts';
import { staffPaths } from './staff/staff-area.ts';

type StartPageOptions = {
  readonly publicUrl: string;
  readonly frame: SiteFrame;
  readonly cookies: Pick<Cookies, 'read' | 'write'>;
  readonly hasCitizenPages: boolean;
  readonly hasStaffPages: boolean;
  readonly hasOutbox: boolean;
};

/** The page at `/`: for citizens, if this server has pages for them, with the links for developers below. */
export function mountStartPage(options: StartPageOptions): MountedHandler {
  return {
    paths: ['/'],
    methods: ['GET', 'HEAD'],
    handler: (request, response) => sendBuffered(response, startPage(options, request)),
  };
}

function startPage(options: StartPageOptions, request: Pick<IncomingMessage, 'url' | 'method' | 'headers'>) {
  if (!options.hasCitizenPages) {
    const about = html`<p>Verify identity claims, send official notifications, retrieve secure documents.</p>`;
    return apiPage('citizen-services', html`${about}${developerLinks(options)}`, { demo: options.frame.demo });
  }
  return switchLanguage(options.cookies, request) ?? citizenStartPage(options, request);
}

function citizenStartPage(
  options: StartPageOptions,
  request: Pick<IncomingMessage, 'url' | 'headers'>,
): BufferedResponse {
  const { frame, cookies, publicUrl } = options;
  const words = citizenTextsOf(chooseLocale(cookies, request), frame.timeZone);
  const { title, text, link } = words.signIn;
  const content = html`<p class="lead">${text}</p>
    <p><a class="action" href="${publicUrl}${citizenPaths.signIn}">${link}</a></p>
    <section class="developers" lang="en" dir="ltr" aria-labelledby="developers">
      <h2 id="developers">For developers</h2>
      ${developerLinks(options)}
    </section>`;
  const page = renderLayout({ words, site: frame.name, frame, url: '/' }, { title, content });
  return { ...page, headers: { ...page.headers, vary: 'accept-language, cookie' } };
}

function developerLinks({ hasOutbox, hasStaffPages, frame }: StartPageOptions): Html {
  const links = {
    '/docs': 'API reference',
    '/docs/guide': 'Guides for service teams',
    '/problems': 'Problems',
    '/openapi.json': 'OpenAPI 3.1',
    '/openapi-3.0.json': 'OpenAPI 3.0',
    ...(hasStaffPages && frame.demo !== undefined ? { [staffPaths.home]: 'Staff pages of this demo' } : {}),
    ...(hasOutbox ? { [outboxPath]: 'Outbox of this demo' } : {}),
  };
  return html`<ul>${Object.entries(links).map(([path, label]) => html`<li><a href="${path}">${label}</a></li>`)}</ul>`;
}
