import { strToU8, zipSync } from 'fflate';
import { stringify } from 'yaml';
import { type CollectionRequest, collectionRequests } from './collection-requests.ts';

const name = 'citizen-services';
/** The URL of the demo, which is the default of the variable `baseUrl`. */
const demoUrl = 'http://127.0.0.1:3000';
const about = `Requests to the interface of ${name}, with invented people of the sandbox. Run them in their order: later requests use
variables of earlier responses. Set the variables baseUrl, clientId and clientSecret in an environment.`;

const urlOf = ({ path }: CollectionRequest) => `{{baseUrl}}${path}`;
const jsonOf = (value: unknown) => JSON.stringify(value, null, 2);

/** The client authenticates with its secret only at the token endpoint. Other requests have the token. */
const sendsSecret = ({ path }: CollectionRequest) => path === '/oauth2/token';

/** The Postman collection, in format 2.1. */
export function postmanCollection(): string {
  const collection = {
    info: {
      name,
      description: about,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: postmanAuth('bearer', { token: '{{accessToken}}' }),
    variable: [{ key: 'baseUrl', value: demoUrl }],
    item: collectionRequests.map(postmanItem),
  };
  return `${jsonOf(collection)}\n`;
}

function postmanItem(request: CollectionRequest): object {
  const { method, headers = {}, about: description } = request;
  return {
    name: request.name,
    request: {
      method,
      url: urlOf(request),
      description,
      header: Object.entries(headers).map(([key, value]) => ({ key, value })),
      ...(sendsSecret(request) && {
        auth: postmanAuth('basic', { username: '{{clientId}}', password: '{{clientSecret}}' }),
      }),
      ...postmanBody(request),
    },
    event: [
      ...(request.waitMs === undefined
        ? []
        : [postmanScript('prerequest', [`setTimeout(() => {}, ${request.waitMs});`])]),
      postmanScript('test', postmanTests(request)),
    ],
  };
}

const postmanScript = (listen: string, exec: readonly string[]) => ({
  listen,
  script: { type: 'text/javascript', exec },
});

function postmanAuth(type: string, values: Readonly<Record<string, string>>): object {
  return { type, [type]: Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' })) };
}

function postmanBody({ body }: CollectionRequest): object {
  if (body === undefined) return {};
  if ('json' in body) return { body: { mode: 'raw', raw: jsonOf(body.json), options: { raw: { language: 'json' } } } };
  if ('text' in body) return { body: { mode: 'raw', raw: body.text } };
  return {
    body: { mode: 'urlencoded', urlencoded: Object.entries(body.form).map(([key, value]) => ({ key, value })) },
  };
}

/** The script that runs after a response: one test for each expected value. It then stores the variables. */
function postmanTests({
  status,
  members = {},
  responseHeaders = {},
  text,
  variables = {},
}: CollectionRequest): string[] {
  const equal = (title: string, actual: string, expected: unknown) =>
    `pm.test(${JSON.stringify(title)}, () => pm.expect(${actual}).to.eql(${expectedValue(expected)}));`;
  return [
    equal(`status is ${status}`, 'pm.response.code', status),
    ...Object.entries(responseHeaders).map(([header, value]) =>
      equal(`${header} is ${value}`, `pm.response.headers.get('${header}')`, value),
    ),
    ...Object.entries(members).map(([member, value]) =>
      equal(`${member} is ${value}`, `pm.response.json().${member}`, value),
    ),
    ...(text === undefined ? [] : [equal('the body has the expected text', 'pm.response.text()', text)]),
    ...Object.entries(variables).map(
      ([variable, member]) => `pm.collectionVariables.set('${variable}', pm.response.json().${member});`,
    ),
  ];
}

/** An expected value as JavaScript. Postman does not replace variables in scripts by itself. */
function expectedValue(expected: unknown): string {
  const text = JSON.stringify(expected);
  return text.includes('{{') ? `pm.variables.replaceIn(${text})` : text;
}

/** The files of the Bruno collection (OpenCollection YAML), by path in its folder. */
export function brunoFiles(): Readonly<Record<string, string>> {
  const requests = collectionRequests.map((request, index) => [
    `${String(index + 1).padStart(2, '0')}-${request.name.toLowerCase().replaceAll(' ', '-')}.yml`,
    yamlOf(brunoRequest(request, index + 1)),
  ]);
  return {
    'opencollection.yml': yamlOf({
      opencollection: '1.0.0',
      info: { name },
      request: {
        auth: { type: 'bearer', token: '{{accessToken}}' },
        variables: [{ name: 'baseUrl', value: demoUrl }],
      },
      docs: about,
    }),
    'environments/Sandbox.yml': yamlOf({
      name: 'Sandbox',
      variables: [
        { name: 'baseUrl', value: demoUrl },
        { name: 'clientId', value: '' },
        { name: 'clientSecret', secret: true },
      ],
    }),
    ...Object.fromEntries(requests),
  };
}

const yamlOf = (value: object) => stringify(value, { lineWidth: 0 });

function brunoRequest(request: CollectionRequest, seq: number): object {
  const { method, headers, waitMs, variables = {}, about: docs } = request;
  const actions = Object.entries(variables).map(([variable, member]) => ({
    type: 'set-variable',
    phase: 'after-response',
    selector: { expression: `res.body.${member}`, method: 'jsonq' },
    variable: { name: variable, scope: 'runtime' },
  }));
  return {
    info: { name: request.name, type: 'http', seq },
    http: {
      method,
      url: urlOf(request),
      ...(headers && { headers: namedValues(headers) }),
      ...brunoBody(request),
      auth: sendsSecret(request)
        ? { type: 'basic', username: '{{clientId}}', password: '{{clientSecret}}' }
        : 'inherit',
    },
    runtime: {
      ...(waitMs !== undefined && { scripts: [{ type: 'before-request', code: `await bru.sleep(${waitMs});` }] }),
      assertions: brunoAssertions(request),
      ...(actions.length > 0 && { actions }),
    },
    docs,
  };
}

const namedValues = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([key, value]) => ({ name: key, value }));

function brunoBody({ body }: CollectionRequest): object {
  if (body === undefined) return {};
  if ('json' in body) return { body: { type: 'json', data: jsonOf(body.json) } };
  if ('text' in body) return { body: { type: 'text', data: body.text } };
  return { body: { type: 'form-urlencoded', data: namedValues(body.form) } };
}

function brunoAssertions({ status, members = {}, responseHeaders = {}, text }: CollectionRequest): object[] {
  const equal = (expression: string, value: unknown) => ({ expression, operator: 'eq', value: String(value) });
  return [
    equal('res.status', status),
    ...Object.entries(responseHeaders).map(([header, value]) => equal(`res.headers['${header}']`, value)),
    ...Object.entries(members).map(([member, value]) => equal(`res.body.${member}`, value)),
    ...(text === undefined ? [] : [equal('res.body', text)]),
  ];
}

/** The Bruno collection as one ZIP file. Its bytes depend only on the files: each entry has the same time. */
export function brunoZip(): Buffer {
  const entries = Object.entries(brunoFiles()).map(([path, text]) => [`${name}/${path}`, strToU8(text)] as const);
  // ZIP stores the local time, so the time zone of the build does not matter.
  return Buffer.from(zipSync(Object.fromEntries(entries), { mtime: new Date(2026, 0, 1), level: 9 }));
}
