import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parseId } from '../kernel/id.ts';
import type { Secret } from '../kernel/secret.ts';
import { type LateParts, learnLate } from './learn-late.ts';

/** Reads a receipt as the gateway's mapping says. */
export type ReadReceipt = (
  receipt: unknown,
) => { readonly delivery: string; readonly ended: 'delivered' | 'failed' } | undefined;

const longestReceipt = 65_536;

/** Where the gateway calls back: `POST` with `Authorization: Bearer <SMS_RECEIPT_TOKEN>`, JSON or a form. */
export const smsReceiptPath = '/callbacks/sms';

/** Takes receipts. Its answers say only whether the receipt was stored, so that the gateway repeats what was not. */
export function createSmsReceipts(
  parts: LateParts & { onFault(fault: unknown): void },
  token: Secret,
  read: ReadReceipt,
): RequestListener {
  return (request, response) => {
    void take(request, response).catch((fault) => {
      parts.onFault(fault);
      end(response, 503);
    });
  };

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return end(response, 405);
    if (!isToken(request.headers.authorization ?? '', token)) return end(response, 401);
    const text = await textOf(request);
    if (text === undefined) return end(response, 413);
    const word = read(parsed(text, request.headers['content-type'] ?? ''));
    const delivery = word === undefined ? undefined : parseId('delivery', word.delivery);
    if (word !== undefined && delivery !== undefined) {
      const late = { delivery, ended: word.ended, reason: 'address-refused' } as const;
      await learnLate(parts, late);
    }
    end(response, 204);
  }
}

function isToken(header: string, token: Secret): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(header), hash(`Bearer ${token.reveal()}`));
}

async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > longestReceipt) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string, type: string): unknown {
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}
