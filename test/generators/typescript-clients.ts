/**
 * Generates clients in TypeScript with the programs of this folder's package, compiles them strictly, and runs them against the
 * demo. Run it with `npm run test:generators`, after `npm ci --prefix test/generators --ignore-scripts`.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileCleanupScope } from '../support/server-process.ts';
import { type ClientDemo, type ReceivedAnswers, startClientDemo } from './demo-clients.ts';
import { compileAndRun } from './generated-client.ts';

type Client = { readonly generate: readonly string[]; readonly program: string };

/** Each generator with its command, and the program that uses the generated client. */
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

let demo: ClientDemo;
const thisFile = fileCleanupScope();
before(async () => {
  demo = await startClientDemo(thisFile);
});

for (const [name, { generate, program }] of Object.entries(clients)) {
  test(`the client of ${name} compiles, verifies, sends one message and reads a document`, async () => {
    const folder = demo.makeFolder();
    const [command = '', ...args] = generate;
    await folder.run(command, args);
    await demo.checkProgram((environment) => compileAndRun(folder, program, environment));
  });
}

test('the zod schemas of orval compile, load and keep the personalisation', async () => {
  const folder = demo.makeFolder();
  await folder.run('orval', ['-c', './orval-zod.config.mjs']);
  const printed = await compileAndRun(folder, 'orval-zod.ts', demo.environment);
  const { decision, status } = JSON.parse(printed) as ReceivedAnswers;
  assert.deepEqual([decision, status], ['Smith', '2026/118']);
});
