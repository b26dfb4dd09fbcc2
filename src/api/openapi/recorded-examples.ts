import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The values of a recorded request. `form` has the fields of a form without its file. */
export type RecordedRequest = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  readonly form?: Readonly<Record<string, string>>;
  /** The body of a request in CSV. */
  readonly csv?: string;
};

/** A request to a demo and its response. `answer` is absent if the response has neither JSON nor text. */
export type RecordedExample = {
  readonly request: RecordedRequest;
  readonly status: number;
  readonly answer?: unknown;
};

/** The file that `scripts/record-examples.ts` writes: an example for each operation. */
export const recordedExamplesFile: string = join(import.meta.dirname, 'recorded-examples.json');

let examples: Readonly<Record<string, RecordedExample>> | undefined;

/** The recorded example of an operation; undefined for operations of tests. Reads the file at the first call. */
export function recordedExampleOf(operation: string): RecordedExample | undefined {
  // The script wrote this shape, and test/scenarios/openapi-examples.test.ts compares it with a demo.
  examples ??= JSON.parse(readFileSync(recordedExamplesFile, 'utf8')) as Readonly<Record<string, RecordedExample>>;
  return examples[operation];
}
