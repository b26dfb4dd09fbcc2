import assert from 'node:assert/strict';
import { bearerHeaders, createHttpClient, postJson } from './http-client.ts';
import {
  type CleanupScope,
  type ClientSecretCredentials,
  makeServerFixture,
  type ServerFixture,
} from './server-process.ts';

/** A JSON response. */
export type JsonResponse = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** The operations of one client on presentations. */
type PresentationClient = {
  ask(body: object): Promise<JsonResponse>;
  read(id: string): Promise<JsonResponse>;
  complete(id: string, responseCode: string): Promise<JsonResponse>;
  cancel(id: string): Promise<JsonResponse>;
};

/** A demo with two clients that may ask wallets. */
export type WalletServer = PresentationClient & {
  readonly server: ServerFixture;
  readonly other: PresentationClient;
  /** The access token of the first client. */
  readonly token: string;
  /** Asks, and fails if that is refused. */
  start(body: object): Promise<{ readonly id: string; readonly walletUrl: string; readonly pageUrl: string }>;
};

const path = '/v1/identity/presentations';

/** Starts a demo, which trusts the sandbox issuer, and creates two clients with the scope `identity:present`. */
export async function openWalletServer(t: CleanupScope): Promise<WalletServer> {
  const server = await makeServerFixture(t);
  await server.start();
  const token = await clientToken(server, 'Permit Office');
  const own = presentationClient(server, token);
  const other = presentationClient(server, await clientToken(server, 'Curious Office'));
  const start: WalletServer['start'] = async (body) => {
    const asked = await own.ask(body);
    assert.equal(asked.status, 201, JSON.stringify(asked.body));
    const { presentationId, walletUrl, pageUrl } = asked.body;
    return { id: String(presentationId), walletUrl: String(walletUrl), pageUrl: String(pageUrl) };
  };
  return { server, ...own, other, token, start };
}

async function clientToken(server: ServerFixture, name: string): Promise<string> {
  const scopes = ['identity:present', 'identity:verify:claims', 'events:read'];
  const arguments_ = [name, '--scopes', scopes.join(','), '--secret', '--json'];
  const { code, stdout, stderr } = await server.runCommand('clients', 'create', ...arguments_);
  assert.equal(code, 0, stderr);
  return await server.fetchAccessToken(scopes, JSON.parse(stdout) as ClientSecretCredentials);
}

function presentationClient({ url }: ServerFixture, token: string): PresentationClient {
  const http = createHttpClient(url);
  const json = (response: { readonly status: number; readonly body: unknown }): JsonResponse => ({
    status: response.status,
    body: JSON.parse(String(response.body)) as Readonly<Record<string, unknown>>,
  });
  const headers = bearerHeaders(token);
  return {
    ask: async (body) => json(await http(postJson(token, path, body))),
    read: async (id) => json(await http({ method: 'GET', path: `${path}/${id}`, headers })),
    complete: async (id, responseCode) => json(await http(postJson(token, `${path}/${id}/complete`, { responseCode }))),
    cancel: async (id) => json(await http({ method: 'POST', path: `${path}/${id}/cancel`, headers })),
  };
}
