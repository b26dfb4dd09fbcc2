import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { readBytesUpTo } from '../../kernel/read-bytes-up-to.ts';
import { requestQuery } from '../../kernel/request-target.ts';
import type { Secret } from '../../kernel/secret.ts';
import { applyLateReport, type LateReport, type LateReportDeps } from '../delivery/apply-late-report.ts';
import { parseProviderJson } from './provider-json.ts';

/** Where the SMS gateway and the mail provider call back, and where the mail system hands bounces over. */
export const providerWebhookPaths = {
  sms: '/callbacks/sms',
  mail: '/callbacks/mail',
  mailEvents: '/callbacks/mail-events',
} as const;

/** What the words in a call-back are; `not-yet` where it has to come again. */
type ProviderReports = ReadonlyArray<LateReport | 'not-yet'>;

/** A provider that calls back: what it has to send as a token, how much, and what its words mean. */
export type ProviderWebhook = {
  readonly token: Secret;
  readonly limitBytes: number;
  /** POST where it is left out; with GET the query is read as a form. */
  readonly method?: 'POST' | 'GET' | undefined;
  /** The late words in a body of that media type, none where it says nothing about a message of ours; undefined for what cannot be read. */
  read(text: string, mediaType: string): ProviderReports | undefined | Promise<ProviderReports | undefined>;
};

const formMediaType = 'application/x-www-form-urlencoded';

/**
 * Takes call-backs. The answer says only whether what came was dealt with, so that the provider repeats what was
 * not; nothing is ever sent in reply, so that no loop can begin.
 */
export function createProviderWebhook(
  parts: LateReportDeps & { onFault(fault: unknown): void },
  { token, limitBytes, method = 'POST', read }: ProviderWebhook,
): RequestListener {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== method) return endResponse(response, 405, { allow: method });
    // Many clients send a user and a password only where they were asked to.
    if (!hasToken(request.headers.authorization, token))
      return endResponse(response, 401, { 'www-authenticate': challenges });
    const text = method === 'GET' ? requestQuery(request.url) : (await readBytesUpTo(request, limitBytes))?.toString();
    if (text === undefined) return endResponse(response, 413);
    const reports = await read(text, method === 'GET' ? formMediaType : (request.headers['content-type'] ?? ''));
    if (reports === undefined) return endResponse(response, 400);
    // One after the other: two words about one notification would only meet each other.
    for (const report of reports) if (report !== 'not-yet') await applyLateReport(parts, report);
    // Some providers take nothing but 200 for a yes.
    endResponse(response, reports.includes('not-yet') ? 503 : 200);
  }
  return (request, response) => {
    void handle(request, response).catch((fault) => {
      parts.onFault(fault);
      endResponse(response, 503);
    });
  };
}

const challenges = ['Bearer realm="call-backs"', 'Basic realm="call-backs", charset="UTF-8"'];

/** As a bearer token, or as the password of any user, for providers that can only be given a URL with both. */
function hasToken(header = '', token: Secret): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const [, scheme, credentials] = /^(bearer|basic) +(.+)$/i.exec(header) ?? [];
  if (scheme === undefined || credentials === undefined) return false;
  const isBasic = scheme.toLowerCase() === 'basic';
  const given = isBasic
    ? Buffer.from(credentials, 'base64')
        .toString('utf8')
        .replace(/^[^:]*:/, '')
    : credentials;
  return timingSafeEqual(hash(given), hash(token.reveal()));
}

function endResponse(response: ServerResponse, status: number, headers: OutgoingHttpHeaders = {}): void {
  response.writeHead(status, { connection: 'close', ...headers }).end();
}

/** Reads a body as a receipt, JSON or a form. Of nothing at all there is nothing to learn: so providers try whether we are there. */
export function receiptParser(
  read: (receipt: unknown) => ReturnType<ProviderWebhook['read']>,
): ProviderWebhook['read'] {
  return (text, mediaType) => {
    const receipt = parseReceipt(text, mediaType);
    if (receipt === undefined) return text.trim() === '' ? [] : undefined;
    return read(receipt);
  };
}

function parseReceipt(text: string, mediaType: string): unknown {
  const isForm = mediaType.toLowerCase().startsWith(formMediaType);
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : parseProviderJson(text);
}
