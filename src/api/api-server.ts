import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import type { CertificateReader } from '../auth/client-certificate.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import { randomUuid } from '../kernel/id.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { BufferedResponse } from './buffered-response.ts';
import { closeListener } from './close-listener.ts';
import type { DispatchContext } from './dispatch.ts';
import { createGuardedServer, httpLimits, httpMethods } from './guard.ts';
import { listenError } from './listen-error.ts';
import { createLoad, type Load } from './load-shedding.ts';
import type { Log } from './log.ts';
import type { Operation } from './operation.ts';
import type { RefusedPage } from './problem-response.ts';
import { mountRoutes, type RouteContext, refuseReply } from './routes.ts';
import type { TlsOptions } from './tls-server.ts';

/** A page or document outside /v1: what it answers to GET; header names in lower case. */
export type PageRoute = {
  readonly path: string;
  get(params: Readonly<Record<string, string>>, query: URLSearchParams): Promise<PageResponse>;
};
export type PageResponse = BufferedResponse | Refusal;

/**
 * A foreign request handler mounted on some paths, as the authorization server; other methods than `methods` are 405. Its
 * answers have the headers of all where it sets no others.
 */
export type MountedHandler = {
  readonly paths: readonly string[];
  readonly methods: readonly string[];
  readonly handler: RequestListener;
};

/** What the server serves, and what it needs for it. */
export type ServerDeps<P> = {
  readonly app: DispatchContext<P>;
  readonly operations: readonly Operation<P>[];
  readonly pages: readonly PageRoute[];
  readonly mounts: readonly MountedHandler[];
  readonly publicUrl: string;
  readonly apiVersion: string;
  readonly random: RandomBytes;
  readonly log: Log;
  /** Who calls over mutual TLS; without it nobody does. */
  readonly certificates?: CertificateReader | undefined;
  /** Where this process ends TLS itself. */
  readonly tls?: TlsOptions | undefined;
  /** Without it every refusal is a problem. */
  readonly refusedPage?: RefusedPage | undefined;
  /** Whether other threads of this process listen on the same port (SO_REUSEPORT). */
  readonly reusePort?: boolean;
};

/** The running HTTP side. */
export type ApiServer = {
  listen(host: string, port: number): Promise<number>;
  /**
   * Takes no new connection, lets each go behind its next answer, finishes what was taken within `deadlineMs`, and closes: who
   * calls over kept connections, as a proxy, is refused nothing by a server that another takes the place of.
   */
  stop(deadlineMs: number): Promise<void>;
};

/** How long a stop, when all is answered, waits for requests on connections that have brought none yet; they are answered with 503. */
const lingerMs = 500;

/** Builds the HTTP server: the guard in front, one route for each operation, a problem for everything else. */
export function createApiServer<P>(deps: ServerDeps<P>): ApiServer {
  const load = createLoad();
  const route: RouteContext<P> = {
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
    onRefused: (refusal: Refusal, instance: string) => deps.log.refused(refusal, instance),
    refusedPage: deps.refusedPage,
    strip: deps.certificates?.strip,
    tls: deps.tls,
    shouldClose: () => load.stopping,
  };
  const fastify = Fastify({
    serverFactory: (handler) => createGuardedServer(guard, trackLoad(load, handler)),
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: httpLimits.uriBytes },
    frameworkErrors: (_fault, _request, reply) => {
      refuseReply(route, {
        reply,
        refusal: refuse('malformed-http', 'The path is not well formed.'),
        instance: route.newRequestId(),
      });
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
      await load.drain(deadlineMs);
      fastify.server.closeIdleConnections();
      await Promise.race([over, pause(lingerMs, undefined, { ref: false })]);
      fastify.server.closeAllConnections();
      await fastify.close();
      load.close();
    },
  };
}

/** What holds for all routes. */
function configureFastify(fastify: FastifyInstance, load: Load): void {
  // Bodies are read by dispatch, after the caller is known: to Fastify no method has one, so that it looks neither at the
  // body nor at its type.
  for (const method of httpMethods) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  // The router takes the nothing behind a last slash for a name.
  fastify.addHook('onRequest', (request, reply, done) => {
    if (hasEmptyName(request.params)) reply.callNotFound();
    else done();
  });
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (load.stopping) reply.header('connection', 'close');
    done();
  });
}

/** A problem for what no route answers, and for a fault that none has caught. */
function addFallbackHandlers<P>(fastify: FastifyInstance, route: RouteContext<P>): void {
  fastify.setErrorHandler((fault, _request, reply) => {
    const instance = route.newRequestId();
    route.deps.log.fault('http', fault, instance);
    return refuseReply(route, { reply, refusal: refuse('internal-error'), instance });
  });
  fastify.setNotFoundHandler((_request, reply) =>
    refuseReply(route, { reply, refusal: refuse('not-found'), instance: route.newRequestId() }),
  );
}

function hasEmptyName(params: unknown): boolean {
  return typeof params === 'object' && params !== null && Object.values(params).includes('');
}

function trackLoad(load: Load, handler: RequestListener): RequestListener {
  return (request, response) => {
    load.begin();
    response.once('close', () => load.end());
    handler(request, response);
  };
}

/** What every answer carries (api requirements 4, 24, 68). */
function commonHeaders<P>(deps: ServerDeps<P>): Record<string, string> {
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
