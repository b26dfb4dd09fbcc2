import type { TObject } from 'typebox';
import { asSchema, createExample } from '../api/openapi/example.ts';
import { exampleContextOf } from '../api/openapi/operation-group.ts';
import { documentedSchema } from '../api/openapi/schema.ts';
import type { Operation } from '../api/operation.ts';

/** The command that gets a token for the other samples, with the client secret of a demo or sandbox. */
export function sampleTokenRequest(publicUrl: string): string {
  return joinShellLines(`TOKEN=$(curl -s ${publicUrl}/oauth2/token`, [
    '-u "$CLIENT_ID:$CLIENT_SECRET"',
    `-d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`,
  ]);
}

/** A shell command that calls the operation with the example values of the OpenAPI document; `$TOKEN` is an access token. */
export function sampleCall<P>(operation: Operation<P>, publicUrl: string): string {
  const { method, path, request, bodyBytes, scope, responses } = operation;
  const shown = exampleContextOf(operation, 'request');
  const exampleIn = (schema: TObject | undefined) =>
    schema === undefined ? {} : asSchema(createExample(documentedSchema(schema, 'request'), '', shown));
  const params = exampleIn(request.params);
  const place = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(params[name])));
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(exampleIn(request.query))) pairs.append(name, String(value));
  const query = pairs.size === 0 ? '' : `?${pairs}`;
  const content = bodyOptions(request.body && exampleIn(request.body), bodyBytes, exampleIn(bodyBytes?.form?.fields));
  const isSaid = method === 'GET' || (method === 'POST' && content.length > 0);
  const isFile = responses[200]?.bytes === true;
  return joinShellLines(`curl -s ${shellQuote(`${publicUrl}${place}${query}`)}`, [
    ...(isSaid ? [] : [`-X ${method}`]),
    ...(scope === null ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...content,
    ...(isFile ? ['-o document'] : []),
  ]);
}

/** The curl options of a body: JSON, or a document with its metadata. */
function bodyOptions<P>(
  body: object | undefined,
  bytes: Operation<P>['bodyBytes'],
  fields: Readonly<Record<string, unknown>>,
): string[] {
  if (body !== undefined) return [`-H 'Content-Type: application/json'`, `-d ${shellQuote(JSON.stringify(body))}`];
  if (bytes?.form === undefined) return [];
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return [...parts, `${bytes.form.part}=@document.pdf;type=${bytes.usualType}`].map((part) => `-F ${shellQuote(part)}`);
}

/** The JSON of the example response; undefined if the response is a document or empty. */
export function sampleAnswer<P>(operation: Operation<P>): string | undefined {
  const [first] = Object.values(operation.responses).flatMap(({ schema }) => (schema === undefined ? [] : [schema]));
  if (first === undefined) return undefined;
  return JSON.stringify(
    createExample(documentedSchema(first, 'answer'), '', exampleContextOf(operation, 'answer')),
    null,
    2,
  );
}

function joinShellLines(first: string, others: readonly string[]): string {
  return [first, ...others].join(' \\\n  ');
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
