import { readSettings } from '../../src/config/settings.ts';
import { createCookies } from '../../src/web/browser-cookies.ts';
import { openSiteFrame } from '../../src/web/site-frame.ts';

/** The frame of pages for citizens when the operator has set nothing, and the cookies of a site with TLS. */
export const defaultSite = {
  frame: openSiteFrame(readSettings({})).frame,
  cookies: createCookies('https://services.example.gov'),
};
