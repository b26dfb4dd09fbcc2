import { parseId } from '../../kernel/id.ts';
import { at } from '../json-pointer.ts';
import type { LateWord } from '../learn-late.ts';

/** JSON as the mapping and the answers of gateways have it. */
type Template = string | number | boolean | null | readonly Template[] | { readonly [name: string]: Template };

/**
 * How a gateway is spoken to. In the strings of `request`, `{to}`, `{text}`, `{id}` and `{from}` are filled in; what is
 * filled in is encoded afterwards, so that no text can change the shape. Places in answers are JSON pointers (RFC 6901).
 */
export type SmsMapping = {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly encoding?: 'json' | 'form' | undefined;
  readonly request: { readonly [name: string]: Template };
  /** Where a 2xx answer has the gateway's id, and a word that says whether it was taken. */
  readonly answer?: {
    readonly reference?: string;
    readonly status?: string;
    readonly accepted?: readonly string[];
    readonly refused?: readonly string[];
  };
  /** Where a receipt has our `{id}` and its word, and which words are final. */
  readonly receipt?: {
    readonly id: string;
    readonly status: string;
    readonly delivered: readonly string[];
    readonly failed: readonly string[];
  };
};

/** Used where the operator gives no mapping. */
export const plainMapping: SmsMapping = {
  request: { to: '{to}', text: '{text}', id: '{id}', from: '{from}' },
  answer: { reference: '/id' },
  receipt: { id: '/id', status: '/status', delivered: ['delivered'], failed: ['failed', 'undelivered', 'rejected'] },
};

/** What is filled in. */
export type SmsValues = { readonly to: string; readonly text: string; readonly id: string; readonly from: string };

/** The body of a request, encoded. */
export function bodyFor(mapping: SmsMapping, values: SmsValues): { readonly type: string; readonly body: string } {
  const filled = fillIn(mapping.request, values);
  if (mapping.encoding !== 'form') return { type: 'application/json', body: JSON.stringify(filled) };
  const fields = Object.entries(filled as Record<string, unknown>).map(([name, value]) => [name, String(value)]);
  return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(fields).toString() };
}

function fillIn(template: Template, values: SmsValues): unknown {
  if (typeof template === 'string') {
    return template.replaceAll(/\{(to|text|id|from)\}/g, (_all, name: keyof SmsValues) => values[name]);
  }
  if (typeof template !== 'object' || template === null) return template;
  if (isList(template)) return template.map((item) => fillIn(item, values));
  return Object.fromEntries(Object.entries(template).map(([name, item]) => [name, fillIn(item, values)]));
}

function isList(template: object): template is readonly Template[] {
  return Array.isArray(template);
}

/** What a receipt says of an attempt of ours; undefined where it says nothing final. */
export function receiptWord(mapping: SmsMapping, receipt: unknown): LateWord | undefined {
  if (mapping.receipt === undefined) return undefined;
  const id = at(receipt, mapping.receipt.id);
  const word = String(at(receipt, mapping.receipt.status) ?? '');
  const [, text = ''] = /^(dlv_\w{26})\.\d{1,6}$/.exec(typeof id === 'string' ? id : '') ?? [];
  const delivery = parseId('delivery', text);
  if (delivery === undefined) return undefined;
  if (mapping.receipt.delivered.includes(word)) return { delivery, ended: 'delivered' };
  return mapping.receipt.failed.includes(word) ? { delivery, ended: 'failed', reason: 'address-refused' } : undefined;
}
