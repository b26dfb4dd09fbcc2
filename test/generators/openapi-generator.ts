/** Generates clients from the 3.0.3 document with openapi-generator, which is a Java program, and goes as far with each as it can. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileCleanupScope } from '../support/server-process.ts';
import { type ClientDemo, startClientDemo } from './demo-clients.ts';
import type { GeneratorFolder } from './generated-client.ts';

const jar = join(import.meta.dirname, 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar');

let demo: ClientDemo;
const thisFile = fileCleanupScope();
before(async () => {
  demo = await startClientDemo(thisFile);
});

async function generateWithJar(language: string): Promise<GeneratorFolder> {
  const folder = demo.makeFolder();
  const args = ['-jar', jar, 'generate', '-i', 'openapi-3.0.json', '-g', language, '-o', 'generated'];
  await folder.run('java', args);
  return folder;
}

test('the Python client of openapi-generator verifies, sends one message and reads a document', async () => {
  const folder = await generateWithJar('python');
  await demo.checkProgram(async (environment) => {
    const { stdout } = await folder.run('python3', ['python_client.py'], { ...environment, PYTHONPATH: 'generated' });
    return stdout;
  });
});

test('a Java client of openapi-generator has no class InlineObject and no class with a member twice', async () => {
  const folder = await generateWithJar('java');
  const files = globSync('generated/src/main/java/**/model/*.java', { cwd: folder.path });
  assert.ok(files.length > 50, String(files.length));
  assert.deepEqual(
    files.filter((file) => /Inline(?:Object|Response)/.test(file)),
    [],
  );
  // The libraries of the client are not installed, so the compiler cannot resolve their names. It still reports duplicate members.
  const compiled = await folder.run('javac', ['-proc:none', '-Xmaxerrs', '100000', '-d', 'classes', ...files]).then(
    () => '',
    (fault: unknown) => String(fault),
  );
  assert.doesNotMatch(compiled, /already defined|illegal start|';' expected/);
});

test('a C# client of openapi-generator has no class with a member twice, and a Go client can be generated', async () => {
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
