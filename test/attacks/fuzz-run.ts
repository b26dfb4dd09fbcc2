import { isObject } from '../../src/kernel/is-object.ts';
import { problems } from '../../src/kernel/problem-catalogue.ts';
import { createHttpClient, type HttpRequest, type HttpResponse, type HttpSend } from '../support/http-client.ts';
import { createResponseCheck } from '../support/openapi-response-check.ts';
import { createRandomSource } from '../support/random-source.ts';
import { breakFraming, exchangeBytes } from './fuzz-framing.ts';
import { createFuzzRequests, type FuzzContext, type FuzzRequest } from './fuzz-requests.ts';
import { canary } from './fuzz-values.ts';

/** The server, and how many requests it receives. */
export type FuzzOptions = {
  readonly url: string;
  readonly port: number;
  readonly seed: number;
  readonly requests: number;
  /** Fresh tokens, one for each kind of caller, the most used first. */
  readonly fetchTokens: () => Promise<FuzzContext['tokens']>;
};

/** The result of a run: what was wrong, each kind once with its number, and the numbers of responses. */
export type FuzzReport = {
  readonly faults: ReadonlyMap<string, number>;
  /** Numbers by operation and status. */
  readonly responses: ReadonlyMap<string, number>;
  readonly tokens: readonly string[];
};

