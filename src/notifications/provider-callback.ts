import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Secret } from '../kernel/secret.ts';
import { type LateParts, type LateWord, learnLate } from './learn-late.ts';

/** Where the SMS gateway and the mail provider call back, and where the mail system hands bounces over. */
export const callbackPaths = {
  sms: '/callbacks/sms',
  mail: '/callbacks/mail',
  mailEvents: '/callbacks/mail-events',
} as const;

/** What the words in a call-back are; `not-yet` where it has to come again. */
export type CalledBack = ReadonlyArray<LateWord | 'not-yet'>;

/** A provider that calls back: what it has to send as a token, how much, and what its words mean. */
export type Caller = {
  readonly token: Secret;
  readonly limitBytes: number;
  /** POST where it is left out; with GET the query is read as a form. */
  readonly method?: 'POST' | 'GET' | undefined;
  /** The late words in a body of that media type; none where it says nothing about a message of ours. */
  read(text: string, mediaType: string): CalledBack | Promise<CalledBack>;
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
    if (request.method !== method) return end(response, 405);
    if (!isToken(request.headers.authorization ?? '', token)) return end(response, 401);
    const text = method === 'GET' ? queryOf(request) : await textOf(request, limitBytes);
    if (text === undefined) return end(response, 413);
    const words = await read(text, method === 'GET' ? form : (request.headers['content-type'] ?? ''));
    // One after the other: two words about one notification would only meet each other.
    for (const word of words) if (word !== 'not-yet') await learnLate(parts, word);
    end(response, words.includes('not-yet') ? 503 : 204);
  }
  return (request, response) => {
    void take(request, response).catch((fault) => {
      parts.onFault(fault);
      end(response, 503);
    });
  };
}

/** As a bearer token, or as the password of any user, for providers that can only be given a URL with both. */
function isToken(header: string, token: Secret): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const [, basic] = /^basic ([\w+/]+=*)$/i.exec(header) ?? [];
  const password =
    basic === undefined
      ? undefined
      : Buffer.from(basic, 'base64')
          .toString('utf8')
          .replace(/^[^:]*:/, '');
  return timingSafeEqual(
    hash(password === undefined ? header : `Bearer ${password}`),
    hash(`Bearer ${token.reveal()}`),
  );
}

function queryOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

async function textOf(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > limitBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}

/** The body of a receipt, JSON or a form; undefined for anything else. */
export function parseReceipt(text: string, mediaType: string): unknown {
  if (mediaType.startsWith(form)) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
