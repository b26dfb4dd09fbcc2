import { type Static, Type } from 'typebox';
import { parseId } from '../../kernel/id.ts';
import { textAtPointer, valueAtPointer } from '../../kernel/json-pointer.ts';
import type { ReportedDelivery } from '../delivery/apply-late-report.ts';
import type { ReasonCode } from '../notification/reason.ts';
import { parseProviderJson } from './provider-json.ts';

/** A JSON pointer (RFC 6901) into a body of a provider. */
export const pointerShape = Type.String({ pattern: '^(/.*)?$' });

/** Statuses of a provider. An empty one is not allowed, because a missing status is read as an empty one. */
export const statusesShape = Type.Array(Type.String({ minLength: 1 }));

const reasonOfList = {
  failed: 'address-refused',
  full: 'mailbox-full',
  unreachable: 'destination-unreachable',
  refused: 'message-refused',
} as const satisfies Record<string, ReasonCode>;

const failureLists = ['failed', 'full', 'unreachable', 'refused'] as const;

/** The members of a mapping file that locate the reports in a body; docs/operate/channels.md describes each. */
export const reportMembers = {
  json: Type.Optional(pointerShape),
  events: Type.Optional(pointerShape),
  status: Type.Union([pointerShape, Type.Array(pointerShape, { minItems: 1 })]),
  delivered: Type.Optional(statusesShape),
  failed: Type.Optional(statusesShape),
  full: Type.Optional(statusesShape),
  unreachable: Type.Optional(statusesShape),
  refused: Type.Optional(statusesShape),
};

const reportMapping = Type.Object(reportMembers);
type ReportMapping = Static<typeof reportMapping>;

type ReportOutcome = { readonly ended: 'delivered' } | { readonly ended: 'failed'; readonly reason: ReasonCode };

type ProviderReport = { readonly event: unknown; readonly outcome: ReportOutcome };

/** Whether at least one status is final. Without one, every report would be ignored. */
export function hasFinalStatus(mapping: ReportMapping): boolean {
  return [mapping.delivered, ...failureLists.map((name) => mapping[name])].some((list = []) => list.length > 0);
}

/** The events of a body that have a final status; undefined if the text at `json` is not JSON. */
export function finalReportsIn(mapping: ReportMapping, received: unknown): ProviderReport[] | undefined {
  const body = mapping.json === undefined ? received : parseProviderJson(textAtPointer(received, mapping.json));
  if (body === undefined) return undefined;
  const found = mapping.events === undefined ? body : valueAtPointer(body, mapping.events);
  const events: readonly unknown[] = Array.isArray(found) ? found : [found];
  return events.flatMap((event) => {
    const outcome = finalOutcomeOf(mapping, event);
    return outcome === undefined ? [] : [{ event, outcome }];
  });
}

/** The first status of an event that is in a list decides. */
function finalOutcomeOf(mapping: ReportMapping, event: unknown): ReportOutcome | undefined {
  for (const pointer of [mapping.status].flat()) {
    const status = textAtPointer(event, pointer);
    if (mapping.delivered?.includes(status) === true) return { ended: 'delivered' };
    const list = failureLists.find((name) => mapping[name]?.includes(status) === true);
    if (list !== undefined) return { ended: 'failed', reason: reasonOfList[list] };
  }
  return undefined;
}

/** The attempt in a text. The pattern captures the 26 letters of the delivery id and the number of the attempt. */
export function parseReportedAttempt(pattern: RegExp, value: unknown): ReportedDelivery | undefined {
  const [, id = '', attempt] = pattern.exec(typeof value === 'string' ? value : '') ?? [];
  // Providers change the case of a Message-ID.
  const delivery = parseId('delivery', `dlv_${id.toUpperCase()}`);
  return delivery === undefined ? undefined : { delivery, attempt: Number(attempt) };
}
