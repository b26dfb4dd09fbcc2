import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { startDeadline } from '../../jobs/deadline.ts';
import { systemTimer } from '../../jobs/timer.ts';

/** The whole answer of a gateway. */
export type GatewayAnswer = { readonly status: number; readonly retryAfter: string | undefined; readonly body: string };

/** An answer, or none: `before` the connection stood, or `after`, when the request may have been taken. */
export type GatewayResult = GatewayAnswer | { readonly failed: 'before' | 'after'; readonly why?: string };

type GatewayRequest = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

const maxAnswerBytes = 65_536;

/** One POST over a fresh connection, never repeated and never redirected. An answer that is too long or too slow is none. */
export async function postOnce(target: URL, sent: GatewayRequest, timeoutMs: number): Promise<GatewayResult> {
  using deadline = startDeadline(systemTimer, timeoutMs);
  return await sendRequest(target, sent, deadline.signal);
}

function sendRequest(target: URL, { headers, body }: GatewayRequest, signal: AbortSignal): Promise<GatewayResult> {
  return new Promise((resolve) => {
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
        if (size > maxAnswerBytes) response.destroy();
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
