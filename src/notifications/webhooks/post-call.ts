import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { startDeadline } from '../../jobs/deadline.ts';
import { systemTimer } from '../../jobs/timer.ts';
import { PrivateTarget, resolveAllowedAddresses, type TargetRules } from './webhook-target.ts';

/** One call to a receiver: the body as it is signed, and its headers. */
type WebhookRequest = {
  readonly url: URL;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** What came of it. */
export type WebhookCallResult =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly failed: 'private-target' | 'unreachable' };

/** Makes a call: no redirect is followed and no body is read. */
export type PostWebhookCall = (post: WebhookRequest) => Promise<WebhookCallResult>;

/** Calls over HTTP. The address that was checked is the one that is connected to, so a change of DNS in between is harmless. */
export function createPostWebhookCall(options: TargetRules & { readonly timeoutMs: number }): PostWebhookCall {
  return async ({ url, body, headers }) => {
    using deadline = startDeadline(systemTimer, options.timeoutMs);
    const { signal } = deadline;
    try {
      const addresses = await resolveAllowedAddresses(url, options, signal);
      const lookup: LookupFunction = (_host, options, done) => {
        const [first] = addresses;
        if (options.all === true) done(null, [...addresses]);
        else if (first === undefined) done(new Error('no address'), '', 0);
        else done(null, first.address, first.family);
      };
      return await new Promise<WebhookCallResult>((resolve, reject) => {
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
