import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CertificateReader } from '../auth/client-certificate.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import { etagListIncludes } from '../kernel/entity-tag.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { requestPath, requestQuery } from '../kernel/request-target.ts';
import { markStreamed } from './body-timeouts.ts';
import type { BufferedResponse } from './buffered-response.ts';
import { deprecationHeaders } from './deprecation.ts';
import { createDispatch, type DispatchContext, type DispatchResult } from './dispatch.ts';
import { httpMethods } from './guard.ts';
import type { Log } from './log.ts';
import { parseAccept, qualityOf } from './media-range.ts';
import { type BoundOperation, type ListedOperation, type OperationResponse, operationMethods } from './operation.ts';
import { notFoundPadding } from './pad-response-time.ts';
import type { MountedHandler, PageRoute } from './page-route.ts';
import { pipeToResponse } from './pipe-to-response.ts';
import { problemResponse, type RefusedPage, refusalResponse } from './problem-response.ts';
import { sendContinue, unreadBody } from './read-body.ts';
import type { TlsOptions } from './tls-server.ts';
import { traceIdOf } from './trace-id.ts';

/** The routes of a server, and its dependencies. */
export type ServerDeps = {
  readonly app: DispatchContext;
  readonly operations: readonly BoundOperation[];
  readonly pages: readonly PageRoute[];
  readonly mounts: readonly MountedHandler[];
  readonly publicUrl: string;
  readonly apiVersion: string;
  readonly random: RandomBytes;
  readonly log: Log;
  readonly certificates?: CertificateReader | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Without it every refusal is a problem. */
  readonly refusedPage?: RefusedPage | undefined;
  /** Whether the server answers requests for that Host header. By default, it answers every valid one. */
  readonly isOwnHost?: ((host: string | undefined) => boolean) | undefined;
  /** Whether other threads of this process listen on the same port (SO_REUSEPORT). */
  readonly reusePort?: boolean;
};

/** Shared by all routes; `headers` are the headers of every response. */
export type RouteContext = {
  readonly deps: ServerDeps;
  readonly headers: Readonly<Record<string, string>>;
  readonly newRequestId: () => string;
  readonly stopping: () => boolean;
};

/** For operations that do not stream a request body. */
const neverAborted = new AbortController().signal;

function abortOnClose(response: ServerResponse): AbortSignal {
  const abort = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) abort.abort();
  });
  return abort.signal;
}

/** Calls `call` when the response is sent or the client is gone; at once if that has already happened. */
export function onResponseClosed(response: ServerResponse, call: () => void): void {
  if (response.closed) call();
  else response.once('close', call);
}

/** Registers every operation, page and mounted handler. The other methods of their paths answer 405 with `Allow`. */
export function mountRoutes(fastify: FastifyInstance, route: RouteContext): void {
  const byPath = Map.groupBy(route.deps.operations, ({ operation }) => operation.path);
  for (const [path, operations] of byPath) {
    const allowed = operations.flatMap(({ operation }) => operationMethods(operation));
    for (const url of routeUrls(path)) {
      for (const bound of operations) {
        fastify.route({
          method: [...operationMethods(bound.operation)],
          url,
          handler: operationHandler(withDeprecationHeaders(route, bound.operation), bound),
        });
      }
      routeOtherMethods(fastify, route, { url, allowed });
    }
  }
  for (const page of route.deps.pages) {
    fastify.route({
      method: ['GET', 'HEAD'],
      url: page.path,
      handler: (request, reply) => servePage(route, { page, request, reply }),
    });
    routeOtherMethods(fastify, route, { url: page.path, allowed: ['GET', 'HEAD'] });
  }
  for (const mount of route.deps.mounts) mountHandler(fastify, route, mount);
}

/** OpenAPI has no empty path: relative to the server URL, the path of the root of the interface is `/`. */
function routeUrls(path: string): readonly string[] {
  return path === '/v1' ? [path, `${path}/`] : [path.replaceAll(/\{(\w+)\}/g, ':$1')];
}

function withDeprecationHeaders(route: RouteContext, { deprecated }: ListedOperation): RouteContext {
  return deprecated === undefined
    ? route
    : { ...route, headers: { ...route.headers, ...deprecationHeaders(deprecated) } };
}

