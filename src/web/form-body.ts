import type { IncomingMessage } from 'node:http';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';

const maxFormBytes = 16_384;
/** The body of a request can be read only once. The page needs it, and so does the code that keeps the form of an expired session. */
const parsedForms = new WeakMap<IncomingMessage, Promise<URLSearchParams | undefined>>();

/** Reads a form; undefined if the body is no form, or larger than any form of these pages. */
export function parseForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const form = parsedForms.get(request) ?? readForm(request);
  parsedForms.set(request, form);
  return form;
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers;
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type) || Number(length) > maxFormBytes) return undefined;
  const bytes = await readBytesUpTo(request, maxFormBytes);
  return bytes && new URLSearchParams(bytes.toString('utf8'));
}
