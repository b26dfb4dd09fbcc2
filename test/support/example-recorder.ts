import type { RecordedExample, RecordedRequest } from '../../src/api/openapi/recorded-examples.ts';
import { operations } from '../../src/app/operations.ts';
import { isObject } from '../../src/kernel/is-object.ts';
import type { ServerFixture } from './server-process.ts';

type CallOperation = (operation: string, given?: RecordedRequest) => Promise<Readonly<Record<string, unknown>>>;

/** Performs example requests against one server. */
export type ExampleRecorder = {
  readonly examples: ReadonlyMap<string, RecordedExample>;
  /** Sends a request, and returns the members of its JSON response. Fails if the response is not 2xx. */
  readonly send: CallOperation;
  /** Sends a request, and records it with its response as the example of the operation. */
  readonly record: CallOperation;
};

/** The callers of the examples. `support` belongs to a service; `staff` operates and audits, and belongs to none. */
type ExampleCaller = 'client' | 'citizen' | 'support' | 'staff' | 'approver';

/** The bytes of the deposited document. */
const documentBytes = '%PDF-1.7\n%%EOF\n';

/** Creates a recorder for a running server. */
export function createExampleRecorder(
  { url }: Pick<ServerFixture, 'url'>,
  tokens: Readonly<Record<ExampleCaller, string>>,
): ExampleRecorder {
  const examples = new Map<string, RecordedExample>();
  const perform = async (name: string, request: RecordedRequest): Promise<RecordedExample> => {
    const operation = operations.find((candidate) => candidate.name === name);
    if (operation === undefined) throw new TypeError(`expected the name of an operation, received ${name}`);
    const token = tokens[callerOf(operation)];
    const response = await fetch(`${url}${pathOf(operation.path, request)}`, {
      method: operation.method,
      headers: { authorization: `Bearer ${token}`, connection: 'close', ...typeOf(request) },
      ...bodyOf(request),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name} answered ${response.status}: ${text}`);
    const answer = answerOf(response.headers.get('content-type') ?? '', text);
    return { request, status: response.status, ...(answer === undefined ? {} : { answer }) };
  };
  return {
    examples,
    send: async (name, request = {}) => membersOf(await perform(name, request)),
    record: async (name, request = {}) => {
      const example = await perform(name, request);
      examples.set(name, example);
      return membersOf(example);
    },
  };
}

/** The caller who performs an example. Proposals are decided by another person than the one who makes them. */
function callerOf({ scope, callers, path }: (typeof operations)[number]): ExampleCaller {
  if (scope === 'staff:support' || scope === 'staff:send') return 'support';
  if (/^\/v1\/staff\/(?:client|webhooks)(?:\/|$)/.test(path)) return 'support';
  if (scope === 'staff:approve') return 'approver';
  if (callers.includes('staff')) return 'staff';
  return scope === 'citizen:self' ? 'citizen' : 'client';
}

function membersOf({ answer }: RecordedExample): Readonly<Record<string, unknown>> {
  return isObject(answer) ? answer : {};
}

function pathOf(path: string, { params, query }: RecordedRequest): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params?.[name] ?? ''));
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) pairs.append(name, String(value));
  return pairs.size === 0 ? filled : `${filled}?${pairs}`;
}

function typeOf({ body, csv }: RecordedRequest): Readonly<Record<string, string>> {
  if (csv !== undefined) return { 'content-type': 'text/csv' };
  return body === undefined ? {} : { 'content-type': 'application/json' };
}

function bodyOf({ body, csv, form }: RecordedRequest): RequestInit {
  if (csv !== undefined) return { body: csv };
  if (body !== undefined) return { body: JSON.stringify(body) };
  if (form === undefined) return {};
  const data = new FormData();
  for (const [name, value] of Object.entries(form)) data.append(name, value);
  data.append('document', new Blob([documentBytes], { type: 'application/pdf' }), 'document.pdf');
  return { body: data };
}

function answerOf(mediaType: string, text: string): unknown {
  if (mediaType.startsWith('application/json')) return shortened(JSON.parse(text));
  return mediaType.startsWith('text/') ? text : undefined;
}

const maxItems = 10;

/** The answer with two items of each long list, such as the list of all endpoints. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return (value.length > maxItems ? value.slice(0, 2) : value).map(shortened);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}
