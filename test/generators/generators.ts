/**
 * Generates clients from the OpenAPI documents with the programs of this folder's package, compiles them strictly, and runs them
 * against the demo. Run it with `npm run test:generators`, after `npm ci --prefix test/generators`.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createHttpClient, parseJsonBody } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { compileAndRun, type GeneratorFolder, makeGeneratorFolder } from './generated-client.ts';

type Client = { readonly generate: readonly string[]; readonly program: string };

/** Each generator for TypeScript with its command, and the program that uses the generated client. */
const clients: Readonly<Record<string, Client>> = {
  'openapi-typescript and openapi-fetch': {
    generate: ['openapi-typescript', 'openapi.json', '-o', 'generated/api.ts'],
    program: 'openapi-fetch.ts',
  },
  '@hey-api/openapi-ts': {
    generate: ['openapi-ts', '-i', './openapi.json', '-o', 'generated', '-c', '@hey-api/client-fetch'],
    program: 'hey-api.ts',
  },
  'orval (fetch)': { generate: ['orval', '-c', './orval-fetch.config.mjs'], program: 'orval-fetch.ts' },
  kubb: { generate: ['kubb', 'generate', '-c', 'kubb.config.mjs'], program: 'kubb.ts' },
  'swagger-typescript-api': {
    generate: ['swagger-typescript-api', 'generate', '-p', './openapi.json', '-o', 'generated', '-n', 'api.ts'],
    program: 'swagger-typescript-api.ts',
  },
  oazapfts: { generate: ['oazapfts', 'openapi.json', 'generated/api.ts'], program: 'oazapfts.ts' },
  'openapi-zod-client': {
    generate: ['openapi-zod-client', './openapi.json', '-o', 'generated/api.ts', '--export-schemas'],
    program: 'openapi-zod-client.ts',
  },
};

let home: ServerFixture;
let environment: Readonly<Record<string, string>>;
let documents: Readonly<Record<string, string>>;
const thisFile = fileCleanupScope();
const folders: GeneratorFolder[] = [];
before(async () => {
  home = await makeServerFixture(thisFile, { settings: { LOG_LEVEL: 'warn' } });
  await home.start('demo');
  environment = { BASE_URL: home.url, API_URL: `${home.url}/v1`, TOKEN: await home.fetchAccessToken() };
  const textOf = async (path: string) => await (await fetch(`${home.url}${path}`)).text();
  documents = {
    'openapi.json': await textOf('/openapi.json'),
    'openapi-3.0.json': await textOf('/openapi-3.0.json'),
  };
});
after(() => {
  for (const folder of folders) folder.remove();
});

function makeFolder(): GeneratorFolder {
  const folder = makeGeneratorFolder(documents);
  folders.push(folder);
  return folder;
}

type Received = Readonly<Record<'decision' | 'status' | 'notificationId' | 'document', string>>;

/** Checks the answers that a generated client received to verify, send and document. */
function checkReceived(printed: string): void {
  const { decision, status, notificationId, document } = JSON.parse(printed) as Received;
  assert.deepEqual([decision, status], ['match', 'accepted']);
  assert.match(notificationId, /^ntf_/);
  assert.match(document, /^NOTICE OF ASSESSMENT 2025\n/);
}

/** The number of notifications to the citizen of the programs. */
async function countNotifications(): Promise<number> {
  const headers = { authorization: `Bearer ${environment['TOKEN']}` };
  const answer = await createHttpClient(home.url)({ path: '/v1/notifications?citizenId=demo-mary&limit=100', headers });
  const { items } = parseJsonBody(answer);
  assert.ok(Array.isArray(items));
  return items.length;
}

for (const [name, { generate, program }] of Object.entries(clients)) {
  test(`the client of ${name} compiles, verifies, sends one message and reads a document`, async () => {
    const folder = makeFolder();
    const [command = '', ...args] = generate;
    await folder.run(command, args);
    const earlier = await countNotifications();
    checkReceived(await compileAndRun(folder, program, environment));
    assert.equal(await countNotifications(), earlier + 1);
  });
}

