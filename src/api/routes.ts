import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { namesTag } from '../kernel/entity-tag.ts';
import { type Refusal, refuse } from '../kernel/problem.ts';
import { pathOf, queryOf } from '../kernel/request-target.ts';
import { allowStream } from './body-watch.ts';
import { deprecationHeaders } from './deprecation.ts';
import { createDispatch, type Dispatched } from './dispatch.ts';
import { atWholeQuantum, foundNothing } from './found-nothing.ts';
import { methods } from './guard.ts';
import { parseAccept, qualityOf } from './media-range.ts';
import { methodsOf, type Operation } from './operation.ts';
import { pour } from './pour.ts';
import { problemAnswer, sendRefusal } from './problem-answer.ts';
import type { Mount, Page, ServerParts } from './server.ts';
import { endWith } from './whole-answer.ts';

/** What every route shares. */
export type Desk<P> = {
  readonly parts: ServerParts<P>;
  readonly headers: Readonly<Record<string, string>>;
  readonly newInstance: () => string;
  readonly stopping: () => boolean;
};

/** For operations that read no stream of bytes: what they do is done before a caller could go away. */
const neverAborted = new AbortController().signal;

function goneCaller(response: ServerResponse): AbortSignal {
  const abort = new AbortController();
  response.once('close', () => {
    // An abort makes an error with its stack, and most connections close behind a whole answer.
    if (!response.writableFinished) abort.abort();
  });
  return abort.signal;
}

/** Calls back when this answer has left or its caller is gone, which may have been before. */
export function onceOver(response: ServerResponse, call: () => void): void {
  if (response.closed) call();
  else response.once('close', call);
}

/** Puts every operation, page and mount on its path; the other methods of a path answer 405 with `Allow`. */
export function mountAll<P>(app: FastifyInstance, desk: Desk<P>): void {
  const byPath = Map.groupBy(desk.parts.operations, (operation) => operation.path);
  for (const [path, operations] of byPath) {
    const allowed = operations.flatMap(methodsOf);
    for (const url of urlsOf(path)) {
      for (const operation of operations) routeOperation(app, deskOf(desk, operation), { url, operation });
      routeOthers(app, desk, { url, allowed });
    }
  }
  for (const page of desk.parts.pages) {
    app.route({
      method: ['GET', 'HEAD'],
      url: page.path,
      handler: (request, reply) => servePage(desk, { page, request, reply }),
    });
    routeOthers(app, desk, { url: page.path, allowed: ['GET', 'HEAD'] });
  }
  for (const mount of desk.parts.mounts) mountHandler(app, desk, mount);
}

/** OpenAPI knows no empty path: behind the address of the server, the root of the interface is `/` there. */
function urlsOf(path: string): readonly string[] {
  return path === '/v1' ? [path, `${path}/`] : [path.replaceAll(/\{(\w+)\}/g, ':$1')];
}

/** The desk of an operation that is to go has the headers that say so. */
function deskOf<P>(desk: Desk<P>, { deprecated }: Operation<P>): Desk<P> {
  return deprecated === undefined ? desk : { ...desk, headers: { ...desk.headers, ...deprecationHeaders(deprecated) } };
}

