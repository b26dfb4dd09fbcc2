import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { bytesWithin } from '../../kernel/bytes-within.ts';
import { queryOf } from '../../kernel/request-target.ts';
import type { Secret } from '../../kernel/secret.ts';
import { type LateParts, type LateWord, learnLate } from './learn-late.ts';
import { parseProviderJson } from './provider-json.ts';

/** Where the SMS gateway and the mail provider call back, and where the mail system hands bounces over. */
export const callbackPaths = {
  sms: '/callbacks/sms',
  mail: '/callbacks/mail',
  mailEvents: '/callbacks/mail-events',
} as const;

/** What the words in a call-back are; `not-yet` where it has to come again. */
type CalledBack = ReadonlyArray<LateWord | 'not-yet'>;

/** A provider that calls back: what it has to send as a token, how much, and what its words mean. */
export type Caller = {
  readonly token: Secret;
  readonly limitBytes: number;
  /** POST where it is left out; with GET the query is read as a form. */
  readonly method?: 'POST' | 'GET' | undefined;
  /** The late words in a body of that media type, none where it says nothing about a message of ours; undefined for what cannot be read. */
  read(text: string, mediaType: string): CalledBack | undefined | Promise<CalledBack | undefined>;
};

const form = 'application/x-www-form-urlencoded';

/**
 * Takes call-backs. The answer says only whether what came was dealt with, so that the provider repeats what was
 * not; nothing is ever sent in reply, so that no loop can begin.
 */
export function createProviderCallback(
  parts: LateParts & { onFault(fault: unknown): void },
  { token, limitBytes, method = 'POST', read }: Caller,
): RequestListener {
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== method) return end(response, 405, { allow: method });
    // Many clients send a user and a password only where they were asked to.
    if (!isToken(request.headers.authorization, token)) return end(response, 401, { 'www-authenticate': challenges });
    const text = method === 'GET' ? queryOf(request.url) : (await bytesWithin(request, limitBytes))?.toString();
    if (text === undefined) return end(response, 413);
    const words = await read(text, method === 'GET' ? form : (request.headers['content-type'] ?? ''));
    if (words === undefined) return end(response, 400);
    // One after the other: two words about one notification would only meet each other.
    for (const word of words) if (word !== 'not-yet') await learnLate(parts, word);
    // Some providers take nothing but 200 for a yes.
    end(response, words.includes('not-yet') ? 503 : 200);
  }
  return (request, response) => {
    void take(request, response).catch((fault) => {
      parts.onFault(fault);
      end(response, 503);
    });
  };
}

const challenges = ['Bearer realm="call-backs"', 'Basic realm="call-backs", charset="UTF-8"'];

/** As a bearer token, or as the password of any user, for providers that can only be given a URL with both. */
function isToken(header = '', token: Secret): boolean {
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

function end(response: ServerResponse, status: number, headers: OutgoingHttpHeaders = {}): void {
  response.writeHead(status, { connection: 'close', ...headers }).end();
}

/** Reads a body as a receipt, JSON or a form. Of nothing at all there is nothing to learn: so providers try whether we are there. */
export function receiptReader(read: (receipt: unknown) => ReturnType<Caller['read']>): Caller['read'] {
  return (text, mediaType) => {
    const receipt = parseReceipt(text, mediaType);
    if (receipt === undefined) return text.trim() === '' ? [] : undefined;
    return read(receipt);
  };
}

function parseReceipt(text: string, mediaType: string): unknown {
  const isForm = mediaType.toLowerCase().startsWith(form);
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : parseProviderJson(text);
}
