import { type Static, Type } from 'typebox';
import { parseJsonFile } from '../../config/parse-json-file.ts';
import { valueAtPointer } from '../../kernel/json-pointer.ts';
import type { LateReport } from '../delivery/apply-late-report.ts';
import { finalReportsIn, hasFinalStatus, parseReportedAttempt, pointerShape, reportMembers } from './report-mapping.ts';

const closed = { additionalProperties: false } as const;

const mailEventShape = Type.Object(
  {
    /** Extra headers of each mail by which its provider reports about it. Only X- headers: ours cannot be replaced. */
    headers: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[xX]-[a-zA-Z\\d-]{1,60}$' }),
        Type.String({ pattern: '^[\\x20-\\x7e]{1,500}$' }),
        closed,
      ),
    ),
    /** Where a body has the URL that the operator opens to confirm the subscription. */
    confirm: Type.Optional(pointerShape),
    /** Where an event has our Message-ID, the envelope sender, or the value of one of `headers`. */
    id: pointerShape,
    ...reportMembers,
  },
  closed,
);

/** How the events of a mail provider read; the file of MAIL_EVENTS. */
export type MailEventMapping = Static<typeof mailEventShape>;

/** Parses the file of MAIL_EVENTS; throws as `parseJsonFile` does. */
export function parseMailEvents(text: string): MailEventMapping {
  const mapping = parseJsonFile(mailEventShape, text);
  if (!hasFinalStatus(mapping)) throw new TypeError('expected a status in at least one list, such as "failed"');
  return mapping;
}

/** The URL that the operator has to open before the provider reports anything, where the body is about that. */
export function confirmationUrlIn({ confirm }: MailEventMapping, body: unknown): string | undefined {
  const url = confirm === undefined ? undefined : valueAtPointer(body, confirm);
  return typeof url === 'string' && /^https:\/\/[\x21-\x7e]{1,2000}$/.test(url) ? url : undefined;
}

/** Our Message-ID, or an envelope sender of ours. */
const mailMark = /(?:^|[<+])dlv_(\w{26})\.(\d{1,6})(?=[@-])/i;

/** The reports about mails of ours; events about other mails are left out. Undefined where a part is no JSON. */
export function lateReportsInMailEvents(mapping: MailEventMapping, body: unknown): LateReport[] | undefined {
  return finalReportsIn(mapping, body)?.flatMap(({ event, outcome }) => {
    const attempt = parseReportedAttempt(mailMark, valueAtPointer(event, mapping.id));
    return attempt === undefined ? [] : [{ ...attempt, ...outcome }];
  });
}
