import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openApiPath, releasedOpenApiPath, runOpenApiLinter } from '../support/openapi-linters.ts';
import { makeTestFolder } from '../support/test-folder.ts';

type Operation = { readonly parameters: { readonly name: string; required: boolean }[] };
type Shape = {
  readonly required: string[];
  readonly properties: Record<string, Member>;
};
type Member = { readonly type: string; enum: string[]; 'x-extensible-enum': string[]; maxLength: number };
type Document = {
  readonly paths: Record<string, Readonly<Record<string, Operation>>>;
  readonly components: { readonly schemas: Record<string, Shape> };
};

const folder = makeTestFolder('cs-openapi-');

test('Redocly reports no problem with its strict rules', async () => {
  const { code, stdout, stderr } = await runOpenApiLinter(
    'redocly',
    'lint',
    '--extends=recommended-strict',
    openApiPath,
  );
  assert.equal(code, 0, `${stdout}${stderr}`);
});

test('Redocly gives the document a score of at least 90', async () => {
  const { code, stdout, stderr } = await runOpenApiLinter('redocly', 'score', '--format=json', openApiPath);
  assert.equal(code, 0, stderr);
  const { agentReadiness } = JSON.parse(stdout) as { agentReadiness: number };
  assert.ok(agentReadiness >= 90, `${agentReadiness}`);
});

async function diff(revision: string): Promise<{ readonly code: number | null; readonly text: string }> {
  const { code, stdout, stderr } = await runOpenApiLinter('redocly', 'diff', releasedOpenApiPath, revision);
  return { code, text: `${stdout}${stderr}` };
}

test('the current document is compatible with the released one', async () => {
  const { code, text } = await diff(openApiPath);
  assert.equal(code, 0, text);
});

/** The document with one change. It has these operations, in the shape of the types above. */
function changed(name: string, change: (paths: (path: string, method: string) => Operation, all: Document) => void) {
  const document = JSON.parse(readFileSync(openApiPath, 'utf8')) as Document;
  change((path, method) => {
    const operation = document.paths[path]?.[method];
    if (operation === undefined) throw new TypeError(`there is no ${method} ${path}`);
    return operation;
  }, document);
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(document));
  return file;
}

function schemaOf({ components }: Document, name: string): Shape {
  return components.schemas[name] ?? assert.fail(`there is no schema ${name}`);
}
const breaks: Readonly<Record<string, Parameters<typeof changed>[1]>> = {
  'a removed operation': (_at, all) => delete all.paths['/receipts/{eventId}'],
  'a member that became required': (_at, all) => schemaOf(all, 'SendNotificationBody').required.push('subject'),
  'a parameter that became required': (at) => {
    for (const parameter of at('/documents', 'get').parameters) parameter.required = true;
  },
  'a request value that is no longer accepted': (_at, all) =>
    schemaOf(all, 'SendNotificationBody').properties['category']?.enum.pop(),
  'a text with a lower maximum length': (_at, all) => {
    const message = schemaOf(all, 'SendNotificationBody').properties['message'];
    if (message !== undefined) message.maxLength = 10;
  },
  'a removed response member': (_at, all) => delete schemaOf(all, 'Notification').properties['status'],
};

for (const [name, change] of Object.entries(breaks)) {
  test(`a breaking change is reported: ${name}`, async () => {
    const { code, text } = await diff(changed(name.replaceAll(' ', '-'), change));
    assert.equal(code, 1, text);
    assert.match(text, /[1-9]\d* major/);
  });
}

test('a new endpoint, a new optional member and a new enumeration value in a response are compatible changes', async () => {
  const grown = changed('grown', (at, all) => {
    schemaOf(all, 'SendNotificationBody').properties['tone'] = {
      type: 'string',
      maxLength: 10,
      enum: ['warm'],
      'x-extensible-enum': [],
    };
    const { status } = schemaOf(all, 'Notification').properties;
    assert.ok(status);
    status['x-extensible-enum'].push('forwarded');
    const log = structuredClone(at('/access-log', 'get'));
    all.paths['/access-log-again'] = { get: Object.assign(log, { operationId: 'readAgain' }) };
  });
  const { code, text } = await diff(grown);
  assert.equal(code, 0, text);
});
