/**
 * Loaded before anything else into every process of a test run (scripts/test.ts): compares every answer under /v1 that
 * leaves a server with the OpenAPI document, and notes what it saw in a file of this process in ANSWERS_DIR.
 */
import diagnostics from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SentResponse } from './openapi-response-check.ts';

/** One line of such a file: an answer of that kind was seen, with these faults. */
export type ObservedResponse = {
  readonly operation: string | undefined;
  readonly method: string;
  readonly status: number;
  readonly faults: readonly string[];
  /** The file that ran. */
  readonly testFile: string;
};

const outputFolder = process.env['ANSWERS_DIR'];
const by = process.env['ANSWERS_OF'] ?? process.argv[1] ?? '';
const isServer = /\/src\/main\.ts$/.test(process.argv[1] ?? '');
/** The OpenAPI document does not hold itself. */
const openApiPath = /^\/v1\/openapi\.(?:json|yaml)$/;
const bufferLimitBytes = 4_194_304;

/** Loaded with the first answer: most processes of a run give none. */
const loadResponseCheck = () =>
  createRequire(import.meta.url)('./openapi-response-check.ts') as typeof import('./openapi-response-check.ts');

function watchResponses(folder: string): void {
  let checkResponse: ReturnType<ReturnType<typeof loadResponseCheck>['createResponseCheck']> | undefined;
  const observed = new Set<string>();
  diagnostics.subscribe('http.server.request.start', (message) => {
    // The members that Node's documentation promises for this channel.
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const [path = ''] = (request.url ?? '').split('?');
    if (path !== '/v1' && (!path.startsWith('/v1/') || openApiPath.test(path))) return;
    const given = captureHeaders(response);
    const headersOf = () => ({ ...response.getHeaders(), ...given() });
    const isJson = () => /json/.test(String(headersOf()['content-type']));
    // Before its end leaves: a test may kill the server as soon as it has the whole answer.
    const bytes = captureBody(response, isJson, () => {
      const headers = headersOf();
      // In a test's own process other servers than ours stand too, and ours with other operations.
      if (!isServer && headers['api-version'] === undefined) return;
      const left: SentResponse = {
        method: request.method ?? '',
        path,
        status: response.statusCode,
        headers,
        body: bytes(),
      };
      checkResponse ??= loadResponseCheck().createResponseCheck();
      const { operation, problems } = checkResponse(left);
      if (!isServer && operation === undefined) return;
      const line: ObservedResponse = {
        operation,
        method: left.method,
        status: left.status,
        faults: problems,
        testFile: by,
      };
      const text = JSON.stringify(line);
      if (observed.has(text)) return;
      observed.add(text);
      // At once, since some of these processes are killed.
      appendFileSync(join(folder, `${process.pid}.ndjson`), `${text}\n`);
    });
  });
}

/** Headers that go straight into `writeHead` are in no `getHeaders`. */
function captureHeaders(response: ServerResponse): () => Readonly<Record<string, unknown>> {
  const captured: Record<string, unknown> = {};
  const originalWriteHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
  Object.assign(response, {
    writeHead: (...given: unknown[]) => {
      const last = given.at(-1);
      const headers = typeof last === 'object' && last !== null && !Array.isArray(last) ? Object.entries(last) : [];
      for (const [name, value] of headers) captured[name.toLowerCase()] = value;
      return originalWriteHead(...given);
    },
  });
  return () => captured;
}

/** Keeps JSON that is written, up to a bound; of anything else the first piece: it has no schema. Tells when all is kept. */
function captureBody(
  response: ServerResponse,
  isJson: () => boolean,
  onComplete: () => void,
): () => Buffer | undefined {
  const pieces: Buffer[] = [];
  let size = 0;
  let isEnded = false;
  const capture = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    size += chunk.length;
    if (size > bufferLimitBytes) pieces.length = 0;
    else if (pieces.length === 0 || isJson()) pieces.push(Buffer.from(chunk));
  };
  for (const name of ['write', 'end'] as const) {
    const real = response[name].bind(response) as (...given: unknown[]) => unknown;
    Object.assign(response, {
      [name]: (...given: unknown[]) => {
        capture(given[0]);
        if (name === 'end' && !isEnded) {
          isEnded = true;
          onComplete();
        }
        return real(...given);
      },
    });
  }
  return () => (size <= bufferLimitBytes ? Buffer.concat(pieces) : undefined);
}

if (outputFolder !== undefined) watchResponses(outputFolder);
