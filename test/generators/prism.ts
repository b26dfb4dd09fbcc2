/**
 * Sends a valid request to each operation through the validation proxy of Prism, which compares requests and responses with the
 * OpenAPI document.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Operation } from '../../src/api/operation.ts';
import { operations } from '../../src/app/operations.ts';
import { makeDemoWithExternalIssuer } from '../support/external-issuer.ts';
import { freePort } from '../support/free-port.ts';
import {
  createHttpClient,
  type HttpRequest,
  type HttpResponse,
  parseJsonBody,
  postJson,
} from '../support/http-client.ts';
import { fileCleanupScope, killWithThisProcess } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { createResources, type ResourceIds, validClaims, validRequest } from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';

/** The operations that Prism cannot forward, with its problem and the reason. */
const expectedDeviations: Readonly<Record<string, { readonly problem: string; readonly reason: string }>> = {
  verifyIdentityQuery: {
    problem: 'NO_METHOD_MATCHED_ERROR',
    reason: 'OpenAPI 3.1 cannot describe the method QUERY, and Prism ignores x-query.',
  },
};

/** The document has this path, and the server does not, so that its response is a violation. */
const plantedPath = '/planted';

let ask: ReturnType<typeof createHttpClient>;
let token = '';
let citizenToken = '';
let ids: ResourceIds;
let inboxMessage = '';
const thisFile = fileCleanupScope();
before(async () => {
  const { home, issuer, citizensClient } = await makeDemoWithExternalIssuer(thisFile);
  await home.start('demo');
  token = await home.fetchAccessToken();
  const claims = { client_id: citizensClient, sub: 'somebody', scope: 'citizen:self', citizen_id: 'demo-mary' };
  citizenToken = await issuer.sign({ ...claims, aud: `${home.url}/v1` });
  const askServer = createHttpClient(home.url);
  ids = await createResources(askServer, token);
  inboxMessage = String(parseJsonBody(await askServer(validRequest('sendNotification', { token, ids })))['id']);
  const document = parseJsonBody(await askServer({ path: '/openapi.json' }));
  ask = createHttpClient(await startPrism(document, `${home.url}/v1`));
});

/** Starts the proxy in front of that API, and returns its URL. It ends after this file. */
async function startPrism(document: Readonly<Record<string, unknown>>, apiUrl: string): Promise<string> {
  const planted = { get: { operationId: 'planted', responses: { 200: { description: 'Never sent.' } } } };
  const file = join(makeTestFolder('cs-prism-'), 'openapi.json');
  writeFileSync(file, JSON.stringify({ ...document, paths: { ...Object(document['paths']), [plantedPath]: planted } }));
  const port = String(await freePort());
  const program = join(import.meta.dirname, 'node_modules/@stoplight/prism-cli/dist/index.js');
  const { PATH } = process.env;
  const args = [program, 'proxy', file, apiUrl, '--errors', '--host', '127.0.0.1', '--port', port];
  const child = spawn(process.execPath, args, { env: { PATH, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'inherit'] });
  const unregister = killWithThisProcess(child.pid ?? assert.fail('expected Prism to start'));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  thisFile.after(() => child.kill('SIGKILL'));
  child.once('close', unregister);
  await waitUntil(async () => {
    if (child.exitCode !== null) assert.fail(printed);
    return printed.includes('Prism is listening');
  });
  return `http://127.0.0.1:${port}`;
}

/** Sends a request to the proxy, whose paths are relative to the server URL of the document. */
async function askPrism(asked: HttpRequest): Promise<HttpResponse> {
  const send = () => ask({ ...asked, path: asked.path.replace(/^\/v1/, '') || '/' });
  let answer = await send();
  // A receipt is 409 until its event has a number.
  await waitUntil(async () => {
    const isPending = answer.body.includes('/receipt-not-ready');
    if (isPending) answer = await send();
    return !isPending;
  });
  return answer;
}

/** The problem and the violations that Prism reports in a response; undefined for a response of the server. */
function prismReport({
  headers,
  body,
}: HttpResponse): { readonly problem: string; readonly detail: string } | undefined {
  const text = body.toString('utf8');
  const [, problem] = /"type":"https:\/\/stoplight\.io\/prism\/errors#(\w+)"/.exec(text) ?? [];
  if (problem !== undefined) return { problem, detail: text };
  const violations = headers['sl-violations'];
  return violations === undefined ? undefined : { problem: 'sl-violations', detail: String(violations) };
}

/** Refused here: the code that verifies an address is in a mail, and the batch and the presentation have ended by then. */
const refusedHere = new Set([
  'confirmContactAddress',
  'removeContactAddress',
  'cancelNotificationBatch',
  'cancelPresentation',
]);

/** The operations that end what other requests use. */
const isLast = ({ name }: { readonly name: string }) => /^(?:remove|withdraw|cancel)/.test(name);

function requestOf({ name, callers }: Pick<Operation<never>, 'name' | 'callers'>): HttpRequest {
  if (callers.includes('clients')) return validRequest(name, { token, ids });
  return validRequest(name, { token: citizenToken, ids: { ...ids, notification: inboxMessage } });
}

// The server here has no sign-in of staff.
const shown = operations.filter(({ callers }) => !callers.includes('staff'));
for (const operation of shown.sort((one, other) => Number(isLast(one)) - Number(isLast(other)))) {
  const { name } = operation;
  const expected = expectedDeviations[name];
  const outcome = expected === undefined ? 'without a violation' : `except that ${expected.reason}`;
  test(`Prism forwards ${name} ${outcome}`, async () => {
    const answer = await askPrism(requestOf(operation));
    const report = prismReport(answer);
    assert.equal(report?.problem, expected?.problem, report?.detail);
    const isRefused = expected !== undefined || refusedHere.has(name);
    assert.equal(answer.status >= 400, isRefused, `${answer.status} ${answer.body}`);
  });
}

test('an invalid request and an undeclared response are reported by Prism', async () => {
  const invalid = postJson(token, '/v1/identity/verify', { ...validClaims, familyName: 7 });
  const reports = [await askPrism(invalid), await askPrism({ path: plantedPath })].map(prismReport);
  assert.deepEqual(
    reports.map((report) => report?.problem),
    ['UNPROCESSABLE_ENTITY', 'sl-violations'],
  );
});
