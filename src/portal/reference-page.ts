import { html } from 'hono/html';
import type { Operation } from '../api/operation.ts';
import type { Page } from '../api/server.ts';
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
          ${operations.map(
            (operation) => html`<article>
              <h2><code>${operation.method} ${operation.path}</code></h2>
              <p>${operation.summary}. ${operation.description}</p>
              <dl>
                <dt>Scope</dt><dd><code>${operation.scope ?? 'none'}</code></dd>
                ${membersOf(operation).map(
                  ({ place, name, text }) => html`<dt><code>${name}</code> (${place})</dt><dd>${text}</dd>`,
                )}
                <dt>Answers</dt>
                <dd>${Object.entries(operation.responses).map(([status, { description }]) => html`${status}: ${description} `)}</dd>
                <dt>Refusals</dt>
                <dd>${operation.refusals.map((slug) => html`<a href="/problems/${slug}">${slug}</a> `)}</dd>
              </dl>
            </article>`,
          )}`,
      ),
  };
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
