import assert from 'node:assert/strict';
import type { Engine } from './database-engines.ts';
import { bearerHeaders, createHttpClient, postJson } from './http-client.ts';
import {
  type CleanupScope,
  type ClientSecretCredentials,
  makeServerFixture,
  type ServerFixture,
} from './server-process.ts';

/** A JSON response. */
type JsonResponse = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

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
  readonly clientId: string;
  /** The access token of the first client. */
  readonly token: string;
  /** The first client with an access token for only these of its scopes. */
  withScopes(scopes: readonly string[]): Promise<PresentationClient>;
  /** Asks, by default without a code for another device, and fails if that is refused. */
  start(body: object): Promise<{ readonly id: string; readonly walletUrl: string; readonly pageUrl: string }>;
};

const path = '/v1/identity/presentations';

/** `purposes` are those of the first client. `host`: the name of this machine in the public URL. */
type WalletServerOptions = {
  readonly engine?: Engine['name'];
  readonly purposes?: readonly string[];
  readonly host?: string;
  readonly settings?: Readonly<Record<string, string>>;
};

/** Starts a demo, which trusts the sandbox issuer, and creates two clients with the scope `identity:present`. */
export async function openWalletServer(
  t: CleanupScope,
  { engine = 'sqlite', purposes, host, settings = {} }: WalletServerOptions = {},
): Promise<WalletServer> {
  const server = await makeServerFixture(t, { engine, settings });
  if (host !== undefined) server.environment['PUBLIC_URL'] = `http://${host}:${server.port}`;
  await server.start();
  const { clientId, token, fetchToken } = await createClient(server, 'Permit Office', purposes);
  const own = presentationClient(server, token);
  const other = presentationClient(server, (await createClient(server, 'Curious Office')).token);
  const start: WalletServer['start'] = async (body) => {
    const asked = await own.ask({ confirmation: 'none', ...body });
    assert.equal(asked.status, 201, JSON.stringify(asked.body));
    const { presentationId, walletUrl, pageUrl } = asked.body;
    return { id: String(presentationId), walletUrl: String(walletUrl), pageUrl: String(pageUrl) };
  };
  const withScopes: WalletServer['withScopes'] = async (scopes) => presentationClient(server, await fetchToken(scopes));
  return { server, ...own, other, clientId, token, withScopes, start };
}

async function createClient(server: ServerFixture, name: string, purposes: readonly string[] = []) {
  const scopes = ['identity:present', 'identity:verify:claims', 'events:read'];
  const limits = purposes.length === 0 ? [] : ['--purposes', purposes.join(',')];
  const arguments_ = [name, '--scopes', scopes.join(','), '--secret', '--json', ...limits];
  const { code, stdout, stderr } = await server.runCommand('clients', 'create', ...arguments_);
  assert.equal(code, 0, stderr);
  const credentials = JSON.parse(stdout) as ClientSecretCredentials;
  const fetchToken = (some: readonly string[]) => server.fetchAccessToken(some, credentials);
  return { clientId: credentials.clientId, token: await fetchToken(scopes), fetchToken };
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
