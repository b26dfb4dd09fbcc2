import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { startDeadline } from '../../jobs/deadline.ts';
import { systemTimer } from '../../jobs/timer.ts';
import { PrivateTarget, publicConnection, type TargetRules } from '../../net/public-target.ts';

/** One call to a receiver: the signed body and its headers. */
export type WebhookRequest = {
  readonly url: URL;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Why a call got no HTTP status. Only hosts that the call was allowed to reach can be `unreachable` or `timed-out`. */
export const callFailures = [
  'private-target',
  'unknown-host',
  'certificate-invalid',
  'unreachable',
  'timed-out',
] as const;
type CallFailure = (typeof callFailures)[number];

/** The outcome of a call: the HTTP status, or why there was none. */
export type WebhookCallResult =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly failed: CallFailure };

/** Makes a call. It follows no redirect and does not read the response body. */
export type PostWebhookCall = (post: WebhookRequest) => Promise<WebhookCallResult>;

/** Creates the function that calls receivers over HTTP. It checks each address again before it connects. */
export function createPostWebhookCall(options: TargetRules & { readonly timeoutMs: number }): PostWebhookCall {
  return async ({ url, body, headers }) => {
    using deadline = startDeadline(systemTimer, options.timeoutMs);
    const { signal } = deadline;
    try {
      const connection = await publicConnection(url, options, signal);
      return await new Promise<WebhookCallResult>((resolve, reject) => {
        const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
        const request = start(url, { method: 'POST', headers, ...connection });
        request.on('error', reject);
        request.on('response', (response) => {
          const status = response.statusCode ?? 0;
          resolve({ status, retryAfter: response.headers['retry-after'] });
          response.destroy();
        });
        request.end(body);
      });
    } catch (fault) {
      return { failed: failureOf(fault, signal) };
    }
  };
}

const unknownHostCodes = ['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EAI_AGAIN', 'EBADNAME'];
/** The codes of Node.js and OpenSSL for certificates that do not verify, or are for another host. */
const certificateCodes = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function failureOf(fault: unknown, signal: AbortSignal): CallFailure {
  if (fault instanceof PrivateTarget) return 'private-target';
  if (signal.aborted) return 'timed-out';
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  if (unknownHostCodes.includes(code)) return 'unknown-host';
  return certificateCodes.test(code) ? 'certificate-invalid' : 'unreachable';
}
