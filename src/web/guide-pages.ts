import type { PageRoute } from '../api/page-route.ts';
import { refuse } from '../kernel/refusal.ts';
import { guideDownloads, guideFilePage } from './guide-downloads.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { apiPage, type DemoMark } from './page.ts';

type Guide = { readonly name: string; readonly title: string; readonly html: string };

/** The address of the demo in the samples of the guides. */
const demoUrl = 'http://127.0.0.1:3000';

/**
 * The guides for service teams at `/docs/guide` and `/docs/guide/{name}`, and the files to download. `npm run generate` renders
 * the guides from docs/. Their samples show the URL of this server.
 */
export function guidePages(publicUrl: string, demo?: DemoMark): readonly PageRoute[] {
  return [
    {
      path: '/docs/guide',
      get: async () =>
        apiPage(
          'Guides',
          html`<p>How to call this server from your service. The <a href="/docs">API reference</a> lists every operation.</p>
            ${guideList(await loadGuides())}
            <h2>Files</h2>
            ${fileList(await guideDownloads())}`,
          { current: '/docs/guide', demo },
        ),
    },
    {
      path: '/docs/guide/:name',
      get: async ({ name }) => {
        const guides = await loadGuides();
        const guide = guides.find((one) => one.name === name);
        if (guide === undefined) return refuse('not-found', 'No guide has this name. See the list at /docs/guide.');
        const content = trustedHtml(guide.html.replaceAll(demoUrl, publicUrl));
        return apiPage(
          guide.title,
          html`${content}<nav class="index" aria-label="Guides"><h2>All guides</h2>${guideList(guides)}</nav>`,
          { current: '/docs/guide', demo },
        );
      },
    },
    guideFilePage,
  ];
}

function guideList(guides: readonly Guide[]): Html {
  return html`<ul>${guides.map(({ name, title }) => html`<li><a href="/docs/guide/${name}">${title}</a></li>`)}</ul>`;
}

function fileList(files: Awaited<ReturnType<typeof guideDownloads>>): Html {
  return html`<ul>${files.map(({ name, title }) => html`<li><a href="/docs/guide/files/${name}">${name}</a>: ${title}</li>`)}</ul>`;
}

/** Loaded at the first request, so that a server without readers does not hold the texts in memory. */
async function loadGuides(): Promise<readonly Guide[]> {
  return (await import('./guides.json', { with: { type: 'json' } })).default;
}
