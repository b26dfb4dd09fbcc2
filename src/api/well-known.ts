import { hash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { type ContentCoding, chooseContentCoding, encodeContent } from './content-coding.ts';
import { type ApiInfo, createOpenApiDocument } from './openapi/document.ts';
import { toOpenApi30 } from './openapi/openapi-30.ts';
import { toYaml } from './openapi/yaml.ts';
import type { Operation } from './operation.ts';
import type { PageRoute } from './page-route.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };
const anyOriginHeaders = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' };

/** The readiness of a server, and the state of its ledger. */
export const readinessPath = '/readyz';
/** Paths that the admin server of each process answers too. */
export const healthPaths: readonly string[] = ['/healthz', readinessPath];

/** A JSON document that does not change while the server runs, readable from any origin. */
export function jsonPage(path: string, content: unknown, headers: Readonly<Record<string, string>> = json): PageRoute {
  return textPage(path, () => JSON.stringify(content, null, 2), headers);
}

function textPage(path: string, text: () => string, headers: Readonly<Record<string, string>>): PageRoute {
  // As bytes, because Fastify adds a charset to the type of a text.
  const plain = lazy(() => Buffer.from(text()));
  const respond = async (coding: ContentCoding) => {
    const body = Buffer.from(await encodeContent(plain(), coding));
    const etag = `"${hash('sha256', body, 'base64url')}"`;
    const coded: Record<string, string> = coding === 'identity' ? {} : { 'content-encoding': coding };
    const own = { ...headers, ...coded, vary: 'accept-encoding', etag };
    return { status: 200, headers: { ...anyOriginHeaders, ...own }, body };
  };
  // Each form is made once. Two forms never have the same ETag, because their bytes differ.
  const forms = new Map<ContentCoding, ReturnType<typeof respond>>();
  return {
    path,
    get: async (_params, _query, acceptEncoding) => {
      const coding = plain().length < minCompressedBytes ? 'identity' : chooseContentCoding(acceptEncoding);
      const form = forms.get(coding) ?? respond(coding);
      forms.set(coding, form);
      return await form;
    },
  };
}

/** Shorter documents fit into one packet anyway. */
const minCompressedBytes = 1_024;

/** Creates a value at its first use, so that the start of a server does not wait for its documents. */
function lazy<T extends object | string>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** `/.well-known/api-catalog` as RFC 9727 requires: with its profile, and with the link also for HEAD. */
export function catalogPage(catalog: unknown): PageRoute {
  return jsonPage('/.well-known/api-catalog', catalog, {
    'content-type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    link: '</.well-known/api-catalog>; rel="api-catalog"',
  });
}

const securityTxtLifeMs = 300 * 86_400_000;

/** `/.well-known/security.txt` (RFC 9116). Each response expires at a midnight less than a year ahead. */
export function securityTxtPage(clock: Clock, textUntil: (expires: string) => string): PageRoute {
  return {
    path: '/.well-known/security.txt',
    get: async () => {
      const day = new Date(clock.now() + securityTxtLifeMs).toISOString().slice(0, 10);
      const headers = { ...anyOriginHeaders, 'content-type': 'text/plain; charset=utf-8' };
      return { status: 200, headers, body: textUntil(`${day}T00:00:00Z`) };
    },
  };
}

/** Whether requests can be served, and the alarms of the ledger, which do not prevent that. */
type Readiness = { readonly up: boolean; readonly ledger?: 'ok' | readonly string[] };

/** The documents of the interface that need no token: OpenAPI 3.1 as JSON and as YAML, 3.0.3 as JSON, and the health. */
export function apiDocuments<P>(
  operations: readonly Operation<P>[],
  identity: ApiInfo,
  isReady: () => Promise<Readiness>,
): readonly PageRoute[] {
  const description = lazy(() => createOpenApiDocument(operations, identity));
  const health = (path: string, check: () => Promise<Readiness>): PageRoute => ({
    path,
    get: async () => {
      const { up, ...more } = await check();
      const headers = up ? json : { ...json, 'retry-after': '5' };
      return { status: up ? 200 : 503, headers, body: JSON.stringify({ status: up ? 'UP' : 'DOWN', ...more }) };
    },
  });
  const asJson = lazy(() => JSON.stringify(description(), null, 2));
  const asJson30 = lazy(() => JSON.stringify(toOpenApi30(description()), null, 2));
  const asYaml = lazy(() => toYaml(description()));
  const yaml = { 'content-type': 'application/yaml' };
  return [
    textPage('/openapi.json', asJson, json),
    textPage('/v1/openapi.json', asJson, json),
    textPage('/openapi-3.0.json', asJson30, json),
    textPage('/v1/openapi-3.0.json', asJson30, json),
    textPage('/openapi.yaml', asYaml, yaml),
    textPage('/v1/openapi.yaml', asYaml, yaml),
    health('/healthz', async () => ({ up: true })),
    health(readinessPath, isReady),
  ];
}
