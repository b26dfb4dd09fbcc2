import { openApi } from './openapi.ts';
import type { Operation } from './operation.ts';
import type { Page } from './server.ts';

const anyOrigin = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' };

/** A document that stays as it is while the server runs, readable from any origin. */
export function jsonPage(path: string, content: unknown, type = 'application/json; charset=utf-8'): Page {
  const body = JSON.stringify(content, null, 2);
  return { path, get: async () => ({ status: 200, headers: { ...anyOrigin, 'content-type': type }, body }) };
}

/** The documents about the interface that need no token: OpenAPI, health. */
export function apiDocuments<P>(
  operations: readonly Operation<P>[],
  identity: { readonly publicUrl: string; readonly apiVersion: string },
  isReady: () => Promise<boolean>,
): readonly Page[] {
  const description = openApi(operations, identity);
  const health = (path: string, check: () => Promise<boolean>): Page => ({
    path,
    get: async () => {
      const up = await check();
      const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
      if (!up) headers['retry-after'] = '5';
      return { status: up ? 200 : 503, headers, body: JSON.stringify({ status: up ? 'UP' : 'DOWN' }) };
    },
  });
  return [
    jsonPage('/openapi.json', description),
    jsonPage('/v1/openapi.json', description),
    health('/healthz', async () => true),
    health('/readyz', isReady),
  ];
}
