import type { BufferedResponse } from '../api/buffered-response.ts';
import type { Deprecation } from '../api/deprecation.ts';
import { asSchema } from '../api/openapi/example.ts';
import { groupDescription, groupOf, idempotencyKeyDescription } from '../api/openapi/operation-group.ts';
import type { Operation } from '../api/operation.ts';
import type { PageRoute } from '../api/page-route.ts';
import { documentedMembers } from '../api/undocumented-member.ts';
import { formatInstant } from '../kernel/clock.ts';
import { type Html, html } from './html.ts';
import { apiPage } from './page.ts';
import { sampleAnswer, sampleCall, sampleTokenRequest } from './sample-call.ts';

/** The API reference for people, with the same facts as /openapi.json. */
export function referencePage<P>(operations: readonly Operation<P>[], publicUrl: string): PageRoute {
  let rendered: BufferedResponse | undefined;
  return { path: '/docs', get: async () => (rendered ??= renderReference(operations, publicUrl)) };
}

function renderReference<P>(operations: readonly Operation<P>[], publicUrl: string): BufferedResponse {
  const groups = Map.groupBy(operations, groupOf);
  return apiPage(
    'Reference',
    html`<p>For programs: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/openapi-3.0.json">OpenAPI 3.0</a>. Errors: <a href="/problems">problems</a>.</p>
          <h2>A token</h2>
          <p>Each call of an operation with a scope needs an access token, which is valid for ten minutes. In a demo or sandbox a client
            requests it with its secret:</p>
          <pre>${sampleTokenRequest(publicUrl)}</pre>
          <p>Every other client authenticates with its own key (<code>private_key_jwt</code> with the audience <code>${publicUrl}</code>); see the
            <a href="/.well-known/oauth-authorization-server">metadata</a>.</p>
          <nav class="index" aria-label="Operations">${[...groups].map(
            ([name, members]) =>
              html`<p><strong><a href="#${name}">${name}</a></strong> ${groupDescription(name)}</p><ul>${members.map(
                (operation) =>
                  html`<li><a href="#${operation.name}"><code>${operation.method} ${operation.path}</code></a> ${operation.summary}</li>`,
              )}</ul>`,
          )}</nav>
          ${[...groups].map(
            ([name, members]) =>
              html`<section id="${name}"><h2>${name}</h2>${members.map((operation) => operationArticle(operation, publicUrl))}</section>`,
          )}`,
    '/docs',
  );
}

function operationArticle<P>(operation: Operation<P>, publicUrl: string): Html {
  const answer = sampleAnswer(operation);
  return html`<article id="${operation.name}">
              <h3><code>${operation.method} ${operation.path}</code></h3>
              <p>${operation.summary}. ${operation.description}</p>
              ${operation.deprecated === undefined ? '' : html`<p><strong>${deprecationText(operation.deprecated)}</strong></p>`}
              <pre>${sampleCall(operation, publicUrl)}</pre>
              ${answer === undefined ? '' : html`<details><summary>Example response</summary><pre>${answer}</pre></details>`}
              <dl>
                <dt>Scope</dt><dd><code>${operation.scope ?? 'none'}</code></dd>
                ${membersOf(operation).map(
                  ({ place, name, text }) => html`<dt><code>${name}</code> (${place})</dt><dd>${text}</dd>`,
                )}
                <dt>Responses</dt>
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
            </article>`;
}

/** The `Link` header of a deprecated operation leads to this text (deprecation.ts). */
function deprecationText({ since, sunset, successor }: Deprecation): string {
  const day = (at: number) => formatInstant(at).slice(0, 10);
  const end = sunset === undefined ? '' : ` It ends on ${day(sunset)} at the earliest.`;
  const instead = successor === undefined ? '' : ` Use ${successor} instead.`;
  return `Deprecated since ${day(since)}.${end}${instead}`;
}

type Member = { readonly place: string; readonly name: string; readonly text: string };

function membersOf<P>({ request, idempotent }: Operation<P>): Member[] {
  const { params, query, headers, body } = request;
  const members = Object.entries({ path: params, query, header: headers, body }).flatMap(([place, schema]) => {
    if (schema === undefined) return [];
    const required = new Set(schema.required ?? []);
    return documentedMembers(schema.properties).map(([name, property]): Member => {
      const { description } = asSchema(property);
      const text = typeof description === 'string' ? description : '';
      return { place, name, text: `${required.has(name) ? 'Required. ' : ''}${text}` };
    });
  });
  if (idempotent !== true) return members;
  return [...members, { place: 'header', name: 'idempotency-key', text: idempotencyKeyDescription }];
}
