import type { PageRoute } from '../api/page-route.ts';
import { refuse } from '../kernel/refusal.ts';
import { reasonPagePath } from '../wallet/presentation-shape.ts';
import { reasonTexts } from '../wallet/reason-texts.ts';
import { html } from './html.ts';
import { apiPage, type DemoMark } from './page.ts';

/** The list of the reasons why a presentation has no result, and a page for each: `page` of every reason is the URL of its page. */
export const presentationReasonPages = (demo?: DemoMark): readonly PageRoute[] => [
  {
    path: reasonPagePath,
    get: async () =>
      apiPage(
        'Reasons of presentations',
        html`<p>A presentation without a result has one of these reasons. Its <code>page</code> is the URL of its page.</p>
          <div role="region" aria-label="Reasons" tabindex="0"><table>
            <thead><tr><th scope="col">Reason</th><th scope="col">Code</th></tr></thead>
            <tbody>${Object.entries(reasonTexts).map(
              ([code, { title }]) =>
                html`<tr><td><a href="${reasonPagePath}/${code}">${title}</a></td><td><code>${code}</code></td></tr>`,
            )}</tbody>
          </table></div>`,
        { current: '/problems', demo },
      ),
  },
  {
    path: `${reasonPagePath}/:code`,
    get: async ({ code }) => {
      const [, text] = Object.entries(reasonTexts).find(([name]) => name === code) ?? [];
      if (code === undefined || text === undefined) return refuse('problem-not-found');
      return apiPage(
        text.title,
        html`<dl>
            <dt>Code</dt><dd><code>${code}</code></dd>
            <dt>Cause</dt><dd>${text.cause}</dd>
            <dt>Fix</dt><dd>${text.fix}</dd>
          </dl>
          <p><a href="${reasonPagePath}">All reasons</a></p>`,
        { current: '/problems', demo },
      );
    },
  },
];
