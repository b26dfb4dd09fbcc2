import type { IncomingMessage } from 'node:http';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';

const maxFormBytes = 16_384;
/** A form with the texts of a message: in this encoding, 20,000 characters can have 180,000 bytes. A template has several texts. */
export const maxTextFormBytes = 4_194_304;
/** The body of a request can be read only once. The page needs it, and so does the code that keeps the form of an expired session. */
const parsedForms = new WeakMap<IncomingMessage, Promise<URLSearchParams | undefined>>();

/** Reads a form; undefined if the body is no form, or has more than `maxBytes`. */
export function parseForm(request: IncomingMessage, maxBytes = maxFormBytes): Promise<URLSearchParams | undefined> {
  const form = parsedForms.get(request) ?? readForm(request, maxBytes);
  parsedForms.set(request, form);
  return form;
}

async function readForm(request: IncomingMessage, maxBytes: number): Promise<URLSearchParams | undefined> {
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers;
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type) || Number(length) > maxBytes) return undefined;
  const bytes = await readBytesUpTo(request, maxBytes);
  return bytes && new URLSearchParams(bytes.toString('utf8'));
}
