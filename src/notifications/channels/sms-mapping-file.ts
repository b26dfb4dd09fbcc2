import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isObject } from '../../kernel/is-object.ts';
import { jsonOf, membersOf, pointerOf, wordsOf } from '../callbacks/mapping-file.ts';
import type { SmsMapping, SmsReceipt } from './sms-mapping.ts';

const receiptWords = ['delivered', 'failed', 'unreachable', 'refused'] as const;
const receiptPlaces = ['events', 'id', 'reference', 'status'] as const;

/** The mapping in a file of the operator; throws a TypeError that says what is wrong about it, and shows no value of it. */
export function parseSmsMapping(text: string): SmsMapping {
  const given = membersOf(jsonOf(text), '', ['headers', 'encoding', 'request', 'answer', 'receipt']);
  const { headers, encoding, request, answer, receipt } = given;
  if (encoding !== undefined && encoding !== 'json' && encoding !== 'form') {
    throw new TypeError('encoding: expected json or form');
  }
  return {
    request: requestOf(request, encoding),
    ...(encoding === undefined ? {} : { encoding }),
    ...(headers === undefined ? {} : { headers: headersOf(headers) }),
    ...(answer === undefined ? {} : { answer: answerOf(answer) }),
    ...(receipt === undefined ? {} : { receipt: receiptOf(receipt, answer) }),
  };
}

function headersOf(value: unknown): Readonly<Record<string, string>> {
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

function requestOf(value: unknown, encoding: string | undefined): SmsMapping['request'] {
  if (!isObject(value)) throw new TypeError('request: expected a JSON object, as {"to": "{to}", "text": "{text}"}');
  if (encoding === 'form' && Object.values(value).some((item) => typeof item === 'object')) {
    throw new TypeError('request: expected text, numbers or flags as the members of a form');
  }
  for (const needed of ['{to}', '{text}']) {
    if (!holds(value, needed)) throw new TypeError(`request: expected ${needed} in it, once or more`);
  }
  // JSON has nothing that a template has not.
  return value as SmsMapping['request'];
}

function holds(template: unknown, placeholder: string): boolean {
  if (typeof template === 'string') return template.includes(placeholder);
  if (typeof template !== 'object' || template === null) return false;
  return Object.values(template).some((item) => holds(item, placeholder));
}

function answerOf(value: unknown): NonNullable<SmsMapping['answer']> {
  const given = membersOf(value, 'answer', ['reference', 'status', 'accepted', 'refused']);
  const [accepted, refused] = [
    wordsOf(given['accepted'], 'answer.accepted'),
    wordsOf(given['refused'], 'answer.refused'),
  ];
  const reference =
    given['reference'] === undefined ? {} : { reference: pointerOf(given['reference'], 'answer.reference') };
  if (given['status'] === undefined) {
    if (accepted.length + refused.length > 0) throw new TypeError('answer: expected status, where its words stand');
    return reference;
  }
  if (accepted.length === 0) throw new TypeError('answer.accepted: expected a word; without one no answer is good');
  return { ...reference, status: pointerOf(given['status'], 'answer.status'), accepted, refused };
}

function receiptOf(value: unknown, answer: unknown): SmsReceipt {
  const given = membersOf(value, 'receipt', ['method', ...receiptPlaces, ...receiptWords]);
  const { method } = given;
  if (method !== undefined && method !== 'POST' && method !== 'GET')
    throw new TypeError('receipt.method: expected POST or GET');
  const [delivered, failed, unreachable, refused] = [
    wordsOf(given['delivered'], 'receipt.delivered'),
    wordsOf(given['failed'], 'receipt.failed'),
    wordsOf(given['unreachable'], 'receipt.unreachable'),
    wordsOf(given['refused'], 'receipt.refused'),
  ];
  if (delivered.length + failed.length === 0) throw new TypeError('receipt: expected words in delivered or failed');
  const places: Partial<Record<(typeof receiptPlaces)[number], string>> = {};
  for (const name of receiptPlaces) {
    if (given[name] !== undefined) places[name] = pointerOf(given[name], `receipt.${name}`);
  }
  const { id, reference, status } = places;
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
    ...{ ...places, status, delivered, failed },
    ...(method === undefined ? {} : { method }),
    ...(unreachable.length === 0 ? {} : { unreachable }),
    ...(refused.length === 0 ? {} : { refused }),
  };
}
