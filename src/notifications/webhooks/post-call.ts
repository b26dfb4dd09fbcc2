import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { startDeadline } from '../../jobs/deadline.ts';
import { systemTimer } from '../../jobs/timer.ts';
import { addressesOf, PrivateTarget, type TargetRules } from './target.ts';

/** One call to a receiver: the body as it is signed, and its headers. */
type WebhookPost = {
  readonly url: URL;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** What came of it. */
export type PostResult =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly failed: 'private-target' | 'unreachable' };

/** Makes a call: no redirect is followed and no body is read. */
export type PostCall = (post: WebhookPost) => Promise<PostResult>;

/** Calls over HTTP. The address that was checked is the one that is connected to, so a change of DNS in between is harmless. */
export function createPostCall(parts: TargetRules & { readonly timeoutMs: number }): PostCall {
  return async ({ url, body, headers }) => {
    using deadline = startDeadline(systemTimer, parts.timeoutMs);
    const { signal } = deadline;
    try {
      const addresses = await addressesOf(url, parts, signal);
      const lookup: LookupFunction = (_host, options, done) => {
        const [first] = addresses;
        if (options.all === true) done(null, [...addresses]);
        else if (first === undefined) done(new Error('no address'), '', 0);
        else done(null, first.address, first.family);
      };
      return await new Promise<PostResult>((resolve, reject) => {
        const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
        const sent = start(url, { method: 'POST', headers, lookup, signal, agent: false, maxHeaderSize: 16_384 });
        sent.on('error', reject);
        sent.on('response', (response) => {
          const status = response.statusCode ?? 0;
          resolve({ status, retryAfter: response.headers['retry-after'] });
          response.destroy();
        });
        sent.end(body);
      });
    } catch (fault) {
      return { failed: fault instanceof PrivateTarget ? 'private-target' : 'unreachable' };
    }
  };
}
