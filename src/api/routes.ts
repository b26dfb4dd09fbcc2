import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { etagListIncludes } from '../kernel/entity-tag.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { requestPath, requestQuery } from '../kernel/request-target.ts';
import type { MountedHandler, PageRoute, ServerDeps } from './api-server.ts';
import { markStreamed } from './body-timeouts.ts';
import { sendBuffered } from './buffered-response.ts';
import { deprecationHeaders } from './deprecation.ts';
import { createDispatch, type DispatchResult } from './dispatch.ts';
import { httpMethods } from './guard.ts';
import { parseAccept, qualityOf } from './media-range.ts';
import { type Operation, operationMethods } from './operation.ts';
import { notFoundPadding } from './pad-response-time.ts';
import { pipeToResponse } from './pipe-to-response.ts';
import { problemResponse, refusalResponse } from './problem-response.ts';

/** What every route shares. */
export type RouteContext<P> = {
  readonly deps: ServerDeps<P>;
  readonly headers: Readonly<Record<string, string>>;
  readonly newRequestId: () => string;
  readonly stopping: () => boolean;
};

/** For operations that read no stream of bytes: what they do is done before a caller could go away. */
const neverAborted = new AbortController().signal;

function abortOnClose(response: ServerResponse): AbortSignal {
  const abort = new AbortController();
  response.once('close', () => {
    // An abort makes an error with its stack, and most connections close behind a whole answer.
    if (!response.writableFinished) abort.abort();
  });
  return abort.signal;
}

/** Calls back when this answer has left or its caller is gone, which may have been before. */
export function onResponseClosed(response: ServerResponse, call: () => void): void {
  if (response.closed) call();
  else response.once('close', call);
}

