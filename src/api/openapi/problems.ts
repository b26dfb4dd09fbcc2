import { tokenPath } from '../../auth/access-token.ts';
import { problems } from '../../kernel/problem-catalogue.ts';
import type { ProblemSlug } from '../../kernel/refusal.ts';
import { neededTokens, type Operation } from '../operation.ts';
import { type HeaderName, responseHeaders } from './headers.ts';

const commonProblems: readonly ProblemSlug[] = ['bad-request', 'malformed-http', 'capacity-reduced', 'internal-error'];
const tokenProblems: readonly ProblemSlug[] = [
  'no-access-token',
  'invalid-access-token',
  'expired-access-token',
  'invalid-dpop-proof',
  'dpop-nonce-needed',
  'quota-exceeded',
  'too-many-failed-requests',
];

/** Problems of requests that reach no operation; the document describes them as `default`. */
const unroutedProblems: readonly ProblemSlug[] = [
  'method-not-allowed',
  'request-timeout',
  'uri-too-long',
  'expectation-failed',
  'headers-too-large',
];

/** Headers of a problem besides those of its status. The media types of the request body already describe Accept. */
const headerByProblem: Partial<Record<ProblemSlug, HeaderName>> = {
  'idempotency-key-in-progress': 'Retry-After',
  'document-not-ready': 'Retry-After',
  'receipt-not-ready': 'Retry-After',
  'dpop-nonce-needed': 'DPoP-Nonce',
  'range-not-satisfiable': 'Content-Range',
  'document-erased': 'Link',
  'method-not-allowed': 'Allow',
};

function problemsByStatus<P>(operation: Operation<P>): readonly (readonly [number, readonly ProblemSlug[]])[] {
  const slugs = new Set<ProblemSlug>([
    ...commonProblems,
    ...operation.refusals,
    ...tokenSlugs(operation),
    ...bodySlugs(operation),
  ]);
  if (!Object.values(operation.responses).some((response) => response.bytes === true)) slugs.add('not-acceptable');
  return [...Map.groupBy(slugs, (slug) => problems[slug].status)].sort(([left], [right]) => left - right);
}

function tokenSlugs<P>({ scope, callers, citizenData }: Operation<P>): readonly ProblemSlug[] {
  if (scope === null) return [];
  const slugs = [...tokenProblems];
  if (citizenData) slugs.push('hiding-not-permitted');
  if (scope !== 'any') slugs.push('missing-scope');
  slugs.push(neededTokens[callers[0]]);
  return slugs;
}

function bodySlugs<P>(operation: Operation<P>): readonly ProblemSlug[] {
  const slugs: ProblemSlug[] = [];
  if (operation.request.body !== undefined) slugs.push('malformed-json', 'unsupported-media-type');
  if (operation.request.body !== undefined || operation.bodyBytes !== undefined) slugs.push('payload-too-large');
  if (operation.idempotent === true)
    slugs.push('idempotency-key-invalid', 'idempotency-key-in-progress', 'idempotency-key-reused');
  if (operation.citizenData) slugs.push('outcome-unknown');
  return slugs;
}

/** The error responses of one operation: for each status its problems, each with an example. */
export function refusalResponses<P>(operation: Operation<P>): Record<string, unknown> {
  const answers = problemsByStatus(operation).map(([status, slugs]) => [
    String(status),
    refusalResponse(operation, status, slugs),
  ]);
  return { ...Object.fromEntries(answers), default: refusalResponse(operation, 'default', unroutedProblems) };
}

function refusalResponse<P>(
  operation: Operation<P>,
  status: number | 'default',
  slugs: readonly ProblemSlug[],
): Record<string, unknown> {
  const extraHeaders = slugs.map((slug) => headerByProblem[slug]).filter((name) => name !== undefined);
  return {
    description: slugs.map((slug) => `\`${slug}\`: ${problems[slug].title}.`).join('\n\n'),
    headers: responseHeaders(operation, status, extraHeaders),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(slugs.map((slug) => [slug, { $ref: `#/components/examples/${slug}` }])),
      },
    },
  };
}

