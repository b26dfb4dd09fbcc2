import { type Static, Type } from 'typebox';
import { parseJsonFile } from '../../config/parse-json-file.ts';
import { valueAtPointer } from '../../kernel/json-pointer.ts';
import type { LateReport } from '../delivery/apply-late-report.ts';
import { finalReportsIn, hasFinalStatus, parseReportedAttempt, pointerShape, reportMembers } from './report-mapping.ts';

const closed = { additionalProperties: false } as const;

const mailEventShape = Type.Object(
  {
    /** Extra headers of each mail, which the provider repeats in its reports. Only X- headers, so that ours cannot be replaced. */
    headers: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[xX]-[a-zA-Z\\d-]{1,60}$' }),
        Type.String({ pattern: '^[\\x20-\\x7e]{1,500}$' }),
        closed,
      ),
    ),
    /** The URL in a body that the operator must open to confirm the subscription. */
    confirm: Type.Optional(pointerShape),
    /** The member of an event with our Message-ID, the envelope sender, or the value of one of `headers`. */
    id: pointerShape,
    ...reportMembers,
  },
  closed,
);

/** The mapping of a mail provider's events: the file of MAIL_EVENTS. */
export type MailEventMapping = Static<typeof mailEventShape>;

/** Parses the file of MAIL_EVENTS. Throws a TypeError for an invalid one. */
export function parseMailEvents(text: string): MailEventMapping {
  const mapping = parseJsonFile(mailEventShape, text);
  if (!hasFinalStatus(mapping)) throw new TypeError('expected a status in at least one list, such as "failed"');
  return mapping;
}

/** The URL that the operator must open to confirm the subscription; undefined in any other body. */
export function confirmationUrlIn({ confirm }: MailEventMapping, body: unknown): string | undefined {
  const url = confirm === undefined ? undefined : valueAtPointer(body, confirm);
  return typeof url === 'string' && /^https:\/\/[\x21-\x7e]{1,2000}$/.test(url) ? url : undefined;
}

/** Our Message-ID, or an envelope sender of ours. */
const mailMark = /(?:^|[<+])dlv_(\w{26})\.(\d{1,6})(?=[@-])/i;

/** The reports about our mails; events about other mails are ignored. Undefined if a part is not JSON. */
export function lateReportsInMailEvents(mapping: MailEventMapping, body: unknown): LateReport[] | undefined {
  return finalReportsIn(mapping, body)?.flatMap(({ event, outcome }) => {
    const attempt = parseReportedAttempt(mailMark, valueAtPointer(event, mapping.id));
    return attempt === undefined ? [] : [{ ...attempt, ...outcome }];
  });
}
