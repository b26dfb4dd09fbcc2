import { createHash } from 'node:crypto';
import type { PageRoute } from '../api/page-route.ts';

/** Scalar shows samples in curl, Node.js, Python and Java. It hides all others that it knows. */
const hiddenClients = {
  ...Object.fromEntries(
    'c clojure csharp dart fsharp go http js julia kotlin objc ocaml php powershell r ruby rust swift'
      .split(' ')
      .map((language) => [language, true]),
  ),
  java: ['asynchttp', 'okhttp', 'unirest'],
  node: ['axios', 'ofetch', 'undici'],
  python: ['requests', 'aiohttp', 'httpx_sync', 'httpx_async'],
  shell: ['httpie', 'wget'],
};

/** The header of the page, whose height Scalar reads, and colors with more contrast than those of Scalar. */
const css = `:root { --scalar-custom-header-height: 3rem; }
body { margin: 0; }
body > header { position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: 3rem; padding-inline: 1.25rem; display: flex;
  gap: 1.5rem; align-items: center; overflow-x: auto; white-space: nowrap; font: 0.9rem system-ui, sans-serif;
  color: var(--scalar-color-1); background: var(--scalar-background-1); border-block-end: 1px solid var(--scalar-border-color); }
body > header a { color: inherit; }
.light-mode { --scalar-color-3: #636363; --scalar-color-green: #006e45; --scalar-color-blue: #00639e; --scalar-color-red: #b80008;
  --scalar-color-orange: #a33b00; }
.dark-mode { --scalar-color-3: #a0a0a0; --scalar-color-red: #ff6b6b; }`;

/** The configuration of Scalar. Everything that would call another host is off, and the policy of the page blocks it as well. */
const configuration = {
  url: '/openapi.json',
  title: 'Reference – citizen-services',
  favicon: '/favicon.ico',
  customCss: css,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  documentDownloadType: 'direct',
  hiddenClients,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  featuredClients: ['shell/curl', 'node/fetch', 'python/python3', 'java/nethttp'],
  authentication: {
    preferredSecurityScheme: 'accessToken',
    securitySchemes: { pastedToken: { type: 'http', scheme: 'bearer', description: 'An access token that you have.' } },
  },
};

// It runs before the script of Scalar. The library of schemas in Scalar tries eval, which the policy of the page forbids, unless
// `jitless` is set.
const script = `'use strict';
globalThis.__zod_globalConfig = { jitless: true };
document.addEventListener('DOMContentLoaded', () => {
  if (globalThis.Scalar === undefined) return;
  const configuration = ${JSON.stringify(configuration)};
  configuration.generateOperationSlug = ({ operationId }) => operationId;
  const place = document.createElement('div');
  document.querySelector('link[rel="stylesheet"]').remove();
  document.querySelector('header').append(document.querySelector('#links'));
  document.querySelector('main').replaceWith(place);
  Scalar.createApiReference(place, configuration);
});
`;

/** The path contains a hash of the content, so that browsers may cache it forever. */
export const referenceScriptPath = `/assets/${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`;

/** The script that replaces the plain page with Scalar. */
export const referenceScript: PageRoute = {
  path: referenceScriptPath,
  get: async () => ({
    status: 200,
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    },
    body: script,
  }),
};