function operationHandler(route: RouteContext, bound: BoundOperation) {
  const { operation } = bound;
  const dispatch = createDispatch(bound, route.deps.app);
  const mediaTypes = producedTypes(operation);

  async function dispatchRequest(request: FastifyRequest, { raw: response }: FastifyReply): Promise<DispatchResult> {
    if (!isAcceptable(request.headers.accept, mediaTypes)) return { result: refuse('not-acceptable'), headers: {} };
    return await dispatch({
      method: request.method,
      path: requestPath(request.raw.url),
      certificate: () => route.deps.certificates?.read(request.raw)?.thumbprint,
      // Fastify returns the named parameters of the path as strings.
      params: request.params as Record<string, string>,
      query: requestQuery(request.raw.url),
      headers: request.headers,
      body: unreadBody(request.raw, response),
      signal: operation.bodyBytes === undefined ? neverAborted : abortOnClose(response),
      onFinished: (call) => onResponseClosed(response, call),
    });
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const startedAt = performance.now();
    const padNotFound = notFoundPadding.start();
    const instance = route.newRequestId();
    if (operation.bodyBytes !== undefined) markStreamed(request.raw);
    const dispatched = await dispatchRequest(request, reply).catch((fault): DispatchResult => {
      route.deps.log.fault(operation.name, fault, instance);
      return { result: refuse('internal-error'), headers: {} };
    });
    const { result, caller } = dispatched;
    const problem = 'slug' in result ? result.slug : undefined;
    if (problem !== undefined && problems[problem].status === 404) await padNotFound();
    const headers = { ...route.headers, ...dispatched.headers, 'request-id': instance };
    if ('slug' in result) sendProblem(reply, problemResponse(result, route.deps.publicUrl, instance), headers);
    else sendResponse(reply, result, { headers, isLastOnConnection: route.stopping() });
    route.deps.log.request({
      instance,
      method: request.method,
      route: operation.path,
      status: reply.statusCode,
      problem,
      clientId: caller?.clientId,
      traceId: traceIdOf(request.headers),
      durationMs: roundedElapsedMs(startedAt),
    });
    return reply;
  };
}

const roundedElapsedMs = (startedAt: number) => Math.round((performance.now() - startedAt) * 10) / 10;

type ResponseHeaders = Readonly<Record<string, string | string[]>>;

function sendProblem(
  reply: FastifyReply,
  { status, headers, body }: BufferedResponse,
  commonHeaders: ResponseHeaders,
): void {
  // The rest of the request body stays unread.
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  // As bytes, because Fastify adds a charset to the type of a text, and `application/problem+json` has none.
  reply
    .code(status)
    .headers({ ...commonHeaders, ...headers })
    .send(Buffer.from(body));
}

function sendResponse(
  reply: FastifyReply,
  result: OperationResponse,
  { headers: commonHeaders, isLastOnConnection }: { headers: ResponseHeaders; isLastOnConnection: boolean },
): void {
  const headers: Record<string, string | string[]> = { ...commonHeaders, ...result.headers };
  const links = [commonHeaders['link'], result.headers?.['link']].filter((link) => link !== undefined);
  if (links.length > 0) headers['link'] = links.join(', ');
  if ('json' in result) {
    headers['content-type'] ??= 'application/json; charset=utf-8';
    // As text, which Node.js writes together with the headers.
    const body = result.text ?? JSON.stringify(result.json);
    reply.code(result.status).headers(headers).send(body);
  } else if (reply.request.method === 'HEAD' || result.stream === null) {
    void result.stream?.return?.();
    reply.code(result.status).headers(headers).send();
  } else {
    // Fastify would read ahead, but a chunk is valid only until the next one is requested.
    const response = reply.hijack().raw;
    if (isLastOnConnection) response.shouldKeepAlive = false;
    response.writeHead(result.status, headers);
    const length = headers['content-length'];
    void pipeToResponse(result.stream, response, length === undefined ? undefined : Number(length));
  }
}

