import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { declaredResponses } from '../test/support/openapi-response-check.ts';
import type { ObservedResponse } from '../test/support/openapi-response-preload.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';

/** Collects the responses of a test run, in all its processes. */
export type ResponseCoverage = {
  /** Environment variables that make the processes of the run record their responses. */
  readonly environment: Readonly<Record<string, string>>;
  /** One sentence per fault. For a whole run, also one per declared response that was never observed. */
  faults(whole: boolean): readonly string[];
  close(): void;
};

const root = resolve(import.meta.dirname, '..');

/** Records the responses of all servers of a test run, in every process (test/support/openapi-response-preload.ts). */
export function watchResponseCoverage(): ResponseCoverage {
  const folder = makeTestFolder('cs-answers-');
  const watcher = pathToFileURL(join(root, 'test/support/openapi-response-preload.ts'));
  return {
    environment: { ANSWERS_DIR: folder, NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${watcher}` },
    faults: (whole) => faultsOf(readObserved(folder), whole),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function readObserved(folder: string): readonly ObservedResponse[] {
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      // A killed process may leave an incomplete last line.
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as ObservedResponse),
  );
}

function faultsOf(observed: readonly ObservedResponse[], whole: boolean): readonly string[] {
  const wrong = observed.flatMap(({ operation, method, status, faults, testFile }) =>
    faults.map((fault) => `${operation ?? 'no operation'} ${method} ${status}: ${fault} (${relative(root, testFile)})`),
  );
  if (!whole) return wrong;
  const declared = declaredResponses();
  const observedKeys = new Set(observed.map(({ operation, status }) => `${operation} ${status}`));
  const isObserved = (response: string) => {
    if (!response.endsWith(' default')) return observedKeys.has(response);
    const operation = response.split(' ')[0];
    const others = declared.filter((other) => other.split(' ')[0] === operation);
    return [...observedKeys].some((other) => other.split(' ')[0] === operation && !others.includes(other));
  };
  const neverObserved = declared.filter((response) => !isObserved(response));
  process.stdout.write(
    `responses: ${declared.length - neverObserved.length} of ${declared.length} declared were observed and checked\n`,
  );
  return [
    ...wrong,
    ...neverObserved.map((response) => `no test receives ${response}, which the OpenAPI document declares`),
  ];
}
