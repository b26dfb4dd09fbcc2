import { readFileSync, statSync } from 'node:fs';
import type { PageRoute } from '../api/page-route.ts';
import { SettingError, type Settings } from '../config/settings.ts';
import { lightenToContrast } from '../kernel/colour-contrast.ts';
import type { DemoMark } from './page.ts';
import { createStylesheet, favicon, pictureAsset, textAsset } from './stylesheet.ts';

/** The choices of the operator for the frame of the pages for citizens. */
export type SiteFrame = {
  /** The name of the site; undefined for the name in the texts. */
  readonly name: string | undefined;
  readonly stylesheetPath: string;
  readonly iconPath: string;
  /** The path of the logo on this server. */
  readonly logoPath: string | undefined;
  /** The operator's pages that the footer links to. */
  readonly footerLinks: { readonly [name in 'accessibility' | 'privacy' | 'help']: string | undefined };
  /** The time zone in which pages show instants. */
  readonly timeZone: string;
  /** The line that marks the pages of a demo. */
  readonly demo: DemoMark | undefined;
};

/** The frame of the settings, and the routes of its stylesheet and logo. A logo that is no picture ends the start. */
export function openSiteFrame(
  settings: Settings,
  demo?: DemoMark,
): { readonly frame: SiteFrame; readonly pages: readonly PageRoute[] } {
  const { citizenPagesName: name, citizenPagesLogo, citizenPagesColour, timeZone } = settings;
  const stylesheet = createStylesheet(brandRules(citizenPagesColour));
  const logo = citizenPagesLogo === undefined ? undefined : logoRoute(citizenPagesLogo);
  const footerLinks = {
    accessibility: settings.accessibilityUrl,
    privacy: settings.privacyUrl,
    help: settings.helpUrl,
  };
  return {
    frame: {
      name,
      timeZone,
      demo,
      footerLinks,
      stylesheetPath: stylesheet.path,
      iconPath: logo?.path ?? favicon.path,
      logoPath: logo?.path,
    },
    pages: logo === undefined ? [stylesheet] : [stylesheet, logo],
  };
}

/** The lightest background of links in the dark scheme of `stylesheet.css`. */
const darkSurface = '#1f2327';

/** The colour of the operator. The dark scheme has a lighter form of it, because links and buttons there are on a dark background. */
function brandRules(colour: string): string {
  const lighter = lightenToContrast(colour, darkSurface, 6);
  return `:root { --brand: ${colour}; --link: ${colour}; }
@media screen and (prefers-color-scheme: dark) { :root { --link: ${lighter}; } }
@media print { :root { --link: #000000; } }`;
}

const maxLogoBytes = 200_000;
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

function logoRoute(path: string): PageRoute {
  const bytes = readLogo(path);
  if (bytes.subarray(0, pngSignature.length).equals(pngSignature))
    return pictureAsset(bytes, 'png', { 'content-type': 'image/png' });
  const text = bytes.toString('utf8');
  if (!/^\s*(?:<\?xml[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>]*>|\s)*<svg[\s>]/i.test(text))
    throw new SettingError('CITIZEN_PAGES_LOGO', 'expected an SVG or PNG file, received another format');
  // Opened by itself, an SVG is a document. This policy keeps its scripts from running.
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";
  return textAsset(text, 'svg', { 'content-type': 'image/svg+xml', 'content-security-policy': policy });
}

function readLogo(path: string): Buffer {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true)
    throw new SettingError('CITIZEN_PAGES_LOGO', `expected the path of a file, received ${JSON.stringify(path)}`);
  if (stats.size > maxLogoBytes) {
    const received = `received ${stats.size}; export the logo for the web`;
    throw new SettingError('CITIZEN_PAGES_LOGO', `expected a file of at most ${maxLogoBytes} bytes, ${received}`);
  }
  try {
    return readFileSync(path);
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? fault.code : fault;
    const problem = `${JSON.stringify(path)} cannot be read by the user of this process (${code})`;
    throw new SettingError('CITIZEN_PAGES_LOGO', problem);
  }
}
