import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isObject } from '../../kernel/is-object.ts';
import { parseMappingJson, parseMembers, parsePointer, parseWords } from '../provider-webhooks/mapping-file.ts';
import type { SmsMapping, SmsReceipt } from './sms-mapping.ts';

const receiptStatusLists = ['delivered', 'failed', 'unreachable', 'refused'] as const;
const receiptPointerNames = ['events', 'id', 'reference', 'status'] as const;

/** The mapping in a file of the operator; throws a TypeError that says what is wrong about it, and shows no value of it. */
export function parseSmsMapping(text: string): SmsMapping {
  const given = parseMembers(parseMappingJson(text), '', ['headers', 'encoding', 'request', 'answer', 'receipt']);
  const { headers, encoding, request, answer, receipt } = given;
  if (encoding !== undefined && encoding !== 'json' && encoding !== 'form') {
    throw new TypeError('encoding: expected json or form');
  }
  return {
    request: parseRequestTemplate(request, encoding),
    ...(encoding === undefined ? {} : { encoding }),
    ...(headers === undefined ? {} : { headers: parseSmsHeaders(headers) }),
    ...(answer === undefined ? {} : { answer: parseAnswerMapping(answer) }),
    ...(receipt === undefined ? {} : { receipt: parseReceiptMapping(receipt, answer) }),
  };
}

function parseSmsHeaders(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) throw new TypeError('headers: expected a JSON object');
  const headers: Record<string, string> = {};
  for (const [name, line] of Object.entries(value)) {
    if (typeof line !== 'string' || !isHeader(name, line)) {
      throw new TypeError(`headers: expected a name and one line of text, ${JSON.stringify(name)} is none`);
    }
    headers[name] = line;
  }
  return headers;
}

function isHeader(name: string, line: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, line);
    return true;
  } catch {
    return false;
  }
}

function parseRequestTemplate(value: unknown, encoding: string | undefined): SmsMapping['request'] {
  if (!isObject(value)) throw new TypeError('request: expected a JSON object, as {"to": "{to}", "text": "{text}"}');
  if (encoding === 'form' && Object.values(value).some((item) => typeof item === 'object')) {
    throw new TypeError('request: expected text, numbers or flags as the members of a form');
  }
  for (const needed of ['{to}', '{text}']) {
    if (!hasPlaceholder(value, needed)) throw new TypeError(`request: expected ${needed} in it, once or more`);
  }
  // JSON has nothing that a template has not.
  return value as SmsMapping['request'];
}

function hasPlaceholder(template: unknown, placeholder: string): boolean {
  if (typeof template === 'string') return template.includes(placeholder);
  if (typeof template !== 'object' || template === null) return false;
  return Object.values(template).some((item) => hasPlaceholder(item, placeholder));
}

function parseAnswerMapping(value: unknown): NonNullable<SmsMapping['answer']> {
  const given = parseMembers(value, 'answer', ['reference', 'status', 'accepted', 'refused']);
  const [accepted, refused] = [
    parseWords(given['accepted'], 'answer.accepted'),
    parseWords(given['refused'], 'answer.refused'),
  ];
  const reference =
    given['reference'] === undefined ? {} : { reference: parsePointer(given['reference'], 'answer.reference') };
  if (given['status'] === undefined) {
    if (accepted.length + refused.length > 0) throw new TypeError('answer: expected status, where its words stand');
    return reference;
  }
  if (accepted.length === 0) throw new TypeError('answer.accepted: expected a word; without one no answer is good');
  return { ...reference, status: parsePointer(given['status'], 'answer.status'), accepted, refused };
}

function parseReceiptMapping(value: unknown, answer: unknown): SmsReceipt {
  const given = parseMembers(value, 'receipt', ['method', ...receiptPointerNames, ...receiptStatusLists]);
  const { method } = given;
  if (method !== undefined && method !== 'POST' && method !== 'GET')
    throw new TypeError('receipt.method: expected POST or GET');
  const [delivered, failed, unreachable, refused] = [
    parseWords(given['delivered'], 'receipt.delivered'),
    parseWords(given['failed'], 'receipt.failed'),
    parseWords(given['unreachable'], 'receipt.unreachable'),
    parseWords(given['refused'], 'receipt.refused'),
  ];
  if (delivered.length + failed.length === 0) throw new TypeError('receipt: expected words in delivered or failed');
  const pointers: Partial<Record<(typeof receiptPointerNames)[number], string>> = {};
  for (const name of receiptPointerNames) {
    if (given[name] !== undefined) pointers[name] = parsePointer(given[name], `receipt.${name}`);
  }
  const { id, reference, status } = pointers;
  if (status === undefined) throw new TypeError('receipt.status: expected a JSON pointer, as /event');
  if (id === undefined && reference === undefined) {
    throw new TypeError(
      'receipt: expected id (ours) or reference (that of the gateway), by which it names the message',
    );
  }
  if (reference !== undefined && (!isObject(answer) || answer['reference'] === undefined)) {
    throw new TypeError('receipt.reference: expected answer.reference too, where the gateway gives its id');
  }
  return {
    ...{ ...pointers, status, delivered, failed },
    ...(method === undefined ? {} : { method }),
    ...(unreachable.length === 0 ? {} : { unreachable }),
    ...(refused.length === 0 ? {} : { refused }),
  };
}
