import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ContentCoding, chooseContentCoding, encodeContent } from '../api/content-coding.ts';
import type { PageRoute } from '../api/page-route.ts';
import { sessionWarningCss } from './session-warning.ts';

const css = `${readFileSync(new URL('stylesheet.css', import.meta.url), 'utf8')
  .replaceAll(/\/\*[\s\S]*?\*\//g, '')
  .replaceAll(/\s*\n\s*/g, '\n')
  .trim()}
${sessionWarningCss}`;

type AssetHeaders = Readonly<Record<string, string>> & { readonly 'content-type': string };

/** The route of a text under `/assets/`. The path contains a hash of the content, so that browsers may cache it forever. */
export function textAsset(text: string, extension: string, headers: AssetHeaders): PageRoute {
  const coded = new Map<ContentCoding, Buffer>();
  return {
    path: assetPath(text, extension),
    get: async (_params, _query, acceptEncoding) => {
      const coding = chooseContentCoding(acceptEncoding);
      const body = coded.get(coding) ?? Buffer.from(await encodeContent(Buffer.from(text), coding));
      coded.set(coding, body);
      const common = { ...headers, 'cache-control': immutable, vary: 'accept-encoding' };
      return { status: 200, headers: coding === 'identity' ? common : { ...common, 'content-encoding': coding }, body };
    },
  };
}

/** The route of a picture under `/assets/`. It is not compressed. */
export function pictureAsset(bytes: Buffer, extension: string, headers: AssetHeaders): PageRoute {
  return {
    path: assetPath(bytes, extension),
    get: async () => ({ status: 200, headers: { ...headers, 'cache-control': immutable }, body: bytes }),
  };
}

const immutable = 'public, max-age=31536000, immutable';

function assetPath(content: string | Buffer, extension: string): string {
  return `/assets/${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${extension}`;
}

/** The stylesheet with more rules after it, such as the colour of the operator. */
export function createStylesheet(moreCss = ''): PageRoute {
  return textAsset(`${css}\n${moreCss}`, 'css', { 'content-type': 'text/css; charset=utf-8' });
}

/** The stylesheet of the pages for developers. */
export const stylesheet: PageRoute = createStylesheet();

export const stylesheetPath = stylesheet.path;

const faviconSvg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b4f9e"/><path d="m4 8.5 3 3 5-7" fill="none" stroke="#fff" stroke-width="2"/></svg>`;

/** The icon of all pages, at the path where browsers look for it. */
export const favicon: PageRoute = {
  path: '/favicon.ico',
  get: async () => ({
    status: 200,
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' },
    body: faviconSvg,
  }),
};
