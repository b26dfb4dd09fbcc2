import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { PrivateTarget, parsePublicUrl, publicConnection, type TargetRules } from './public-target.ts';

/** Gets a URL that a client chose. Rejects with `PrivateTarget` when the URL or an address of its host is not allowed. */
export type FetchPublic = (url: string, options: RequestInit) => Promise<Response>;

/** Creates the function. It follows no redirect. Pass a signal with a deadline, and limit the bytes that you read of the body. */
export function createPublicFetch(rules: TargetRules): FetchPublic {
  return async (text, { headers, signal }) => {
    const url = parsePublicUrl(text, rules.allowPrivate);
    if (url === undefined) throw new PrivateTarget();
    const connection = await publicConnection(url, rules, signal ?? new AbortController().signal);
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = start(url, { headers: Object.fromEntries(new Headers(headers)), ...connection });
      request.on('error', reject);
      request.on('response', resolve);
      request.end();
    });
    if (response.statusCode === 200) return new Response(ReadableStream.from(response));
    response.destroy();
    return new Response(null, { status: response.statusCode ?? 500 });
  };
}
