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

/** A demo with a client that may ask wallets. */
export type WalletServer = {
  readonly server: ServerFixture;
  ask(body: object): Promise<JsonResponse>;
  read(id: string): Promise<JsonResponse>;
  complete(id: string, responseCode: string): Promise<JsonResponse>;
  cancel(id: string): Promise<JsonResponse>;
};

const path = '/v1/identity/presentations';

/** Starts a demo, which trusts the sandbox issuer, and creates a client with the scope `identity:present`. */
export async function openWalletServer(t: CleanupScope): Promise<WalletServer> {
  const server = await makeServerFixture(t);
  await server.start();
  const scopes = ['identity:present', 'identity:verify:claims', 'events:read'];
  const arguments_ = ['Permit Office', '--scopes', scopes.join(','), '--secret', '--json'];
  const { code, stdout, stderr } = await server.runCommand('clients', 'create', ...arguments_);
  assert.equal(code, 0, stderr);
  const token = await server.fetchAccessToken(scopes, JSON.parse(stdout) as ClientSecretCredentials);
  const http = createHttpClient(server.url);
  const json = (response: { readonly status: number; readonly body: unknown }): JsonResponse => ({
    status: response.status,
    body: JSON.parse(String(response.body)) as Readonly<Record<string, unknown>>,
  });
  return {
    server,
    ask: async (body) => json(await http(postJson(token, path, body))),
    read: async (id) => json(await http({ method: 'GET', path: `${path}/${id}`, headers: bearerHeaders(token) })),
    complete: async (id, responseCode) => json(await http(postJson(token, `${path}/${id}/complete`, { responseCode }))),
    cancel: async (id) =>
      json(await http({ method: 'POST', path: `${path}/${id}/cancel`, headers: bearerHeaders(token) })),
  };
}
