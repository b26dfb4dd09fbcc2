import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { readBytesUpTo } from '../../kernel/read-bytes-up-to.ts';
import { requestQuery } from '../../kernel/request-target.ts';
import type { Secret } from '../../kernel/secret.ts';
import { applyLateReport, type LateReport, type LateReportDeps } from '../delivery/apply-late-report.ts';
import { parseProviderJson } from './provider-json.ts';

/** The paths that the SMS gateway, the mail system (for bounces) and the mail provider call. */
export const providerWebhookPaths = {
  sms: '/callbacks/sms',
  mail: '/callbacks/mail',
  mailEvents: '/callbacks/mail-events',
} as const;

/** The reports in a call; `not-yet` for one that the provider has to send again. */
type ProviderReports = ReadonlyArray<LateReport | 'not-yet'>;

/** How calls of one provider are authenticated, limited and parsed. */
export type ProviderWebhook = {
  readonly token: Secret;
  readonly limitBytes: number;
  /** Default POST. With GET the query is parsed as a form. */
  readonly method?: 'POST' | 'GET' | undefined;
  /** Parses a body of that media type. The list is empty without a message of ours; undefined for an unreadable body. */
  read(text: string, mediaType: string): ProviderReports | undefined | Promise<ProviderReports | undefined>;
};

const formMediaType = 'application/x-www-form-urlencoded';

/**
 * Handles calls of a provider. The response only says whether the reports were stored, so that the provider repeats the others.
 * No mail or message is ever sent in reply, so that no loop can begin.
 */
export function createProviderWebhook(
  deps: LateReportDeps & { onFault(fault: unknown): void },
  { token, limitBytes, method = 'POST', read }: ProviderWebhook,
): RequestListener {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== method) return endResponse(response, 405, { allow: method });
    // Many clients send user and password only after a challenge.
    if (!hasToken(request.headers.authorization, token))
      return endResponse(response, 401, { 'www-authenticate': challenges });
    const text = method === 'GET' ? requestQuery(request.url) : (await readBytesUpTo(request, limitBytes))?.toString();
    if (text === undefined) return endResponse(response, 413);
    const reports = await read(text, method === 'GET' ? formMediaType : (request.headers['content-type'] ?? ''));
    if (reports === undefined) return endResponse(response, 400);
    // One after another, because two reports about one notification would conflict with each other.
    for (const report of reports) if (report !== 'not-yet') await applyLateReport(deps, report);
    // Some providers treat every status but 200 as a failure.
    endResponse(response, reports.includes('not-yet') ? 503 : 200);
  }
  return (request, response) => {
    void handle(request, response).catch((fault) => {
      deps.onFault(fault);
      endResponse(response, 503);
    });
  };
}

const challenges = ['Bearer realm="callbacks"', 'Basic realm="callbacks", charset="UTF-8"'];

/**
 * Accepts the token as a bearer token, or as the password of any user, for providers that are configured by a URL only.
 * Both values are hashed before `timingSafeEqual`, which needs equal lengths, so the time reveals nothing of the token.
 */
function hasToken(header = '', token: Secret): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const [, scheme, credentials] = /^(bearer|basic) +(.+)$/i.exec(header) ?? [];
  if (scheme === undefined || credentials === undefined) return false;
  const isBasic = scheme.toLowerCase() === 'basic';
  const received = isBasic
    ? Buffer.from(credentials, 'base64')
        .toString('utf8')
        .replace(/^[^:]*:/, '')
    : credentials;
  return timingSafeEqual(hash(received), hash(token.reveal()));
}

function endResponse(response: ServerResponse, status: number, headers: OutgoingHttpHeaders = {}): void {
  response.writeHead(status, { connection: 'close', ...headers }).end();
}

/** Wraps a reader of parsed receipts: parses JSON or a form. An empty body has no reports, because providers test the URL with one. */
export function receiptParser(
  read: (receipt: unknown) => ReturnType<ProviderWebhook['read']>,
): ProviderWebhook['read'] {
  return (text, mediaType) => {
    const isForm = mediaType.toLowerCase().startsWith(formMediaType);
    const receipt = isForm ? Object.fromEntries(new URLSearchParams(text)) : parseProviderJson(text);
    if (receipt === undefined) return text.trim() === '' ? [] : undefined;
    return read(receipt);
  };
}
