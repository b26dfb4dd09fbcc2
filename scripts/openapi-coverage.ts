import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { declaredResponses } from '../test/support/openapi-response-check.ts';
import type { ObservedResponse } from '../test/support/openapi-response-preload.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';

/** What the answers of a test run came to. */
export type ResponseCoverage = {
  /** Environment for the processes of the run, so that they watch their answers. */
  readonly environment: Readonly<Record<string, string>>;
  /** One sentence for each fault; of a whole run also for each declared answer that was never seen. */
  faults(whole: boolean): readonly string[];
  close(): void;
};

const root = resolve(import.meta.dirname, '..');

/** Watches the answers of all servers of a test run, in whatever process (test/support/openapi-response-preload.ts). */
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
      // A process may have been killed within its last line.
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as ObservedResponse),
  );
}

function faultsOf(seen: readonly ObservedResponse[], whole: boolean): readonly string[] {
  const wrong = seen.flatMap(({ operation, method, status, faults, testFile }) =>
    faults.map((fault) => `${operation ?? 'no operation'} ${method} ${status}: ${fault} (${relative(root, testFile)})`),
  );
  if (!whole) return wrong;
  const declared = declaredResponses();
  const observedKeys = new Set(seen.map(({ operation, status }) => `${operation} ${status}`));
  const isMet = (answer: string) => {
    if (!answer.endsWith(' default')) return observedKeys.has(answer);
    const others = declared.filter((other) => other.split(' ')[0] === answer.split(' ')[0]);
    return [...observedKeys].some((other) => other.split(' ')[0] === answer.split(' ')[0] && !others.includes(other));
  };
  const neverObserved = declared.filter((answer) => !isMet(answer));
  process.stdout.write(
    `answers: ${declared.length - neverObserved.length} of ${declared.length} declared were seen and checked\n`,
  );
  return [
    ...wrong,
    ...neverObserved.map((answer) => `no test is answered ${answer}, which the OpenAPI document declares`),
  ];
}
