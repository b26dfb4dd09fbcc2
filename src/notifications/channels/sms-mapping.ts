import { parseId } from '../../kernel/id.ts';
import { textAtPointer, valueAtPointer } from '../../kernel/json-pointer.ts';
import type { ReportedDelivery } from '../delivery/apply-late-report.ts';
import type { ReasonCode } from '../notification/reason.ts';

/** JSON as the mapping and the answers of gateways have it. */
type JsonTemplate =
  | string
  | number
  | boolean
  | null
  | readonly JsonTemplate[]
  | { readonly [name: string]: JsonTemplate };

/**
 * How a gateway is spoken to. In the strings of `request`, `{to}`, `{text}`, `{id}` and `{from}` are filled in; what is
 * filled in is encoded afterwards, so that no text can change the shape. Places in answers are JSON pointers (RFC 6901).
 */
export type SmsMapping = {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly encoding?: 'json' | 'form' | undefined;
  readonly request: { readonly [name: string]: JsonTemplate };
  /** Where a 2xx answer has the gateway's id, and a word that says whether it was taken. */
  readonly answer?: {
    readonly reference?: string;
    readonly status?: string;
    readonly accepted?: readonly string[];
    readonly refused?: readonly string[];
  };
  readonly receipt?: SmsReceipt;
};

/**
 * How receipts come: `events` is the place of their list in the body (without it the body is the list, or one receipt), the
 * others are places in one receipt. It names the message by our `{id}`, by the gateway's `reference`, or by both.
 */
export type SmsReceipt = {
  /** POST where it is left out. With GET the fields of the query are the receipt. */
  readonly method?: 'POST' | 'GET';
  readonly events?: string;
  readonly id?: string;
  readonly reference?: string;
  readonly status: string;
  /** The words that are final. */
  readonly delivered: readonly string[];
  /** Of a number that takes no messages. */
  readonly failed: readonly string[];
  /** Of a phone that was off or out of reach until the gateway gave up. */
  readonly unreachable?: readonly string[];
  /** Of a message that the gateway or the network did not want. */
  readonly refused?: readonly string[];
};

/** Used where the operator gives no mapping. */
export const defaultSmsMapping: SmsMapping = {
  request: { to: '{to}', text: '{text}', id: '{id}', from: '{from}' },
  answer: { reference: '/id' },
  receipt: { id: '/id', status: '/status', delivered: ['delivered'], failed: ['failed', 'undelivered', 'rejected'] },
};

/** What is filled in. */
type SmsValues = { readonly to: string; readonly text: string; readonly id: string; readonly from: string };

/** The body of a request, encoded. */
export function gatewayRequestBody(
  mapping: SmsMapping,
  values: SmsValues,
): { readonly type: string; readonly body: string } {
  const filled = fillTemplate(mapping.request, values);
  if (mapping.encoding !== 'form') return { type: 'application/json', body: JSON.stringify(filled) };
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(filled as Record<string, unknown>)) fields.append(name, String(value));
  return { type: 'application/x-www-form-urlencoded', body: fields.toString() };
}

function fillTemplate(template: JsonTemplate, values: SmsValues): unknown {
  if (typeof template === 'string') {
    return template.replaceAll(/\{(to|text|id|from)\}/g, (_all, name: keyof SmsValues) => values[name]);
  }
  if (typeof template !== 'object' || template === null) return template;
  if (isList(template)) return template.map((item) => fillTemplate(item, values));
  return Object.fromEntries(Object.entries(template).map(([name, item]) => [name, fillTemplate(item, values)]));
}

function isList(template: object): template is readonly JsonTemplate[] {
  return Array.isArray(template);
}

/** The attempt that a receipt names by our id. */
export function attemptInReceipt({ id: pointer }: SmsReceipt, receipt: unknown): ReportedDelivery | undefined {
  const id = pointer === undefined ? undefined : valueAtPointer(receipt, pointer);
  const [, text = '', attempt] = /^(dlv_\w{26})\.(\d{1,6})$/.exec(typeof id === 'string' ? id : '') ?? [];
  const delivery = parseId('delivery', text);
  return delivery === undefined ? undefined : { delivery, attempt: Number(attempt) };
}

/** How a message ended, without saying which. */
type ReceiptOutcome = { readonly ended: 'delivered' } | { readonly ended: 'failed'; readonly reason: ReasonCode };

/** How a message ended by the word of a receipt; undefined where the word is not final. */
export function outcomeInReceipt(
  { status, delivered, failed, unreachable = [], refused = [] }: SmsReceipt,
  receipt: unknown,
): ReceiptOutcome | undefined {
  const word = textAtPointer(receipt, status);
  if (delivered.includes(word)) return { ended: 'delivered' };
  if (failed.includes(word)) return { ended: 'failed', reason: 'address-refused' };
  if (unreachable.includes(word)) return { ended: 'failed', reason: 'destination-unreachable' };
  return refused.includes(word) ? { ended: 'failed', reason: 'message-refused' } : undefined;
}

const maxReferenceLength = 200;

/** The gateway's own id of a message, as it is stored: without what no database keeps, a NUL or half of a surrogate pair. */
export function referenceAtPointer(value: unknown, pointer: string): string | undefined {
  const reference = valueAtPointer(value, pointer);
  const known = typeof reference === 'number' || (typeof reference === 'string' && reference !== '');
  return known ? String(reference).slice(0, maxReferenceLength).toWellFormed().replaceAll('\0', '\ufffd') : undefined;
}
