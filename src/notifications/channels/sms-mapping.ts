import { type Static, Type } from 'typebox';
import { parseJsonFile } from '../../config/parse-json-file.ts';
import type { DeliveryId } from '../../kernel/id.ts';
import { valueAtPointer } from '../../kernel/json-pointer.ts';
import type { LateReport } from '../delivery/apply-late-report.ts';
import {
  finalReportsIn,
  hasFinalStatus,
  parseReportedAttempt,
  pointerShape,
  reportMembers,
  statusesShape,
} from '../provider-webhooks/report-mapping.ts';

const closed = { additionalProperties: false } as const;

const smsMappingShape = Type.Object(
  {
    headers: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[!#$%&'*+.^_`|~\\da-zA-Z-]+$" }),
        Type.String({ pattern: '^[\\t\\x20-\\x7e]*$' }),
        closed,
      ),
    ),
    encoding: Type.Optional(Type.Enum(['json', 'form'])),
    /** The body of a request. In its strings `{to}`, `{text}`, `{id}` and `{from}` are filled in. */
    request: Type.Record(Type.String(), Type.Unknown()),
    /** Where a 2xx response has the gateway's id, and the status that says whether it accepted the message. */
    answer: Type.Optional(
      Type.Object(
        {
          reference: Type.Optional(pointerShape),
          status: Type.Optional(pointerShape),
          accepted: Type.Optional(statusesShape),
          refused: Type.Optional(statusesShape),
        },
        closed,
      ),
    ),
    /** How receipts read. A receipt names the message by our `{id}`, by the gateway's `reference`, or by both. */
    receipt: Type.Optional(
      Type.Object(
        {
          method: Type.Optional(Type.Enum(['POST', 'GET'])),
          id: Type.Optional(pointerShape),
          reference: Type.Optional(pointerShape),
          ...reportMembers,
        },
        closed,
      ),
    ),
  },
  closed,
);

/** How an SMS gateway is called and how its receipts read; the file of SMS_GATEWAY. */
export type SmsMapping = Static<typeof smsMappingShape>;

/** Used without SMS_GATEWAY. */
export const defaultSmsMapping: SmsMapping = {
  request: { to: '{to}', text: '{text}', id: '{id}', from: '{from}' },
  answer: { reference: '/id' },
  receipt: { id: '/id', status: '/status', delivered: ['delivered'], failed: ['failed', 'undelivered', 'rejected'] },
};

/** Parses the file of SMS_GATEWAY; throws as `parseJsonFile` does. */
export function parseSmsMapping(text: string): SmsMapping {
  const mapping = parseJsonFile(smsMappingShape, text);
  const fault = faultOf(mapping);
  if (fault !== undefined) throw new TypeError(fault);
  return mapping;
}

/** Checks that the schema cannot express: members that need each other. */
function faultOf({ request, encoding, answer = {}, receipt }: SmsMapping): string | undefined {
  const { status, accepted = [], refused = [] } = answer;
  const template = JSON.stringify(request);
  if (!template.includes('{to}') || !template.includes('{text}')) return '/request: expected {to} and {text} in it';
  if (encoding === 'form' && Object.values(request).some((item) => typeof item === 'object'))
    return '/request: expected text, numbers or booleans as the fields of a form';
  if (status === undefined && accepted.length + refused.length > 0)
    return '/answer: expected status in addition to accepted or refused';
  if (status !== undefined && accepted.length === 0)
    return '/answer/accepted: expected a status; without one no message counts as accepted';
  if (receipt === undefined) return undefined;
  if (!hasFinalStatus(receipt)) return '/receipt: expected a status in at least one list, such as "delivered"';
  if (receipt.id === undefined && receipt.reference === undefined)
    return '/receipt: expected id (of this server) or reference (of the gateway), by which a receipt identifies the message';
  if (receipt.reference !== undefined && answer.reference === undefined)
    return '/receipt/reference: expected /answer/reference too, where the response of the gateway has its id';
  return undefined;
}

type SmsValues = { readonly to: string; readonly text: string; readonly id: string; readonly from: string };

/** The encoded body of a request. Values are filled in before the encoding, so that no text can change its structure. */
export function gatewayRequestBody(
  { request, encoding }: SmsMapping,
  values: SmsValues,
): { readonly type: string; readonly body: string } {
  const fill = (text: string) =>
    text.replaceAll(/\{(to|text|id|from)\}/g, (_all, name: keyof SmsValues) => values[name]);
  const filled: Record<string, unknown> = JSON.parse(JSON.stringify(request), (_name, item) =>
    typeof item === 'string' ? fill(item) : item,
  );
  if (encoding !== 'form') return { type: 'application/json', body: JSON.stringify(filled) };
  const form = new URLSearchParams();
  for (const [name, item] of Object.entries(filled)) form.append(name, String(item));
  return { type: 'application/x-www-form-urlencoded', body: form.toString() };
}

const maxReferenceLength = 200;

/** The gateway's own id of a message. It loses what no database stores: a NUL, and half of a surrogate pair. */
export function referenceAtPointer(value: unknown, pointer: string): string | undefined {
  const reference = valueAtPointer(value, pointer);
  const isReference = typeof reference === 'number' || (typeof reference === 'string' && reference !== '');
  return isReference
    ? String(reference).slice(0, maxReferenceLength).toWellFormed().replaceAll('\0', '\ufffd')
    : undefined;
}

const ownId = /^dlv_(\w{26})\.(\d{1,6})$/;

/**
 * The reports in a receipt of the SMS gateway. A receipt names the message by our id or by the gateway's id, which `find`
 * looks up. `not-yet`: no message has that gateway id, perhaps because the receipt arrived before the response with the id.
 * An id that the gateway gave to two messages identifies neither. Undefined when a part is not JSON.
 */
export async function lateReportsInReceipt(
  { receipt }: SmsMapping,
  body: unknown,
  find: (reference: string) => Promise<readonly DeliveryId[]>,
): Promise<Array<LateReport | 'not-yet'> | undefined> {
  if (receipt === undefined) return [];
  const reports: Array<LateReport | 'not-yet'> = [];
  const found = finalReportsIn(receipt, body);
  for (const { event, outcome } of found ?? []) {
    const id = receipt.id === undefined ? undefined : valueAtPointer(event, receipt.id);
    const attempt = parseReportedAttempt(ownId, id);
    if (attempt !== undefined) {
      reports.push({ ...attempt, ...outcome });
      continue;
    }
    const reference = receipt.reference === undefined ? undefined : referenceAtPointer(event, receipt.reference);
    if (reference === undefined) continue;
    const [delivery, other] = await find(reference);
    if (delivery === undefined) reports.push('not-yet');
    else if (other === undefined) reports.push({ delivery, ...outcome });
  }
  return found === undefined ? undefined : reports;
}
