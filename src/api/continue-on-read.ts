import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Tells a caller that waits for it to go on (RFC 9110, section 10.1.1) when the first of its body is asked for: by then guard,
 * token, quota and headers were looked at, and what they refuse is never sent (test/attacks/expect-continue.test.ts). Who
 * reads a body need not know of it.
 */
export function continueOnRead(request: IncomingMessage, response: ServerResponse): void {
  const read = request._read;
  request._read = (size) => {
    request._read = read;
    // Behind an answer, what there is of a body is read to be thrown away.
    if (!response.headersSent) response.writeContinue();
    read.call(request, size);
  };
}
