import type { BufferedResponse } from '../api/buffered-response.ts';
import { groupDescription, groupOf } from '../api/openapi/operation-group.ts';
import type { Operation } from '../api/operation.ts';
import type { PageRoute } from '../api/page-route.ts';
import { html } from './html.ts';
import { apiPage, type DemoMark } from './page.ts';
import { referenceScript, referenceScriptPath } from './reference-script.ts';
import { scalarScript, scalarScriptPath } from './scalar-script.ts';

/** Scripts, only those of this server. Scalar adds its styles to the page, which needs 'unsafe-inline' for styles. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The API reference: Scalar shows /openapi.json. Without scripts, the page is a list of the operations. */
export function referencePages<P>(operations: readonly Operation<P>[], demo?: DemoMark): readonly PageRoute[] {
  let rendered: BufferedResponse | undefined;
  return [
    { path: '/docs', get: async () => (rendered ??= renderReference(operations, demo)) },
    referenceScript,
    scalarScript(),
  ];
}

function renderReference<P>(operations: readonly Operation<P>[], demo: DemoMark | undefined): BufferedResponse {
  const groups = Map.groupBy(operations, groupOf);
  const page = apiPage(
    'Reference',
    html`<p id="links">For programs: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/openapi-3.0.json">OpenAPI 3.0</a>. Errors: <a href="/problems">problems</a>. For people: <a href="/docs/guide">guides</a>.</p>
          ${[...groups].map(
            ([name, members]) =>
              html`<h2>${name}</h2><p>${groupDescription(name)}</p><ul>${members.map(
                ({ method, path, summary }) => html`<li><code>${method} ${path}</code> ${summary}</li>`,
              )}</ul>`,
          )}
          <script src="${referenceScriptPath}" defer></script><script src="${scalarScriptPath}" defer></script>`,
    { current: '/docs', demo },
  );
  return { ...page, headers: { ...page.headers, 'content-security-policy': policy } };
}
