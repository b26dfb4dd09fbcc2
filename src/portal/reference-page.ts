import { html } from 'hono/html';
import type { Deprecation } from '../api/deprecation.ts';
import type { Operation } from '../api/operation.ts';
import type { Page } from '../api/server.ts';
import { toInstant } from '../kernel/clock.ts';
import { page } from './page.ts';

/** The reference of the interface for people, made from the operations; the same facts as /openapi.json. */
export function referencePage<P>(operations: readonly Operation<P>[]): Page {
  return {
    path: '/docs',
    get: async () =>
      page(
        'Reference',
        html`<p>For programs: <a href="/openapi.json">OpenAPI 3.1</a>. Errors: <a href="/problems">problems</a>. Tokens:
            <code>POST /oauth2/token</code> with <code>grant_type=client_credentials</code>.</p>
          <nav aria-label="Operations"><ul>${operations.map(
            ({ name, method, path }) => html`<li><a href="#${name}"><code>${method} ${path}</code></a></li>`,
          )}</ul></nav>
          ${operations.map(
            (operation) => html`<article id="${operation.name}">
              <h2><code>${operation.method} ${operation.path}</code></h2>
              <p>${operation.summary}. ${operation.description}</p>
              ${operation.deprecated === undefined ? '' : html`<p><strong>${ending(operation.deprecated)}</strong></p>`}
              <dl>
                <dt>Scope</dt><dd><code>${operation.scope ?? 'none'}</code></dd>
                ${membersOf(operation).map(
                  ({ place, name, text }) => html`<dt><code>${name}</code> (${place})</dt><dd>${text}</dd>`,
                )}
                <dt>Answers</dt>
                <dd><ul>${Object.entries(operation.responses).map(
                  ([status, { description }]) => html`<li>${status}: ${description}</li>`,
                )}</ul></dd>
                ${
                  operation.refusals.length === 0
                    ? ''
                    : html`<dt>Refusals</dt>
                <dd><ul>${operation.refusals.map((slug) => html`<li><a href="/problems/${slug}">${slug}</a></li>`)}</ul></dd>`
                }
              </dl>
            </article>`,
          )}`,
      ),
  };
}

/** What the `Link` of its answers leads here for (deprecation.ts). */
function ending({ since, sunset, successor }: Deprecation): string {
  const day = (at: number) => toInstant(at).slice(0, 10);
  const end = sunset === undefined ? '' : ` It ends on ${day(sunset)} at the earliest.`;
  const instead = successor === undefined ? '' : ` Use ${successor} instead.`;
  return `Deprecated since ${day(since)}.${end}${instead}`;
}

type Member = { readonly place: string; readonly name: string; readonly text: string };

function membersOf<P>(operation: Operation<P>): Member[] {
  const { params, query, headers, body } = operation.request;
  return Object.entries({ path: params, query, header: headers, body }).flatMap(([place, schema]) => {
    if (schema === undefined) return [];
    const required = new Set(schema.required ?? []);
    return Object.entries(schema.properties).map(([name, property]): Member => {
      const told = 'description' in property && typeof property.description === 'string' ? property.description : '';
      return { place, name, text: `${required.has(name) ? 'Required. ' : ''}${told}` };
    });
  });
}