/** Puts every operation, page and mount on its path; the other methods of a path answer 405 with `Allow`. */
export function mountRoutes<P>(fastify: FastifyInstance, route: RouteContext<P>): void {
  const byPath = Map.groupBy(route.deps.operations, (operation) => operation.path);
  for (const [path, operations] of byPath) {
    const allowed = operations.flatMap(operationMethods);
    for (const url of routeUrls(path)) {
      for (const operation of operations)
        routeOperation(fastify, withDeprecationHeaders(route, operation), { url, operation });
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

/** OpenAPI knows no empty path: behind the address of the server, the root of the interface is `/` there. */
function routeUrls(path: string): readonly string[] {
  return path === '/v1' ? [path, `${path}/`] : [path.replaceAll(/\{(\w+)\}/g, ':$1')];
}

/** The desk of an operation that is to go has the headers that say so. */
function withDeprecationHeaders<P>(route: RouteContext<P>, { deprecated }: Operation<P>): RouteContext<P> {
  return deprecated === undefined
    ? route
    : { ...route, headers: { ...route.headers, ...deprecationHeaders(deprecated) } };
}

function routeOperation<P>(
  fastify: FastifyInstance,
  route: RouteContext<P>,
  { url, operation }: { url: string; operation: Operation<P> },
) {
  const dispatch = createDispatch(operation, route.deps.app);
  const mediaTypes = producedTypes(operation);
  fastify.route({
    method: [...operationMethods(operation)],
    url,
    handler: async (request, reply) => {
      const startedAt = performance.now();
      const padNotFound = notFoundPadding.start();
      const instance = route.newRequestId();
      if (operation.bodyBytes !== undefined) markStreamed(request.raw);
      let dispatched: DispatchResult;
      try {
        dispatched = isAcceptable(request.headers.accept, mediaTypes)
          ? await dispatch({
              method: request.method,
              path: requestPath(request.raw.url),
              certificate: () => route.deps.certificates?.read(request.raw)?.thumbprint,
              // Fastify gives the named parameters of the path as strings.
              params: request.params as Record<string, string>,
              query: requestQuery(request.raw.url),
              headers: request.headers,
              body: request.raw,
              signal: operation.bodyBytes === undefined ? neverAborted : abortOnClose(reply.raw),
              onFinished: (call) => onResponseClosed(reply.raw, call),
            })
          : { result: refuse('not-acceptable'), headers: {} };
      } catch (fault) {
        route.deps.log.fault(operation.name, fault, instance);
        dispatched = { result: refuse('internal-error'), headers: {} };
      }
      if ('slug' in dispatched.result && problems[dispatched.result.slug].status === 404) await padNotFound();
      const status = sendResult(route, { request, reply, dispatched, instance });
      const problem = 'slug' in dispatched.result ? dispatched.result.slug : undefined;
      const durationMs = roundedElapsedMs(startedAt);
      const { clientId } = dispatched.caller ?? {};
      route.deps.log.request({
        instance,
        method: request.method,
        route: operation.path,
        status,
        problem,
        clientId,
        durationMs,
      });
      return reply;
    },
  });
}

/** Milliseconds, as the log has them. */
const roundedElapsedMs = (startedAt: number) => Math.round((performance.now() - startedAt) * 10) / 10;

type OutgoingResult = { request: FastifyRequest; reply: FastifyReply; dispatched: DispatchResult; instance: string };

/**
 * Sends an answer or refusal with the headers that every answer carries; gives its status. Straight to the response of
 * Node: what Fastify does to a reply on its way was decided before, and costs as much again.
 */
function sendResult<P>(route: RouteContext<P>, { request, reply, dispatched, instance }: OutgoingResult): number {
  const { result } = dispatched;
  reply.hijack();
  const { raw } = reply;
  const headers: Record<string, string | string[]> = {
    ...route.headers,
    ...dispatched.headers,
    'request-id': instance,
  };
  if (route.stopping()) raw.shouldKeepAlive = false;
  if ('slug' in result) {
    const { status, headers: own, body } = problemResponse(result, route.deps.publicUrl, instance);
    if (!request.raw.complete) raw.shouldKeepAlive = false;
    sendBuffered(raw, { status, headers: Object.assign(headers, own), body });
    return status;
  }
  const { status } = result;
  const link = route.headers['link'];
  Object.assign(headers, result.headers);
  if (link !== undefined && result.headers?.['link'] !== undefined)
    headers['link'] = `${link}, ${result.headers['link']}`;
  if ('json' in result) {
    headers['content-type'] ??= jsonType;
    sendBuffered(raw, { status, headers, body: result.text ?? JSON.stringify(result.json) });
  } else if (request.method === 'HEAD' || result.stream === null) {
    void result.stream?.return?.();
    raw.writeHead(status, headers).end();
  } else {
    raw.writeHead(status, headers);
    const length = headers['content-length'];
    void pipeToResponse(result.stream, raw, length === undefined ? undefined : Number(length));
  }
  return status;
}

const jsonType = 'application/json; charset=utf-8';

async function servePage<P>(
  route: RouteContext<P>,
  { page, request, reply }: { page: PageRoute; request: FastifyRequest; reply: FastifyReply },
) {
  const instance = route.newRequestId();
  // Fastify gives the named parameters of the path as strings.
  const answer = await page.get(
    request.params as Record<string, string>,
    new URLSearchParams(requestQuery(request.raw.url)),
  );
  if ('slug' in answer) return refuseReply(route, { reply, refusal: answer, instance });
  const { 'content-type': type, ...otherHeaders } = answer.headers;
  reply.headers({ ...route.headers, ...otherHeaders, 'request-id': instance });
  const [ifNoneMatch, { etag }] = [request.headers['if-none-match'], otherHeaders];
  if (typeof etag === 'string' && ifNoneMatch !== undefined && etagListIncludes(ifNoneMatch, etag, 'weakly'))
    return reply.code(304).send();
  return reply
    .headers(type === undefined ? {} : { 'content-type': type })
    .code(answer.status)
    .send(answer.body);
}

/** Answers a refusal for a request that no operation serves; log and metrics have it as one without a route. */
export function refuseReply<P>(
  route: RouteContext<P>,
  { reply, refusal, instance }: { reply: FastifyReply; refusal: Refusal; instance: string },
): FastifyReply {
  route.deps.log.refused(refusal, instance);
  const { status, headers, body } = refusalResponse(reply.request.raw, { refusal, instance }, route.deps);
  reply.code(status).headers({ ...route.headers, ...headers, 'request-id': instance });
  // As bytes, because Fastify adds a charset to the type of a text, and `application/problem+json` has none.
  return reply.send(Buffer.from(body));
}

function routeOtherMethods<P>(
  fastify: FastifyInstance,
  route: RouteContext<P>,
  { url, allowed }: { url: string; allowed: readonly string[] },
) {
  const allow = [...new Set([...allowed, 'OPTIONS'])].join(', ');
  fastify.route({
    method: httpMethods.filter((method) => !allowed.includes(method)),
    url,
    handler: async (request, reply) => {
      if (request.method === 'OPTIONS')
        return reply
          .code(204)
          .headers({ ...route.headers, 'request-id': route.newRequestId(), allow })
          .send();
      const refusal = refuse('method-not-allowed', `Use ${allow} here.`, { headers: { allow } });
      return refuseReply(route, { reply, refusal, instance: route.newRequestId() });
    },
  });
}

function mountHandler<P>(fastify: FastifyInstance, route: RouteContext<P>, mount: MountedHandler): void {
  for (const url of mount.paths) {
    const pathTemplate = url.replaceAll(/:(\w+)/g, '{$1}');
    fastify.route({
      method: [...mount.methods],
      url,
      handler: (request, reply) => {
        const [startedAt, instance] = [performance.now(), route.newRequestId()];
        const { raw } = reply.hijack();
        raw.setHeaders(new Map(Object.entries({ ...route.headers, 'request-id': instance })));
        raw.once('finish', () => {
          const { method } = request;
          route.deps.log.request({
            instance,
            method,
            route: pathTemplate,
            status: raw.statusCode,
            durationMs: roundedElapsedMs(startedAt),
          });
        });
        mount.handler(request.raw, raw);
      },
    });
    routeOtherMethods(fastify, route, { url, allowed: mount.methods });
  }
}

/** The media types an operation can answer; undefined where the document's own type decides. */
function producedTypes<P>(operation: Operation<P>): readonly string[] | undefined {
  const responses = Object.values(operation.responses);
  if (responses.some((response) => response.bytes === true)) return undefined;
  return ['application/json', ...responses.flatMap(({ text }) => text?.type ?? [])];
}

function isAcceptable(accept: string | undefined, types: readonly string[] | undefined): boolean {
  if (accept === undefined || types === undefined || types.includes(accept)) return true;
  const ranges = parseAccept(accept);
  return types.some((type) => qualityOf(type, ranges) > 0);
}
