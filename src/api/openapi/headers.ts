import type { Operation } from '../operation.ts';

/** A header of a response: a reference to a component, or the description of the operation's own. */
export type HeaderObject =
  | { readonly $ref: string }
  | { readonly description: string; readonly schema: unknown; readonly example: unknown };

const text = (maxLength: number, pattern: string) => ({ type: 'string', maxLength, pattern }) as const;
const count = (maximum: number) => ({ type: 'integer', format: 'int64', minimum: 0, maximum }) as const;

/** Headers of many responses, in the components of the document. `required` is set if every such response has the header. */
export const headerComponents = {
  'API-Version': {
    description: 'The version of this interface.',
    required: true,
    schema: text(32, '^[0-9]+\\.[0-9]+\\.[0-9]+$'),
    example: '1.0.0',
  },
  'Request-Id': {
    description: 'The id of this request, which is also in the instance of a problem and in the log of the server.',
    required: true,
    schema: text(45, '^urn:uuid:[0-9a-f-]{36}$'),
    example: 'urn:uuid:6f1c2d1e-8f0a-4c55-9b57-2f6f0f5b8a11',
  },
  'Cache-Control': {
    description: 'no-store: caches must not store this response.',
    required: true,
    schema: text(64, 'no-store'),
    example: 'no-store',
  },
  'RateLimit-Policy': {
    description: 'The quota: q requests in w seconds (draft-ietf-httpapi-ratelimit-headers-11).',
    schema: text(512, '^"[^"]+";q=[0-9]+;w=[0-9]+'),
    example: '"default";q=50;w=1',
  },
  RateLimit: {
    description: 'The remaining quota: r requests now, and more in t seconds.',
    schema: text(512, '^"[^"]+";r=[0-9]+;t=[0-9]+'),
    example: '"default";r=49;t=1',
  },
  'X-RateLimit-Limit': {
    description: 'The quota in requests: the member q of RateLimit-Policy.',
    schema: count(1_000_000_000),
    example: 50,
  },
  'X-RateLimit-Remaining': {
    description: 'The remaining requests: the member r of RateLimit.',
    schema: count(1_000_000_000),
    example: 49,
  },
  'X-RateLimit-Reset': {
    description: 'The time until more requests are allowed, in seconds: the member t of RateLimit.',
    schema: count(1_000_000_000),
    example: 1,
  },
  'Retry-After': {
    description: 'The time to wait before you repeat the request, in seconds.',
    schema: count(604_800),
    example: 2,
  },
  'WWW-Authenticate': {
    description:
      'The authentication scheme, the required scope, and the URL of the metadata of this resource (RFC 9728).',
    schema: text(4_096, '^(Bearer|DPoP) '),
    example: 'Bearer resource_metadata="https://api.example.gov/.well-known/oauth-protected-resource/v1"',
  },
  'DPoP-Nonce': {
    description: 'The nonce for your next DPoP proof (RFC 9449).',
    schema: text(256, '^[!-~]+$'),
    example: '3kQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  },
  Allow: {
    description: 'The methods that the path supports.',
    schema: text(256, '^[A-Z, ]+$'),
    example: 'GET, HEAD, OPTIONS',
  },
  'Content-Range': {
    description: 'The length of the document in bytes, as bytes */LENGTH (RFC 9110).',
    schema: text(64, '^bytes \\*/[0-9]+$'),
    example: 'bytes */18432',
  },
  Link: {
    description: 'A link to the proof of the erasure (describedby).',
    schema: text(2_048, '^[ -~]+$'),
    example: '</v1/receipts/evt_01M7WKVMFEE008WANFAS9XRDZX>; rel="describedby"',
  },
} as const;

/** The name of a header in `headerComponents`. */
export type HeaderName = keyof typeof headerComponents;
const commonHeaders: readonly HeaderName[] = ['API-Version', 'Request-Id', 'Cache-Control'];
const rateLimitHeaders: readonly HeaderName[] = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** The headers of an operation's responses with this status; `extraHeaders` are those of its problems. */
export function responseHeaders<P>(
  operation: Operation<P>,
  status: number | 'default',
  extraHeaders: readonly HeaderName[] = [],
): Record<string, HeaderObject> {
  const names = [...commonHeaders, ...extraHeaders];
  if (operation.scope !== null && typeof status === 'number' && status !== 401) names.push(...rateLimitHeaders);
  if (status === 429 || status === 503) names.push('Retry-After');
  if (status === 401 || status === 403) names.push('WWW-Authenticate');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Examples of the headers that only some operations send. `operation Name` applies to one operation. */
const ownExamples: Readonly<Record<string, string>> = {
  'sendNotification Location': '/v1/notifications/ntf_01M7WKVMFEE008WANFAS9XRDZX',
  'depositDocument Location': '/v1/documents/doc_01M7WKVMFEE008WANFAS9XRDZX',
  'createWebhook Location': '/v1/webhooks/whk_01M7WKVMFEE008WANFAS9XRDZX',
  'createNotificationBatch Location': '/v1/notification-batches/bat_01M7WKVMFEE008WANFAS9XRDZX',
  'askPresentation Location': '/v1/identity/presentations/prs_01M7WKVMFEE008WANFAS9XRDZX',
  'createTemplate Location': '/v1/templates/tpl_01M7WKVMFEE008WANFAS9XRDZX',
  'Idempotent-Replayed': 'true',
  Link: '</v1/receipts/evt_01M7WKVMFEE008WANFAS9XRDZX>; rel="receipt"',
  ETag: '"RBNvo1WzZ4oRRq0W9-hknpT7"',
  'Repr-Digest': 'sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:',
  'Accept-Ranges': 'bytes',
  'Content-Disposition': 'attachment; filename="Permit.pdf"',
  'Content-Range': 'bytes 0-1023/18432',
  'Retry-After': '2',
};

/** Describes a header that an operation sends besides the common ones. */
export function ownHeader<P>({ name }: Operation<P>, header: string, description: string): HeaderObject {
  const example = ownExamples[`${name} ${header}`] ?? ownExamples[header];
  if (example === undefined)
    throw new ExampleMissing(`add an example of the header ${header} of ${name} to headers.ts`);
  return { description, schema: text(2_048, '^[ -~]*$'), example };
}

/** A header of the document has no example. */
class ExampleMissing extends Error {
  override readonly name = 'ExampleMissing';
}
