import { compilePartCheck } from '../api/validate-request.ts';
import type { Caller } from '../auth/caller.ts';
import type { Json } from '../kernel/canonical-json.ts';
import type { Issue } from '../kernel/refusal.ts';
import { rowCodeOf } from './batches/batch.ts';
import { type BatchTemplate, isFields, type memberColumns, messageOfFields } from './batches/batch-columns.ts';
import { columnDetail, type RowFault } from './batches/row-detail.ts';
import type { UploadedRow } from './batches/sealed-piece.ts';
import { findRequestIssues, mayKnowCitizen, sendIssuesOf } from './check-send-request.ts';
import type { NotificationPorts } from './ports.ts';
import { type SendBody, sendBody } from './send-request.ts';

/** The values that all rows of a batch share. */
export type RowContext = {
  readonly caller: Caller;
  readonly now: number;
  /** The rows were checked before, and wait for their start or sending. */
  readonly isChecked: boolean;
  readonly ports: NotificationPorts;
  readonly columns: readonly string[];
  readonly template: BatchTemplate;
  readonly defaults: Readonly<Record<string, string>>;
};

/** The columns of a batch are all members of a message. A new member that is no column does not compile. */
type ColumnMember = (typeof memberColumns)[number] | 'personalisation';
const messageMembers = Object.keys(sendBody.properties) as (keyof SendBody & ColumnMember)[];

const checkBody = compilePartCheck('body', sendBody);
/** The details of a row name this number of faults. */
const maxFaults = 5;

/** The message of a row, or why it is refused: by the checks of a single message, without the register of citizens. */
export async function checkRow(
  context: RowContext,
  row: UploadedRow,
): Promise<{ readonly body: SendBody } | { readonly fault: RowFault }> {
  const parsed = parseRow(context, row);
  if ('fault' in parsed) return parsed;
  const { caller, now, ports } = context;
  const message = context.isChecked ? withoutPassedTime(parsed.message, now) : parsed.message;
  const issues = checkBody(message);
  if (issues.length > 0) {
    const invalidMembers = new Set(issues.map(({ pointer = '' }) => pointer.split('/')[1] ?? ''));
    const members = Object.entries(message).filter(([name]) => isMember(name) && !invalidMembers.has(name));
    // The check found no issue in these members.
    const body = Object.fromEntries(members) as Partial<SendBody>;
    return { fault: faultOf([...issues, ...(await sendIssuesOf({ body, invalidMembers, caller, now, ports }))]) };
  }
  // `checkBody` has checked it.
  const body = message as SendBody;
  const found = await findRequestIssues({ body, caller, now, ports });
  return found.issues.length > 0 ? { fault: faultOf(found.issues) } : { body };
}

/** A checked row whose time of sending has passed meanwhile is sent at once: it was good when the batch was approved. */
function withoutPassedTime(message: Readonly<Record<string, Json>>, now: number): Readonly<Record<string, Json>> {
  const { sendAt, ...others } = message;
  return typeof sendAt === 'string' && Date.parse(sendAt) <= now ? others : message;
}

const isMember = (name: string) => messageMembers.some((one) => one === name);

/** The fault of a row for an unknown citizen. */
export const unknownCitizen: RowFault = {
  code: 'citizen-unknown',
  detail: 'column citizenId: is not in the register; check that no zeros are missing at its start',
};

/** The fault of a row whose citizen is not in the register, if the client may know that. */
export async function citizenFault({ caller, ports }: RowContext, citizenId: string): Promise<RowFault | undefined> {
  if (!mayKnowCitizen({ caller }) || (await ports.contactOf(citizenId)) !== undefined) return undefined;
  return unknownCitizen;
}

/** Spreadsheets save a long number in the form 1.23E+11. */
const shortenedNumber = /^\d(?:[.,]\d+)?E\+\d+$/i;

function parseRow(
  { columns, template, defaults }: RowContext,
  row: UploadedRow,
): { readonly message: Readonly<Record<string, Json>> } | { readonly fault: RowFault } {
  if (row === null)
    return { fault: { code: 'malformed-line', detail: 'expected one JSON object, without a member twice' } };
  if (!isFields(row)) return { message: { ...defaults, ...row } };
  if (row.findLastIndex((field) => field !== '') >= columns.length)
    return {
      fault: { code: 'malformed-line', detail: `expected at most ${columns.length} values, received ${row.length}` },
    };
  const message = messageOfFields(columns, row, template);
  if (shortenedNumber.test(String(message['citizenId'])))
    return {
      fault: {
        code: 'malformed',
        detail:
          'column citizenId: expected all digits, received a number that a spreadsheet has shortened; format the column as text',
      },
    };
  return { message: { ...defaults, ...message } };
}

/** The code of the first issue, and the details of all. */
export function faultOf(issues: readonly Issue[]): RowFault {
  const [first] = issues;
  if (first === undefined) throw new TypeError('expected a row with an issue');
  const details = issues.slice(0, maxFaults).map(columnDetail);
  const more = issues.length > maxFaults ? [`${issues.length - maxFaults} more faults`] : [];
  return { code: rowCodeOf(first.code), detail: [...details, ...more].join('; ') };
}