const concurrency = 8;
const tokenLifeMs = 120_000;
const brokenFraming = 0.03;
/** A larger body may be refused before it was read, and the connection closed. */
const refusedUnreadBytes = 60_000;
const idPattern = /\b(ver|ntf|doc|evt|whk|tpl)_[0-9A-Z]{26}\b/g;
const internals = /node_modules|\bat \S+ \(|SQLITE|postgres|fastify/i;

/** Sends the requests that the seed determines, a few at a time, and checks each response. */
export async function fuzzServer(options: FuzzOptions): Promise<FuzzReport> {
  const run = new FuzzRun(options);
  await run.refreshTokens();
  await Promise.all(Array.from({ length: concurrency }, (_, worker) => run.work(worker)));
  run.close();
  return run;
}

class FuzzRun implements FuzzReport {
  readonly faults = new Map<string, number>();
  readonly responses = new Map<string, number>();
  readonly tokens: string[] = [];
  readonly #options: FuzzOptions;
  readonly #ask: HttpSend & { close(): void };
  readonly #checkResponse = createResponseCheck();
  readonly #ids = new Map<string, string[]>();
  #current: FuzzContext['tokens'] = [''];
  #refreshedAt = 0;
  #left: number;

  constructor(options: FuzzOptions) {
    this.#options = options;
    this.#left = options.requests;
    this.#ask = createHttpClient(options.url, concurrency);
  }

  async refreshTokens(): Promise<void> {
    this.#refreshedAt = performance.now();
    this.#current = await this.#options.fetchTokens();
    this.tokens.push(...this.#current);
  }

  close(): void {
    this.#ask.close();
  }

  /** One of the concurrent senders. Each has a random source of its own, so that the seed determines its requests. */
  async work(worker: number): Promise<void> {
    const random = createRandomSource(this.#options.seed * 1_000 + worker);
    const nextRequest = createFuzzRequests(random, () => ({ tokens: this.#current, ids: this.#ids }));
    while (this.#left > 0) {
      this.#left -= 1;
      if (performance.now() - this.#refreshedAt > tokenLifeMs) await this.refreshTokens();
      const request = nextRequest();
      if (random.chance(brokenFraming))
        this.#checkRaw(await exchangeBytes(this.#options.port, breakFraming(request, random)));
      else await this.#exchange(request);
    }
  }

  async #exchange(request: FuzzRequest): Promise<void> {
    const { method, path, headers, body } = request;
    const length = body.length === 0 ? {} : { 'content-length': body.length };
    const sent: HttpRequest = { method, path, headers: { ...Object.fromEntries(headers), ...length }, body };
    for (let tries = 0; ; tries += 1) {
      let answer: HttpResponse;
      try {
        answer = await this.#ask(sent);
      } catch (fault) {
        if (tries < 3) continue;
        if (body.length < refusedUnreadBytes) this.#count(this.faults, `no response to ${method}: ${String(fault)}`);
        return;
      }
      // A busy machine may shed load, which says nothing about the request. The response to HEAD does not name its problem.
      const isShed = answer.status === 503 && (method === 'HEAD' || answer.body.includes('capacity-reduced'));
      if (!isShed || tries > 100) {
        this.#check(request, answer);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #check({ method, path }: FuzzRequest, { status, headers, body }: HttpResponse): void {
    // The parser refuses a request whose method it has not kept. It may be HEAD, so the refusal has no body.
    if (body.length === 0 && [400, 408, 431].includes(status) && headers.connection === 'close') {
      this.#count(this.responses, `parser ${status}`);
      return;
    }
    const [pathname = ''] = path.split('?');
    // A browser receives a page for a path outside the interface.
    if (/^text\/html/.test(headers['content-type'] ?? '') && !/^\/v1(?:\/|$)/.test(pathname)) {
      this.#count(this.responses, `page ${status}`);
      if (status >= 500) this.#count(this.faults, `${method} page ${status}`);
      return;
    }
    const { operation = 'none', problems: found } = this.#checkResponse({
      method,
      path: pathname,
      status,
      headers,
      body,
    });
    this.#count(this.responses, `${operation} ${status}`);
    const faults = [...found, ...(status >= 400 ? refusalFaults({ method, pathname }, { status, headers, body }) : [])];
    for (const fault of faults) this.#count(this.faults, `${method} ${operation} ${status}: ${fault}`);
    if (status < 400) this.#collectIds(body);
  }

  #checkRaw(text: string): void {
    for (const [head, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/g)) {
      this.#count(this.responses, `broken ${status}`);
      const isProblem = /^content-type: application\/problem\+json\r?$/im.test(head);
      if (Number(status) >= 500) this.#count(this.faults, `broken framing: ${status}`);
      if (Number(status) >= 400 && !isProblem) this.#count(this.faults, `broken framing: ${status} is no problem`);
    }
    if (internals.test(text)) this.#count(this.faults, 'broken framing: the response names internals');
  }

  #collectIds(body: Buffer): void {
    if (body.length > 100_000) return;
    for (const [id, kind = ''] of body.toString('latin1').matchAll(idPattern)) {
      const known = this.#ids.get(kind) ?? [];
      this.#ids.set(kind, [...known.slice(-99), id]);
    }
  }

  #count(counts: Map<string, number>, key: string): void {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
}

/** The faults of a refusal that the OpenAPI document does not describe. */
function refusalFaults(
  { method, pathname }: { readonly method: string; readonly pathname: string },
  { status, headers, body }: HttpResponse,
): string[] {
  const text = body.toString('utf8');
  const faults = status >= 500 ? [`a server error: ${text.slice(0, 300)}`] : [];
  if (text.includes(canary)) faults.push(`repeats a text of the request: ${text.slice(0, 300)}`);
  if (internals.test(text)) faults.push('names internals');
  const type = headers['content-type'];
  if (type !== 'application/problem+json') return [...faults, `${type} and no problem at ${pathname}`];
  if (method === 'HEAD') return body.length === 0 ? faults : [...faults, 'HEAD has a body'];
  const problem = parseProblem(text);
  if (problem === undefined) return [...faults, `no JSON object in ${body.length} bytes at ${pathname}`];
  const slug = problem.type?.split('/').at(-1) ?? '';
  if (!Object.hasOwn(problems, slug)) faults.push(`unknown problem ${slug}`);
  if (problem.status !== status) faults.push('another status in the body');
  return faults;
}

function parseProblem(text: string): { readonly type?: string; readonly status?: number } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
