import type { ProblemType } from './problem-type.ts';

/** Refusals that any operation can return, about the request, its client or a limit. `retryable` is set only where it is true. */
export const httpProblems = {
  'bad-request': {
    status: 400,
    title: 'Request not valid',
    cause: 'A parameter, a header or a member of the body is missing, unknown or malformed.',
    fix: 'Fix every fault that issues[] lists. The OpenAPI document has the schema of each request.',
  },
  'malformed-json': {
    status: 400,
    title: 'Body is not valid JSON',
    cause: 'The server expected JSON in UTF-8, and could not parse the body.',
    fix: 'Send one JSON object in UTF-8, in which no name occurs twice.',
  },
  'malformed-http': {
    status: 400,
    title: 'Not valid HTTP',
    cause:
      'The request does not conform to HTTP: for example, it has two Host headers, conflicting lengths or an invalid character.',
    fix: 'Use an ordinary HTTP client. Check what the proxies between your client and this server change.',
  },
  'idempotency-key-invalid': {
    status: 400,
    title: 'Idempotency key not valid',
    cause:
      'The Idempotency-Key header is empty, has more than 255 characters, or has characters outside printable ASCII.',
    fix: 'Send a new UUID as the key of each new request, and the same key when you repeat a request.',
  },
  'no-access-token': {
    status: 401,
    title: 'Access token missing',
    cause: 'The operation requires an access token, and the request has none.',
    fix: "Request a token at the URL in tokenUrl, and send 'Authorization: Bearer <ACCESS_TOKEN>'.",
  },
  'invalid-access-token': {
    status: 401,
    title: 'Access token not valid',
    cause:
      'The token is malformed or revoked, has a wrong signature, issuer or audience, or is bound to a key or certificate that the request lacks.',
    fix: 'Request a new token at the URL in tokenUrl, and send it unchanged. Send a bound token with its DPoP proof or its certificate.',
  },
  'invalid-dpop-proof': {
    status: 401,
    title: 'DPoP proof not valid',
    cause: 'The access token is bound to a key, and the DPoP header does not prove that key for this request.',
    fix: 'Create a new proof for each request (RFC 9449), with htm, htu without the query, the current time as iat, a new jti, and ath.',
  },
  'dpop-nonce-needed': {
    status: 401,
    title: 'DPoP nonce needed',
    retryable: true,
    cause: 'The proof must contain a recent nonce of this server, from the DPoP-Nonce header.',
    fix: 'Repeat the request with a new proof that contains the nonce of this response.',
  },
  'expired-access-token': {
    status: 401,
    title: 'Access token expired',
    cause: 'The expiry time of the token has passed by the clock of this server.',
    fix: 'Request a new token at the URL in tokenUrl. If this repeats, compare your clock with serverTime.',
  },
  'missing-scope': {
    status: 403,
    title: 'Scope missing',
    cause: 'The access token is valid, but does not have the scope that this operation requires.',
    fix: 'Request a token with the scope in requiredScopes. The operator must allow it for your client.',
  },
  'service-needed': {
    status: 403,
    title: 'No service',
    cause: 'Your account belongs to no service, or to one whose client is disabled. So you cannot act for a service.',
    fix: 'Ask the person who manages the accounts of your organisation for the service (STAFF_CLIENT_CLAIM).',
  },
  'not-found': {
    status: 404,
    title: 'Path not found',
    cause: 'No operation has this path.',
    fix: 'Find the path in the list of endpoints at /v1. Remove any slash at the end.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    cause: 'The path does not support the method of the request.',
    fix: 'Use one of the methods in the Allow header.',
  },
  'not-acceptable': {
    status: 406,
    title: 'No acceptable media type',
    cause: 'The operation cannot respond in any media type of the Accept header.',
    fix: 'Accept the media type that the OpenAPI document has for the response, or omit the Accept header.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request too slow',
    retryable: true,
    cause: 'The server did not receive all headers or the whole body in time.',
    fix: 'Send the request without pauses. Split a body that is too large for your connection.',
  },
  'idempotency-key-in-progress': {
    status: 409,
    title: 'Request with this key in progress',
    retryable: true,
    cause: 'The server is still processing the first request with this Idempotency-Key.',
    fix: 'Repeat the identical request after the time in Retry-After.',
  },
  'payload-too-large': {
    status: 413,
    title: 'Body too large',
    cause: 'The body has more bytes than this operation accepts.',
    fix: 'Send at most the number of bytes in the member limit.',
  },
  'uri-too-long': {
    status: 414,
    title: 'URI too long',
    cause: 'The request target has more than 8,192 bytes.',
    fix: 'Send the claims as a JSON body with POST or QUERY.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Media type not supported',
    cause: 'The operation does not accept the Content-Type of the body.',
    fix: 'Use a media type in the Accept header of this response.',
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation not supported',
    cause: 'The Expect header has a value other than 100-continue.',
    fix: 'Omit the Expect header.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Key already used for another request',
    cause: 'This Idempotency-Key was first used for a different request to this operation.',
    fix: 'Use a new key for a new request.',
  },
  'quota-exceeded': {
    status: 429,
    title: 'Quota exceeded',
    retryable: true,
    cause: 'The client sent more requests than its quota allows.',
    fix: 'Wait for the time in Retry-After. The RateLimit headers have the remaining requests.',
  },
  'look-ups-exceeded': {
    status: 429,
    title: 'Too many look-ups',
    retryable: true,
    cause: 'You have made as many look-ups of citizens, or refused proposals, as one person may make in an hour.',
    fix: 'Wait for the time in Retry-After. The operator can change the limit (STAFF_LOOK_UPS_PER_HOUR).',
  },
  'too-many-failed-requests': {
    status: 429,
    title: 'Too many failed requests',
    retryable: true,
    cause: 'Too many requests of this client asked for unknown ids, or sent claims that do not match.',
    fix: 'Wait for the time in Retry-After. Check which requests of your program find nothing.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Headers too large',
    cause: 'The headers have more than 16,384 bytes in total.',
    fix: 'Send fewer or shorter headers.',
  },
  'internal-error': {
    status: 500,
    title: 'Server error',
    retryable: true,
    cause: 'The server failed to process the request. Its log has the error with the instance of this problem.',
    fix: 'Repeat the request with the same Idempotency-Key. If it fails again, report the instance to the operator.',
  },
  'outcome-unknown': {
    status: 503,
    title: 'Outcome unknown',
    retryable: true,
    cause:
      'The server lost the database connection while it stored the request. It does not know whether the request was stored.',
    fix: 'Repeat the identical request with the same Idempotency-Key. Without a key, first look for the result by its reference.',
  },
  'capacity-reduced': {
    status: 503,
    title: 'Capacity reduced',
    retryable: true,
    cause:
      'The server did not process the request. It is overloaded or stopping, or its database or document storage does not respond: see the detail.',
    fix: 'Repeat the request after the time in Retry-After.',
  },
} as const satisfies Record<string, ProblemType>;