function routeOperation<P>(
  app: FastifyInstance,
  desk: Desk<P>,
  { url, operation }: { url: string; operation: Operation<P> },
) {
  const dispatch = createDispatch(operation, desk.parts.house);
  const mediaTypes = producedTypes(operation);
  app.route({
    method: [...methodsOf(operation)],
    url,
    handler: async (request, reply) => {
      const startedAt = performance.now();
      const instance = desk.newInstance();
      if (operation.bodyBytes !== undefined) allowStream(request.raw);
      let dispatched: Dispatched;
      try {
        dispatched = acceptable(request.headers.accept, mediaTypes)
          ? await dispatch({
              method: request.method,
              path: pathOf(request.raw.url),
              certificate: () => desk.parts.certificates?.read(request.raw)?.thumbprint,
              // Fastify gives the named parameters of the path as strings.
              params: request.params as Record<string, string>,
              query: queryOf(request.raw.url),
              headers: request.headers,
              body: request.raw,
              signal: operation.bodyBytes === undefined ? neverAborted : goneCaller(reply.raw),
              whenOver: (call) => onceOver(reply.raw, call),
            })
          : { result: refuse('not-acceptable'), headers: {} };
      } catch (fault) {
        desk.parts.log.fault(operation.name, fault, instance);
        dispatched = { result: refuse('internal-error'), headers: {} };
      }
      if ('slug' in dispatched.result && foundNothing(dispatched.result)) await atWholeQuantum(startedAt);
      const status = send(desk, { request, reply, dispatched, instance });
      const problem = 'slug' in dispatched.result ? dispatched.result.slug : undefined;
      const durationMs = since(startedAt);
      const { clientId } = dispatched.caller ?? {};
      desk.parts.log.request({
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
const since = (startedAt: number) => Math.round((performance.now() - startedAt) * 10) / 10;

type Sending = { request: FastifyRequest; reply: FastifyReply; dispatched: Dispatched; instance: string };

/**
 * Sends an answer or refusal with the headers that every answer carries; gives its status. Straight to the response of
 * Node: what Fastify does to a reply on its way was decided before, and costs as much again.
 */
function send<P>(desk: Desk<P>, { request, reply, dispatched, instance }: Sending): number {
  const { result } = dispatched;
  reply.hijack();
  const { raw } = reply;
  const headers: Record<string, string | string[]> = { ...desk.headers, ...dispatched.headers, 'request-id': instance };
  if (desk.stopping()) raw.shouldKeepAlive = false;
  if ('slug' in result) {
    const { status, headers: own, body } = problemAnswer(result, desk.parts.publicUrl, instance);
    if (!request.raw.complete) raw.shouldKeepAlive = false;
    endWith(raw, { status, headers: Object.assign(headers, own), body });
    return status;
  }
  const { status } = result;
  const link = desk.headers['link'];
  Object.assign(headers, result.headers);
  if (link !== undefined && result.headers?.['link'] !== undefined)
    headers['link'] = `${link}, ${result.headers['link']}`;
  if ('json' in result) {
    headers['content-type'] ??= jsonType;
    endWith(raw, { status, headers, body: result.text ?? JSON.stringify(result.json) });
  } else if (request.method === 'HEAD' || result.stream === null) {
    void result.stream?.return?.();
    raw.writeHead(status, headers).end();
  } else {
    raw.writeHead(status, headers);
    const length = headers['content-length'];
    void pour(result.stream, raw, length === undefined ? undefined : Number(length));
  }
  return status;
}

const jsonType = 'application/json; charset=utf-8';

async function servePage<P>(
  desk: Desk<P>,
  { page, request, reply }: { page: Page; request: FastifyRequest; reply: FastifyReply },
) {
  const instance = desk.newInstance();
  // Fastify gives the named parameters of the path as strings.
  const answer = await page.get(
    request.params as Record<string, string>,
    new URLSearchParams(queryOf(request.raw.url)),
  );
  if ('slug' in answer) return refuseReply(desk, { reply, refusal: answer, instance });
  const { 'content-type': type, ...lasting } = answer.headers;
  reply.headers({ ...desk.headers, ...lasting, 'request-id': instance });
  const [known, { etag }] = [request.headers['if-none-match'], lasting];
  if (typeof etag === 'string' && known !== undefined && namesTag(known, etag, 'weakly')) return reply.code(304).send();
  return reply
    .headers(type === undefined ? {} : { 'content-type': type })
    .code(answer.status)
    .send(answer.body);
}

/** Answers a refusal for a request that no operation serves; log and metrics have it as one without a route. */
export function refuseReply<P>(
  desk: Desk<P>,
  { reply, refusal, instance }: { reply: FastifyReply; refusal: Refusal; instance: string },
): FastifyReply {
  desk.parts.log.refused(refusal, instance);
  sendRefusal(reply.request.raw, { refusal, instance }, desk.parts, (outgoing) => {
    const headers = { ...desk.headers, ...outgoing.headers, 'request-id': instance };
    // As bytes, since Fastify adds a charset to the type of a text, and `application/problem+json` has none.
    reply.code(outgoing.status).headers(headers).send(Buffer.from(outgoing.body));
  });
  return reply;
}

function routeOthers<P>(
  app: FastifyInstance,
  desk: Desk<P>,
  { url, allowed }: { url: string; allowed: readonly string[] },
) {
  const allow = [...new Set([...allowed, 'OPTIONS'])].join(', ');
  app.route({
    method: methods.filter((method) => !allowed.includes(method)),
    url,
    handler: async (request, reply) => {
      if (request.method === 'OPTIONS')
        return reply
          .code(204)
          .headers({ ...desk.headers, 'request-id': desk.newInstance(), allow })
          .send();
      const refusal = refuse('method-not-allowed', `Use ${allow} here.`, { headers: { allow } });
      return refuseReply(desk, { reply, refusal, instance: desk.newInstance() });
    },
  });
}

function mountHandler<P>(app: FastifyInstance, desk: Desk<P>, mount: Mount): void {
  for (const url of mount.paths) {
    const route = url.replaceAll(/:(\w+)/g, '{$1}');
    app.route({
      method: [...mount.methods],
      url,
      handler: (request, reply) => {
        const [startedAt, instance] = [performance.now(), desk.newInstance()];
        const { raw } = reply.hijack();
        raw.setHeaders(new Map(Object.entries({ ...desk.headers, 'request-id': instance })));
        raw.once('finish', () => {
          const { method } = request;
          desk.parts.log.request({ instance, method, route, status: raw.statusCode, durationMs: since(startedAt) });
        });
        mount.handler(request.raw, raw);
      },
    });
    routeOthers(app, desk, { url, allowed: mount.methods });
  }
}

/** The media types an operation can answer; undefined where the document's own type decides. */
function producedTypes<P>(operation: Operation<P>): readonly string[] | undefined {
  const responses = Object.values(operation.responses);
  if (responses.some((response) => response.bytes === true)) return undefined;
  return ['application/json', ...responses.flatMap(({ text }) => text?.type ?? [])];
}

function acceptable(accept: string | undefined, types: readonly string[] | undefined): boolean {
  if (accept === undefined || types === undefined || types.includes(accept)) return true;
  const ranges = parseAccept(accept);
  return types.some((type) => qualityOf(type, ranges) > 0);
}
