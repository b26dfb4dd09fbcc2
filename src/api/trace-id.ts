import type { IncomingHttpHeaders } from 'node:http';

/** Later versions may add fields after the flags. Version ff is invalid. */
const traceparentPattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/;

/**
 * The trace id of the `traceparent` header (W3C Trace Context, section 3.2), for the log; undefined if the header is absent or
 * invalid. The id is not sent to any other system.
 */
export function traceIdOf(headers: IncomingHttpHeaders | undefined): string | undefined {
  const value = headers?.['traceparent'];
  return typeof value === 'string' ? traceparentPattern.exec(value)?.[1] : undefined;
}
