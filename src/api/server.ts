import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import type { CertificateReader } from '../access/client-certificate.ts';
import type { Random } from '../kernel/clock.ts';
import { mintUuid } from '../kernel/id.ts';
import { type Refusal, refuse } from '../kernel/problem.ts';
import { closeListener } from './close-listener.ts';
import type { House } from './dispatch.ts';
import { createGuardedServer, httpLimits, methods } from './guard.ts';
import { createLoad, type Load } from './load.ts';
import type { Log } from './log.ts';
import type { Operation } from './operation.ts';
import { portFault } from './port-fault.ts';
import type { RefusedPage } from './problem-answer.ts';
import { type Desk, mountAll, refuseReply } from './routes.ts';
import { createSpread, type Seat } from './spread.ts';
import type { Tls } from './tls.ts';
import type { WholeAnswer } from './whole-answer.ts';

/** A page or document outside /v1: what it answers to GET; header names in lower case. */
export type Page = {
  readonly path: string;
  get(params: Readonly<Record<string, string>>, query: URLSearchParams): Promise<PageAnswer>;
};
export type PageAnswer = WholeAnswer | Refusal;

/**
 * A foreign request handler mounted on some paths, as the authorization server; other methods than `methods` are 405. Its
 * answers have the headers of all where it sets no others.
 */
export type Mount = {
  readonly paths: readonly string[];
  readonly methods: readonly string[];
  readonly handler: RequestListener;
};

/** What the server serves, and what it needs for it. */
export type ServerParts<P> = {
  readonly house: House<P>;
  readonly operations: readonly Operation<P>[];
  readonly pages: readonly Page[];
  readonly mounts: readonly Mount[];
  readonly publicUrl: string;
  readonly apiVersion: string;
  readonly random: Random;
  readonly log: Log;
  /** Who calls over mutual TLS; without it nobody does. */
  readonly certificates?: CertificateReader | undefined;
  /** Where this process ends TLS itself. */
  readonly tls?: Tls | undefined;
  /** Without it every refusal is a problem. */
  readonly refusedPage?: RefusedPage | undefined;
  /** With it other threads may listen on the same port too (SO_REUSEPORT), and callers are spread over all. */
  readonly seat?: Seat | undefined;
};

/** The running HTTP side. */
export type ApiServer = {
  listen(host: string, port: number): Promise<number>;
  /** How many requests have begun so far. */
  begun(): number;
  /**
   * Takes no new connection any more, while others listen on the same port, and refuses nobody: each connection is closed behind
   * its next answer or when it has been idle for as long as any. Resolves when the last one is over, however long that takes.
   */
  leave(): Promise<void>;
  /**
   * Takes no new connection, lets each go behind its next answer, finishes what was taken within `deadlineMs`, and closes: who
   * calls over kept connections, as a proxy, is refused nothing by a server that another takes the place of.
   */
  stop(deadlineMs: number): Promise<void>;
};

/** How long a stop, when all is answered, waits for requests on connections that have brought none yet; they are answered with 503. */
const lingerMs = 500;

/** Builds the HTTP server: the guard in front, one route for each operation, a problem for everything else. */
export function createApiServer<P>(parts: ServerParts<P>): ApiServer {
  const load = createLoad();
  const spread = parts.seat && createSpread(parts.seat);
  const desk: Desk<P> = {
    parts,
    headers: commonHeaders(parts),
    newInstance: () => `urn:uuid:${mintUuid(parts.random)}`,
    stopping: () => load.stopping,
  };
  const guard = {
    publicUrl: parts.publicUrl,
    headers: desk.headers,
    newInstance: desk.newInstance,
    shed: load.shed,
    onRefused: (refusal: Refusal, instance: string) => parts.log.refused(refusal, instance),
    refusedPage: parts.refusedPage,
    strip: parts.certificates?.strip,
    tls: parts.tls,
    moves: (connection: object) => load.stopping || spread?.moves(connection) === true,
  };
  const app = Fastify({
    serverFactory: (handler) => createGuardedServer(guard, counted(load, handler)),
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: httpLimits.uriBytes },
    frameworkErrors: (_fault, _request, reply) => {
      refuseReply(desk, {
        reply,
        refusal: refuse('malformed-http', 'The path is not well formed.'),
        instance: desk.newInstance(),
      });
    },
  });
  prepare(app, load);
  refuseTheRest(app, desk);
  mountAll(app, desk);
  return {
    begun: () => load.begun,
    listen: async (host, port) => {
      const own = { host, port, ...(spread === undefined ? {} : { reusePort: true }) };
      await app.listen(own).catch((fault) => Promise.reject(portFault(fault, own)));
      load.watch();
      spread?.begin();
      const address = app.server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    },
    leave: async () => {
      const { over } = await closeListener(app.server);
      spread?.end();
      await over;
    },
    stop: async (deadlineMs) => {
      load.beginStop();
      const { over } = await closeListener(app.server);
      spread?.end();
      await load.drain(deadlineMs);
      app.server.closeIdleConnections();
      await Promise.race([over, pause(lingerMs, undefined, { ref: false })]);
      app.server.closeAllConnections();
      await app.close();
      load.close();
    },
  };
}

/** What holds for all routes. */
function prepare(app: FastifyInstance, load: Load): void {
  // Bodies are read by dispatch, after the caller is known: to Fastify no method has one, so that it looks neither at the
  // body nor at its type.
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  // The router takes the nothing behind a last slash for a name.
  app.addHook('onRequest', (request, reply, done) => {
    if (hasEmptyName(request.params)) reply.callNotFound();
    else done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (load.stopping) reply.header('connection', 'close');
    done();
  });
}

/** A problem for what no route answers, and for a fault that none has caught. */
function refuseTheRest<P>(app: FastifyInstance, desk: Desk<P>): void {
  app.setErrorHandler((fault, _request, reply) => {
    const instance = desk.newInstance();
    desk.parts.log.fault('http', fault, instance);
    return refuseReply(desk, { reply, refusal: refuse('internal-error'), instance });
  });
  app.setNotFoundHandler((_request, reply) =>
    refuseReply(desk, { reply, refusal: refuse('not-found'), instance: desk.newInstance() }),
  );
}

function hasEmptyName(params: unknown): boolean {
  return typeof params === 'object' && params !== null && Object.values(params).includes('');
}

function counted(load: Load, handler: RequestListener): RequestListener {
  return (request, response) => {
    load.begin();
    response.once('close', () => load.end());
    handler(request, response);
  };
}

/** What every answer carries (api requirements 4, 24, 68). */
function commonHeaders<P>(parts: ServerParts<P>): Record<string, string> {
  const headers: Record<string, string> = {
    'api-version': parts.apiVersion,
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
  if (parts.publicUrl.startsWith('https:')) headers['strict-transport-security'] = 'max-age=31536000';
  return headers;
}