/** An example of every problem of the operations, for the components of the document. */
export function problemExamples<P>(operations: readonly Operation<P>[], publicUrl: string): Record<string, unknown> {
  const used = new Set<string>([
    ...unroutedProblems,
    ...operations.flatMap(problemsByStatus).flatMap(([, slugs]) => slugs),
  ]);
  const entries = Object.entries(problems).filter(([slug]) => used.has(slug));
  return Object.fromEntries(
    entries.map(([slug, { status, title, cause, fix, retryable }]) => [
      slug,
      {
        summary: title,
        value: {
          type: `${publicUrl}/problems/${slug}`,
          title,
          status,
          detail: cause,
          fix,
          ...(status === 401 ? { tokenUrl: `${publicUrl}${tokenPath}` } : {}),
          ...(slug === 'malformed-json' ? { line: 3, column: 14 } : {}),
          ...(slug === 'bad-request' ? { issues: [missingMember] } : {}),
          retryable: retryable === true,
          instance: 'urn:uuid:6f1c2d1e-8f0a-4c55-9b57-2f6f0f5b8a11',
        },
      },
    ]),
  );
}

const missingMember = { in: 'body', pointer: '/citizenId', code: 'required', detail: 'required' };

const plainText = { type: 'string', maxLength: 8_192, pattern: '^[^\\u0000]*$' } as const;

/** The schema of every problem, for the components of the document. */
export const problemSchema = {
  type: 'object',
  description:
    'A problem (RFC 9457). The page at `type` has its cause and fix. Programs must use `type`: the texts are for people and can change.',
  required: ['type', 'title', 'status', 'detail', 'fix', 'retryable', 'instance'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      maxLength: 2_048,
      description: 'The kind of problem, for programs: the URL of a page with its cause and fix.',
    },
    title: { ...plainText, description: 'The kind of problem, in a few words.' },
    status: {
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      description: 'The HTTP status of the response.',
    },
    detail: { ...plainText, description: 'The cause of the problem in this request.' },
    fix: { ...plainText, description: 'How to fix this kind of problem.' },
    retryable: { type: 'boolean', description: 'true if the same request can succeed later.' },
    instance: {
      type: 'string',
      pattern: '^urn:uuid:[0-9a-f-]{36}$',
      maxLength: 45,
      description: 'The id of the request, which is also in the Request-Id header and in the log of the server.',
    },
    issues: {
      type: 'array',
      maxItems: 1_000,
      description:
        'All faults of the input. They never contain values of the request. Absent if the input has no fault.',
      items: {
        type: 'object',
        required: ['in', 'code', 'detail'],
        properties: {
          in: {
            type: 'string',
            enum: ['query', 'path', 'header', 'body'],
            description: 'The part of the request that has the fault.',
          },
          pointer: { ...plainText, description: 'The JSON pointer to the faulty member. Only for the body.' },
          name: { ...plainText, description: 'The name of the parameter or header. Absent for the body.' },
          code: { ...plainText, description: 'The kind of fault, for programs. Its meaning never changes.' },
          detail: { ...plainText, description: 'The expectation that the value does not meet, for people.' },
        },
      },
    },
    limit: {
      type: 'integer',
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The limit that the body exceeds, in bytes. Only for payload-too-large.',
    },
    serverTime: {
      type: 'string',
      format: 'date-time',
      maxLength: 40,
      description: 'The time of this server. Only if a token or proof has expired or is not valid yet.',
    },
    tokenUrl: {
      type: 'string',
      format: 'uri',
      maxLength: 2_048,
      description:
        'The URL of the token endpoint. Only for the status 401, and for paths that look like a token endpoint.',
    },
    line: {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 65_537,
      description: 'The line at which the body is not valid JSON, from 1. Only for malformed-json.',
    },
    column: {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 65_537,
      description: 'The column in this line, in characters from 1. Only for malformed-json.',
    },
    requiredScopes: {
      type: 'array',
      maxItems: 10,
      items: { type: 'string', maxLength: 64, pattern: '^[a-z:-]+$' },
      description: 'The scope that the operation requires. Only for missing-scope.',
    },
    'violated-policies': {
      type: 'array',
      maxItems: 10,
      items: { type: 'string', maxLength: 256, pattern: '^[ -~]+$' },
      description: 'The name of the exceeded quota in RateLimit-Policy. Only for an exceeded quota.',
    },
    proof: {
      type: 'string',
      maxLength: 256,
      pattern: '^/v1/receipts/',
      description: 'The path of the ledger receipt of the erasure. Only for document-erased.',
    },
  },
} as const;