test('the zod schemas of orval compile, load and keep the personalisation', async () => {
  const folder = makeFolder();
  await folder.run('orval', ['-c', './orval-zod.config.mjs']);
  const { decision, status } = JSON.parse(await compileAndRun(folder, 'orval-zod.ts', environment)) as Received;
  assert.deepEqual([decision, status], ['Smith', '2026/118']);
});

const jar = join(import.meta.dirname, 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar');

async function generateWithJar(language: string): Promise<GeneratorFolder> {
  const folder = makeFolder();
  const args = ['-jar', jar, 'generate', '-i', 'openapi-3.0.json', '-g', language, '-o', 'generated'];
  await folder.run('java', args);
  return folder;
}

test('the Python client of openapi-generator verifies, sends one message and reads a document', async () => {
  const folder = await generateWithJar('python');
  const earlier = await countNotifications();
  const { stdout } = await folder.run('python3', ['python_client.py'], { ...environment, PYTHONPATH: 'generated' });
  checkReceived(stdout);
  assert.equal(await countNotifications(), earlier + 1);
});

test('openapi-generator names no class of the Java client InlineObject, and no class has a member twice', async () => {
  const folder = await generateWithJar('java');
  const files = globSync('generated/src/main/java/**/model/*.java', { cwd: folder.path });
  assert.ok(files.length > 50, String(files.length));
  assert.deepEqual(
    files.filter((file) => /Inline(?:Object|Response)/.test(file)),
    [],
  );
  // The libraries of the client are not here, so that the compiler cannot resolve their names. It still reports doubles.
  const compiled = await folder.run('javac', ['-proc:none', '-Xmaxerrs', '100000', '-d', 'classes', ...files]).then(
    () => '',
    (fault: unknown) => String(fault),
  );
  assert.doesNotMatch(compiled, /already defined|illegal start|';' expected/);
});

test('openapi-generator writes a C# client in which no class has a member twice, and a Go client', async () => {
  const csharp = await generateWithJar('csharp-netcore');
  const files = globSync('generated/src/Org.OpenAPITools/Model/*.cs', { cwd: csharp.path });
  assert.ok(files.length > 50, String(files.length));
  for (const file of files) {
    const text = readFileSync(join(csharp.path, file), 'utf8');
    const names = [...text.matchAll(/^ {8}public \S+ (\w+) \{ get; set; \}/gm)].map(([, name]) => name);
    assert.equal(new Set(names).size, names.length, file);
  }
  // This version of the generator writes no models for Go.
  const go = await generateWithJar('go');
  assert.ok(globSync('generated/api_*.go', { cwd: go.path }).length > 10);
});

test("IBM's validator finds no inline schema and no duplicate property name, and it finds planted ones", async () => {
  const planted = structuredClone(JSON.parse(documents['openapi.json'] ?? '')) as Planted;
  const { properties } = planted.components.schemas['SendNotificationBody'] ?? assert.fail();
  properties['citizen_id'] = { type: 'string' };
  properties['inline'] = { type: 'object', properties: { one: { type: 'string' } } };
  const found = await Promise.all([documents['openapi.json'] ?? '', JSON.stringify(planted)].map(ibmRulesBroken));
  assert.deepEqual(found, [[], ['ibm-avoid-inline-schemas', 'ibm-avoid-property-name-collision']]);
});

type Planted = {
  readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, unknown> }> };
};

/** The names of the rules that IBM's validator reports as broken. */
async function ibmRulesBroken(document: string): Promise<readonly string[]> {
  const folder = makeGeneratorFolder({ 'openapi.json': document });
  folders.push(folder);
  const printed = await folder.run('lint-openapi', ['--json', '--ruleset', 'ibm.yaml', 'openapi.json']).then(
    ({ stdout }) => stdout,
    (fault: unknown) => String(fault),
  );
  assert.match(printed, /"(?:errors|error)"/, printed);
  return [...new Set([...printed.matchAll(/"rule": "([\w-]+)"/g)].map(([, rule = '']) => rule))].sort();
}
