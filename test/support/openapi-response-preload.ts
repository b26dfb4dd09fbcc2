/**
 * Loaded first into every process of a test run (scripts/test.ts). Compares every response under /v1 that a server sends with
 * the OpenAPI document, and writes the result to a file of this process in the folder ANSWERS_DIR.
 */
import diagnostics from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SentResponse } from './openapi-response-check.ts';

/** One line of such a file: a kind of response, with its faults. */
export type ObservedResponse = {
  readonly operation: string | undefined;
  readonly method: string;
  readonly status: number;
  readonly faults: readonly string[];
  /** The test file, or the program, that ran. */
  readonly testFile: string;
};

const outputFolder = process.env['ANSWERS_DIR'];
const testFile = process.env['ANSWERS_OF'] ?? process.argv[1] ?? '';
const isServer = /\/src\/main\.ts$/.test(process.argv[1] ?? '');
/** The OpenAPI document does not describe its own addresses. */
const openApiPath = /^\/v1\/openapi(?:\.(?:json|yaml)|-3\.0\.json)$/;
const bufferLimitBytes = 4_194_304;

/** Loaded with the first response: most processes of a run send none. */
const loadResponseCheck = () =>
  createRequire(import.meta.url)('./openapi-response-check.ts') as typeof import('./openapi-response-check.ts');

function watchResponses(folder: string): void {
  let checkResponse: ReturnType<ReturnType<typeof loadResponseCheck>['createResponseCheck']> | undefined;
  const observed = new Set<string>();
  diagnostics.subscribe('http.server.request.start', (message) => {
    // The documentation of Node promises these members for this channel.
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const [path = ''] = (request.url ?? '').split('?');
    if (path !== '/v1' && (!path.startsWith('/v1/') || openApiPath.test(path))) return;
    const capturedHeaders = captureHeaders(response);
    const headersOf = () => ({ ...response.getHeaders(), ...capturedHeaders() });
    const isJson = () => /json/.test(String(headersOf()['content-type']));
    // Runs before the end of the body is sent, because a test may kill the server once it has the whole response.
    const bytes = captureBody(response, isJson, () => {
      const headers = headersOf();
      // The process of a test also runs other servers, and our server with other operations.
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
        testFile,
      };
      const text = JSON.stringify(line);
      if (observed.has(text)) return;
      observed.add(text);
      // Synchronous, because some of these processes are killed.
      appendFileSync(join(folder, `${process.pid}.ndjson`), `${text}\n`);
    });
  });
}

/** Captures the headers that are passed to `writeHead`, because `getHeaders` does not return them. */
function captureHeaders(response: ServerResponse): () => Readonly<Record<string, unknown>> {
  const captured: Record<string, unknown> = {};
  const originalWriteHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  Object.assign(response, {
    writeHead: (...args: unknown[]) => {
      const last = args.at(-1);
      const headers = typeof last === 'object' && last !== null && !Array.isArray(last) ? Object.entries(last) : [];
      for (const [name, value] of headers) captured[name.toLowerCase()] = value;
      return originalWriteHead(...args);
    },
  });
  return () => captured;
}

/**
 * Buffers a JSON body up to a limit, and of other bodies only the first chunk, because they have no schema. Calls `onComplete`
 * when the body is complete. The returned function gives the buffered bytes; undefined above the limit.
 */
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
    const original = response[name].bind(response) as (...args: unknown[]) => unknown;
    Object.assign(response, {
      [name]: (...args: unknown[]) => {
        capture(args[0]);
        if (name === 'end' && !isEnded) {
          isEnded = true;
          onComplete();
        }
        return original(...args);
      },
    });
  }
  return () => (size <= bufferLimitBytes ? Buffer.concat(pieces) : undefined);
}

if (outputFolder !== undefined) watchResponses(outputFolder);
