import type { PageRoute } from '../api/page-route.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { refuse } from '../kernel/refusal.ts';
import { html } from './html.ts';
import { apiPage, type DemoMark } from './page.ts';

/** The list of all problems, and a page for each: the `type` of every problem is the URL of its page. */
export const problemPages = (demo?: DemoMark): readonly PageRoute[] => [
  {
    path: '/problems',
    get: async () =>
      apiPage(
        'Problems',
        html`<p>Every error response is one of these problems. Its <code>type</code> is the URL of its page.</p>
          <div role="region" aria-label="Problems" tabindex="0"><table>
            <thead><tr><th scope="col">Status</th><th scope="col">Problem</th><th scope="col">Name</th></tr></thead>
            <tbody>${Object.entries(problems).map(
              ([slug, problem]) =>
                html`<tr><td>${problem.status}</td><td><a href="/problems/${slug}">${problem.title}</a></td><td><code>${slug}</code></td></tr>`,
            )}</tbody>
          </table></div>`,
        { current: '/problems', demo },
      ),
  },
  {
    path: '/problems/:slug',
    get: async ({ slug }) => {
      const found = Object.entries(problems).find(([name]) => name === slug);
      if (found === undefined) return refuse('problem-not-found');
      const [name, problem] = found;
      return apiPage(
        problem.title,
        html`<dl>
            <dt>Name</dt><dd><code>${name}</code></dd>
            <dt>Status</dt><dd>${problem.status}</dd>
            <dt>Cause</dt><dd>${problem.cause}</dd>
            <dt>Fix</dt><dd>${problem.fix}</dd>
            <dt>Retry</dt><dd>${problem.retryable ? 'yes: repeat the same request later' : 'no: change the request first'}</dd>
          </dl>
          <p><a href="/problems">All problems</a></p>`,
        { current: '/problems', demo },
      );
    },
  },
];
