import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { tokenPath } from '../auth/access-token.ts';
import { metadataPath } from '../auth/authorization-server.ts';
import { randomUuid } from '../kernel/id.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { requestPath } from '../kernel/request-target.ts';
import { closeListener } from './close-listener.ts';
import { createGuardedServer, httpLimits, httpMethods } from './guard.ts';
import { listenError } from './listen-error.ts';
import { createLoad, type Load } from './load-shedding.ts';
import { mountRoutes, type RouteContext, refuseReply, type ServerDeps } from './routes.ts';
import { traceIdOf } from './trace-id.ts';

export type ApiServer = {
  /** Returns the port; rejects with the reason when the address cannot be used. */
  listen(host: string, port: number): Promise<number>;
  /**
   * Accepts no new connection, and closes each open one after its next response. An idle connection stays open for the
   * keep-alive time, because its client may have sent a request already. All have `deadlineMs` to end.
   */
  stop(deadlineMs: number): Promise<void>;
};

/** Node.js closes an idle connection after this time: the keep-alive time and its `keepAliveTimeoutBuffer`. */
const idleLimitMs = httpLimits.keepAliveTimeoutMs + 1_000;

/** Creates the server: the guard, one route for each operation, and a problem for every other request. */
export function createApiServer(deps: ServerDeps): ApiServer {
  const load = createLoad(idleLimitMs);
  const route: RouteContext = {
    deps,
    headers: commonHeaders(deps),
    newRequestId: () => `urn:uuid:${randomUuid(deps.random)}`,
    stopping: () => load.stopping,
  };
  const guard = {
    publicUrl: deps.publicUrl,
    headers: route.headers,
    newRequestId: route.newRequestId,
    shed: load.shed,
    onRefused: (refusal: Refusal, instance: string, headers?: IncomingHttpHeaders) =>
      deps.log.refused(refusal, instance, traceIdOf(headers)),
    refusedPage: deps.refusedPage,
    strip: deps.certificates?.strip,
    tls: deps.tls,
    isStopping: () => load.stopping,
    isOwnHost: deps.isOwnHost,
  };
  const fastify = Fastify({
    serverFactory: (handler) => createGuardedServer(guard, trackLoad(load, handler)),
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: httpLimits.uriBytes },
    frameworkErrors: (_fault, _request, reply) => {
      const refusal = refuse('malformed-http', 'The path is malformed.');
      refuseReply(route, { reply, refusal, instance: route.newRequestId() });
    },
  });
  configureFastify(fastify, load);
  addFallbackHandlers(fastify, route);
  mountRoutes(fastify, route);
  return {
    listen: async (host, port) => {
      const listenOptions = { host, port, reusePort: deps.reusePort === true };
      await fastify.listen(listenOptions).catch((fault) => Promise.reject(listenError(fault, listenOptions)));
      load.watch();
      const address = fastify.server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    },
    stop: async (deadlineMs) => {
      load.beginStop();
      const { over } = await closeListener(fastify.server);
      // Node.js closes each idle connection after the keep-alive time.
      await Promise.race([over, pause(deadlineMs, undefined, { ref: false })]);
      fastify.server.closeAllConnections();
      await fastify.close();
      load.close();
    },
  };
}

function configureFastify(fastify: FastifyInstance, load: Load): void {
  // Dispatch reads the body after it has authenticated the client. Fastify must not look at the body or its type before.
  for (const method of httpMethods) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  // The router accepts an empty last segment as the value of a parameter.
  fastify.addHook('onRequest', (request, reply, done) => {
    if (Object.values(request.params ?? {}).includes('')) reply.callNotFound();
    else done();
  });
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (load.stopping) reply.header('connection', 'close');
    done();
  });
}

function addFallbackHandlers(fastify: FastifyInstance, route: RouteContext): void {
  fastify.setErrorHandler((fault, _request, reply) => {
    const instance = route.newRequestId();
    route.deps.log.fault('http', fault, instance);
    return refuseReply(route, { reply, refusal: refuse('internal-error'), instance });
  });
  fastify.setNotFoundHandler(({ raw }, reply) => {
    const refusal = unknownPath(requestPath(raw.url), route.deps.publicUrl);
    return refuseReply(route, { reply, refusal, instance: route.newRequestId() });
  });
}

/** The refusal of a path that nothing serves. OAuth libraries guess where the token endpoint and its metadata are. */
function unknownPath(path: string, publicUrl: string): Refusal {
  const tokenUrl = `${publicUrl}${tokenPath}`;
  if (/(?:^|\/)tokens?\/?$/i.test(path))
    return refuse('not-found', `The token endpoint of this server is ${tokenUrl}.`, { members: { tokenUrl } });
  if (path === '/.well-known/openid-configuration')
    return refuse(
      'not-found',
      `This server is not an OpenID provider. The OAuth 2.0 metadata (RFC 8414) is at ${publicUrl}${metadataPath}.`,
      { members: { tokenUrl } },
    );
  return refuse('not-found');
}

function trackLoad(load: Load, handler: RequestListener): RequestListener {
  return (request, response) => {
    load.begin();
    response.once('close', () => load.end());
    handler(request, response);
  };
}

/** The headers of every response (docs/reference/requirements.md, rows 4, 24 and 68). */
function commonHeaders(deps: ServerDeps): Record<string, string> {
  const headers: Record<string, string> = {
    'api-version': deps.apiVersion,
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
  if (deps.publicUrl.startsWith('https:')) headers['strict-transport-security'] = 'max-age=31536000';
  return headers;
}
