/** Runs the API collections of docs/integrate/collections against a demo, with the programs of Postman and Bruno. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { collectionRequests } from '../../scripts/collection-requests.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { type GeneratorFolder, makeGeneratorFolder } from './generated-client.ts';

const collections = join(import.meta.dirname, '../../docs/integrate/collections');
const preload = join(import.meta.dirname, '../support/network-log-preload.ts');
const firstCheck = 'res.body.token_type';

let home: ServerFixture;
let folder: GeneratorFolder;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile, { settings: { LOG_LEVEL: 'warn' } });
  await home.start('demo');
  folder = makeGeneratorFolder({});
  thisFile.after(folder.remove);
  cpSync(collections, folder.path, { recursive: true });
});

/** Runs a program and returns the places that it connected to. */
async function placesOf(program: string, args: readonly string[]): Promise<readonly string[]> {
  const log = join(folder.path, 'network.log');
  rmSync(log, { force: true });
  await folder.run(program, args, { NODE_OPTIONS: `--import=${preload}`, NETWORK_LOG: log });
  return [...new Set(readFileSync(log, 'utf8').trim().split('\n'))];
}

const runPostman = async () =>
  await placesOf('newman', [
    'run',
    'postman.json',
    '--environment',
    join(home.dataDir, 'demo.postman_environment.json'),
    '--reporters',
    'cli,json',
    '--reporter-json-export',
    'postman-results.json',
  ]);

/** `bru` runs only in the folder of a collection. */
const runBruno = async () =>
  await placesOf('sh', [
    '-c',
    'cd bruno && exec bru run --env-file "$0" --reporter-json ../bruno-results.json',
    join(home.dataDir, 'demo.bruno_environment.json'),
  ]);

const demoOnly = () => [`connect 127.0.0.1:${home.port}`];
const readJson = (name: string) => JSON.parse(readFileSync(join(folder.path, name), 'utf8')) as unknown;

/** The number of expected values of all requests. */
const checkCount = collectionRequests
  .map(({ members = {}, responseHeaders = {}, text }) => {
    return 1 + Object.keys(members).length + Object.keys(responseHeaders).length + (text === undefined ? 0 : 1);
  })
  .reduce((sum, count) => sum + count, 0);

test('the Postman collection passes all its tests against the demo, and newman connects to nothing else', async () => {
  assert.deepEqual(await runPostman(), demoOnly());
  const { run } = readJson('postman-results.json') as {
    readonly run: { readonly stats: Readonly<Record<string, { readonly total: number; readonly failed: number }>> };
  };
  assert.deepEqual(
    [run.stats['requests']?.total, run.stats['assertions']?.total, run.stats['assertions']?.failed],
    [collectionRequests.length, checkCount, 0],
  );
});

test('the Bruno collection passes all its tests against the demo, and bru connects to nothing else', async () => {
  assert.deepEqual(await runBruno(), demoOnly());
  const [{ summary }] = readJson('bruno-results.json') as [{ readonly summary: Readonly<Record<string, number>> }];
  assert.deepEqual(
    [summary['passedRequests'], summary['totalAssertions'], summary['failedAssertions']],
    [collectionRequests.length, checkCount, 0],
  );
});

test('a wrong expectation makes each runner fail', async () => {
  replaceIn('postman.json', '.to.eql(\\"Bearer\\")', '.to.eql(\\"Basic\\")');
  await assert.rejects(runPostman(), /expected 'Bearer' to deeply equal 'Basic'/);
  const planted = `expression: ${firstCheck}\n      operator: eq\n      value: `;
  replaceIn('bruno/01-get-a-token.yml', `${planted}Bearer`, `${planted}Basic`);
  await assert.rejects(runBruno(), /expected 'Bearer' to equal 'Basic'/);
});

function replaceIn(name: string, from: string, to: string): void {
  const text = readFileSync(join(folder.path, name), 'utf8');
  assert.ok(text.includes(from), `${name} has no ${from}`);
  writeFileSync(join(folder.path, name), text.replace(from, to));
}
