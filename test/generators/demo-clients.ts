import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { bearerHeaders, createHttpClient, parseJsonBody } from '../support/http-client.ts';
import { type CleanupScope, makeServerFixture } from '../support/server-process.ts';
import { type GeneratorFolder, makeGeneratorFolder } from './generated-client.ts';

/** A running demo, and what the clients of its OpenAPI documents need. */
export type ClientDemo = {
  /** The addresses and the token of the demo, for programs. */
  readonly environment: Readonly<Record<string, string>>;
  /** Creates a folder with both documents, which is deleted after the tests. */
  makeFolder(): GeneratorFolder;
  /** Runs a program, and checks the answers that it prints, and that it has sent one message. */
  checkProgram(run: (environment: Readonly<Record<string, string>>) => Promise<string>): Promise<void>;
};

/** Starts a demo that ends after the tests of the file. */
export async function startClientDemo(scope: CleanupScope): Promise<ClientDemo> {
  const home = await makeServerFixture(scope, { settings: { LOG_LEVEL: 'warn' } });
  await home.start('demo');
  const token = await home.fetchAccessToken();
  const environment = { BASE_URL: home.url, API_URL: `${home.url}/v1`, TOKEN: token };
  const ask = createHttpClient(home.url);
  const documents = Object.fromEntries(
    await Promise.all(
      ['openapi.json', 'openapi-3.0.json'].map(async (name) => [name, String((await ask({ path: `/${name}` })).body)]),
    ),
  ) as Readonly<Record<string, string>>;
  return {
    environment,
    makeFolder: () => {
      const folder = makeGeneratorFolder(documents);
      scope.after(folder.remove);
      return folder;
    },
    checkProgram: async (run) => {
      const reference = randomUUID();
      checkReceived(await run({ ...environment, REFERENCE: reference }));
      const listed = await ask({ path: `/v1/notifications?reference=${reference}`, headers: bearerHeaders(token) });
      const { items } = parseJsonBody(listed);
      assert.ok(Array.isArray(items));
      assert.equal(items.length, 1);
    },
  };
}

/** The answers that a program prints. */
export type ReceivedAnswers = Readonly<Record<'decision' | 'status' | 'notificationId' | 'document', string>>;

function checkReceived(printed: string): void {
  const { decision, status, notificationId, document } = JSON.parse(printed) as ReceivedAnswers;
  assert.deepEqual([decision, status], ['match', 'accepted']);
  assert.match(notificationId, /^ntf_/);
  assert.match(document, /^NOTICE OF ASSESSMENT 2025\n/);
}
