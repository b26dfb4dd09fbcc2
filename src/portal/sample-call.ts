import type { TObject } from 'typebox';
import { exampleOf, schemaOf } from '../api/openapi-example.ts';
import { documented } from '../api/openapi-schema.ts';
import type { Operation } from '../api/operation.ts';
import { shownOf } from '../api/operation-group.ts';

/** What buys a token for the other samples, with the secret of a client of a demo or sandbox. */
export function sampleOfToken(publicUrl: string): string {
  return inLines(`TOKEN=$(curl -s ${publicUrl}/oauth2/token`, [
    '-u "$CLIENT_ID:$CLIENT_SECRET"',
    `-d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`,
  ]);
}

/** A call of the operation for a shell, with the values of the examples in the OpenAPI document; `$TOKEN` is a token. */
export function sampleCall<P>(operation: Operation<P>, publicUrl: string): string {
  const { method, path, request, bodyBytes, scope, responses } = operation;
  const shown = shownOf(operation, 'request');
  const exampleIn = (schema: TObject | undefined) =>
    schema === undefined ? {} : schemaOf(exampleOf(documented(schema, 'request'), '', shown));
  const params = exampleIn(request.params);
  const place = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(params[name])));
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(exampleIn(request.query))) pairs.append(name, String(value));
  const query = pairs.size === 0 ? '' : `?${pairs}`;
  const content = contentOf(request.body && exampleIn(request.body), bodyBytes, exampleIn(bodyBytes?.form?.fields));
  const isSaid = method === 'GET' || (method === 'POST' && content.length > 0);
  const isFile = responses[200]?.bytes === true;
  return inLines(`curl -s ${quoted(`${publicUrl}${place}${query}`)}`, [
    ...(isSaid ? [] : [`-X ${method}`]),
    ...(scope === null ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...content,
    ...(isFile ? ['-o document'] : []),
  ]);
}

/** The options that carry a body: JSON, or a document with what is known of it. */
function contentOf<P>(
  body: object | undefined,
  bytes: Operation<P>['bodyBytes'],
  fields: Readonly<Record<string, unknown>>,
): string[] {
  if (body !== undefined) return [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`];
  if (bytes?.form === undefined) return [];
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return [...parts, `${bytes.form.part}=@document.pdf;type=${bytes.usualType}`].map((part) => `-F ${quoted(part)}`);
}

/** What the operation answers to it, as JSON; undefined where it is a document, or nothing. */
export function sampleAnswer<P>(operation: Operation<P>): string | undefined {
  const [first] = Object.values(operation.responses).flatMap(({ schema }) => (schema === undefined ? [] : [schema]));
  if (first === undefined) return undefined;
  return JSON.stringify(exampleOf(documented(first, 'answer'), '', shownOf(operation, 'answer')), null, 2);
}

function inLines(first: string, others: readonly string[]): string {
  return [first, ...others].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