async function servePage(
  route: RouteContext,
  { page, request, reply }: { page: PageRoute; request: FastifyRequest; reply: FastifyReply },
) {
  const instance = route.newRequestId();
  const response = await page.get(
    // Fastify returns the named parameters of the path as strings.
    request.params as Record<string, string>,
    new URLSearchParams(requestQuery(request.raw.url)),
    request.headers['accept-encoding'],
  );
  if ('slug' in response) return refuseReply(route, { reply, refusal: response, instance });
  const { 'content-type': type, 'content-encoding': coding, ...otherHeaders } = response.headers;
  reply.headers({ ...route.headers, ...otherHeaders, 'request-id': instance });
  const ifNoneMatch = request.headers['if-none-match'];
  const { etag } = otherHeaders;
  if (typeof etag === 'string' && ifNoneMatch !== undefined && etagListIncludes(ifNoneMatch, etag, 'weakly'))
    return reply.code(304).send();
  return reply
    .headers(type === undefined ? {} : { 'content-type': type })
    .headers(coding === undefined ? {} : { 'content-encoding': coding })
    .code(response.status)
    .send(response.body);
}

/** Refuses a request that no operation serves. The log and the metrics record it without a route. */
export function refuseReply(
  route: RouteContext,
  { reply, refusal, instance }: { reply: FastifyReply; refusal: Refusal; instance: string },
): FastifyReply {
  route.deps.log.refused(refusal, instance, traceIdOf(reply.request.headers));
  const { status, headers, body } = refusalResponse(reply.request.raw, { refusal, instance }, route.deps);
  reply.code(status).headers({ ...route.headers, ...headers, 'request-id': instance });
  // As bytes, for the same reason as in sendProblem.
  return reply.send(Buffer.from(body));
}

function routeOtherMethods(
  fastify: FastifyInstance,
  route: RouteContext,
  { url, allowed }: { url: string; allowed: readonly string[] },
) {
  const allow = [...new Set([...allowed, 'OPTIONS'])].join(', ');
  fastify.route({
    method: httpMethods.filter((method) => !allowed.includes(method)),
    url,
    handler: async (request, reply) => {
      const instance = route.newRequestId();
      if (request.method === 'OPTIONS')
        return reply
          .code(204)
          .headers({ ...route.headers, 'request-id': instance, allow })
          .send();
      const refusal = refuse('method-not-allowed', `Use ${allow} here.`, { headers: { allow } });
      return refuseReply(route, { reply, refusal, instance });
    },
  });
}

/** The handler writes to the response itself, so Fastify has no part in it beyond the route. */
function mountHandler(fastify: FastifyInstance, route: RouteContext, mount: MountedHandler): void {
  for (const url of mount.paths) {
    const pathTemplate = url.replaceAll(/:(\w+)/g, '{$1}');
    fastify.route({
      method: [...mount.methods],
      url,
      handler: (request, reply) => {
        const startedAt = performance.now();
        const instance = route.newRequestId();
        const { raw: response } = reply.hijack();
        response.setHeaders(new Map(Object.entries({ ...route.headers, 'request-id': instance })));
        response.once('finish', () => {
          route.deps.log.request({
            instance,
            method: request.method,
            route: pathTemplate,
            status: response.statusCode,
            traceId: traceIdOf(request.headers),
            durationMs: roundedElapsedMs(startedAt),
          });
        });
        sendContinue(request.raw, response);
        mount.handler(request.raw, response);
      },
    });
    routeOtherMethods(fastify, route, { url, allowed: mount.methods });
  }
}

/** The media types that an operation can answer with; undefined if the type of the document decides. */
function producedTypes(operation: ListedOperation): readonly string[] | undefined {
  const responses = Object.values(operation.responses);
  if (responses.some((response) => response.bytes === true)) return undefined;
  return [...new Set(responses.map(({ text }) => text?.type ?? 'application/json'))];
}

function isAcceptable(accept: string | undefined, types: readonly string[] | undefined): boolean {
  if (accept === undefined || types === undefined || types.includes(accept)) return true;
  const ranges = parseAccept(accept);
  return types.some((type) => qualityOf(type, ranges) > 0);
}
