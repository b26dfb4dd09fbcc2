import { problems } from '../../kernel/problem-catalogue.ts';
import type { ProblemSlug } from '../../kernel/refusal.ts';
import type { Operation } from '../operation.ts';
import { type HeaderName, responseHeaders } from './headers.ts';

const commonProblems: readonly ProblemSlug[] = ['bad-request', 'malformed-http', 'capacity-reduced', 'internal-error'];
const tokenProblems: readonly ProblemSlug[] = [
  'no-access-token',
  'invalid-access-token',
  'expired-access-token',
  'invalid-dpop-proof',
  'dpop-nonce-needed',
  'hiding-not-permitted',
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

function tokenSlugs<P>({ scope }: Operation<P>): readonly ProblemSlug[] {
  if (scope === null) return [];
  return scope === 'any' ? tokenProblems : [...tokenProblems, 'missing-scope'];
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
    'A problem (RFC 9457). The page at `type` explains cause and fix. Texts are for people: branch on `type`.',
  required: ['type', 'title', 'status', 'detail', 'fix', 'retryable', 'instance'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      maxLength: 2_048,
      description: 'The kind of problem: the URL of a page with its cause and fix.',
    },
    title: { ...plainText, description: 'The kind of problem in a few words.' },
    status: {
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      description: 'The HTTP status of the response.',
    },
    detail: { ...plainText, description: 'The cause in this request.' },
    fix: { ...plainText, description: 'How to fix this kind of problem.' },
    retryable: { type: 'boolean', description: 'Whether the same request can succeed later.' },
    instance: {
      type: 'string',
      pattern: '^urn:uuid:[0-9a-f-]{36}$',
      maxLength: 45,
      description: 'The id of the request, as in the Request-Id header and in the log.',
    },
    issues: {
      type: 'array',
      maxItems: 1_000,
      description: 'All faults of the input. They never contain values of the request.',
      items: {
        type: 'object',
        required: ['in', 'code', 'detail'],
        properties: {
          in: { type: 'string', enum: ['query', 'path', 'header', 'body'], description: 'The part of the request.' },
          pointer: { ...plainText, description: 'A JSON pointer into the body.' },
          name: { ...plainText, description: 'The name of the parameter or header, outside of the body.' },
          code: { ...plainText, description: 'The kind of fault, for programs.' },
          detail: { ...plainText, description: 'The expected value, for people.' },
        },
      },
    },
    limit: {
      type: 'integer',
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The limit that the request exceeds, in bytes.',
    },
    serverTime: {
      type: 'string',
      format: 'date-time',
      maxLength: 40,
      description: 'The time of this server, if a token or proof has expired or is not valid yet.',
    },
    requiredScopes: {
      type: 'array',
      maxItems: 10,
      items: { type: 'string', maxLength: 64, pattern: '^[a-z:-]+$' },
      description: 'The missing scope.',
    },
    'violated-policies': {
      type: 'array',
      maxItems: 10,
      items: { type: 'string', maxLength: 256, pattern: '^[ -~]+$' },
      description: 'The name of the exceeded quota in RateLimit-Policy.',
    },
    proof: {
      type: 'string',
      maxLength: 256,
      pattern: '^/v1/receipts/',
      description: 'The receipt of the erasure of a document.',
    },
  },
} as const;
