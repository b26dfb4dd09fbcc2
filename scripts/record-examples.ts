/**
 * Records the examples of the OpenAPI document: starts a demo, performs a request of each operation, and writes the requests and
 * responses into src/api/openapi. Then run `npm run generate`.
 */
import { writeFileSync } from 'node:fs';
import { recordedExamplesFile } from '../src/api/openapi/recorded-examples.ts';
import { recordExamples } from '../test/support/example-story.ts';
import { useTestRunFolder } from '../test/support/test-folder.ts';

useTestRunFolder();
const cleanups: (() => unknown)[] = [];
try {
  const examples = await recordExamples({ after: (run) => void cleanups.push(run) });
  writeFileSync(recordedExamplesFile, `${JSON.stringify(Object.fromEntries(examples), null, 2)}\n`);
  console.log(`record-examples: ${examples.size} examples`);
} finally {
  for (const run of cleanups.reverse()) await run();
}
