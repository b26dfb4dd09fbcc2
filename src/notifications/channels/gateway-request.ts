import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { startDeadline } from '../../jobs/deadline.ts';
import { systemTimer } from '../../jobs/timer.ts';

/** The complete response of a gateway. */
export type GatewayResponse = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
};

/** A response, or a failure: `before` a connection existed, or `after` that, when the gateway may have the request. */
export type GatewayResult = GatewayResponse | { readonly failed: 'before' | 'after'; readonly why?: string };

type GatewayRequest = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

const maxResponseBytes = 65_536;

/** Sends one POST over a fresh connection. It repeats nothing, follows no redirect, and fails on a response that is too long or slow. */
export async function postOnce(
  target: URL,
  { headers, body }: GatewayRequest,
  timeoutMs: number,
): Promise<GatewayResult> {
  using deadline = startDeadline(systemTimer, timeoutMs);
  const { signal } = deadline;
  return await new Promise((resolve) => {
    let connected = false;
    const start = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const fail = (fault?: Error) =>
      resolve({ failed: connected ? 'after' : 'before', ...(fault !== undefined && { why: fault.message }) });
    const length = String(Buffer.byteLength(body));
    const request = start(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': length },
      signal,
      agent: false,
    });
    request.on('socket', (socket) =>
      socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        connected = true;
      }),
    );
    request.on('error', fail);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > maxResponseBytes) response.destroy();
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
      response.on('error', fail);
      response.on('close', () => fail());
    });
    request.end(body);
  });
}
