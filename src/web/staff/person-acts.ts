import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { ListedOperation } from '../../api/operation.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { singleLinePattern } from '../../kernel/single-line-text.ts';
import type { LookUpAnswer } from '../../staff/look-up-hit.ts';
import { proposeOperation } from '../../staff/propose-operation.ts';
import { readLookUp } from '../../staff/read-look-up.ts';
import { recordReturnedNotificationLetter } from '../../staff/record-returned-letter.ts';
import { sendNotificationByLetter } from '../../staff/send-by-letter.ts';
import { readJson } from '../citizen-operations.ts';
import { parseForm } from '../form-body.ts';
import { type FieldFault, faultSummary, formActions, keptFormBanner } from '../form-parts.ts';
import { html } from '../html.ts';
import { parseReason, reasonFields } from './look-up-form.ts';
import { type ActName, actPath, letterState, type PersonAddress, personPath } from './person-page.ts';
import { waitingProposalPath } from './read-proposals.ts';
import { type FormView, textInput } from './staff-fields.ts';
import { renderStaffPage, type StaffVisit } from './staff-page.ts';
import type { Hit } from './timeline-words.ts';

/** An act on a person that a look-up found. `subject` is part of the path. */
type Act = {
  readonly act: ActName;
  readonly subject: string;
  readonly address: PersonAddress;
  readonly hit: Hit;
  readonly lookUp: LookUpAnswer;
};

/** The operation of a form, and its input. */
type ActCall = {
  readonly operation: ListedOperation;
  readonly params?: { readonly id: string };
  readonly json: object;
  /** The operation that the act proposes. */
  readonly proposal?: { readonly operation: string; readonly input: object };
};

/** Shows the form of an act, or does it. Each act has a page of its own, which says what it does before it is done. */
export async function handleAct(visit: StaffVisit, act: Act): Promise<BufferedResponse | Refusal | 'done'> {
  if (visit.request.method !== 'POST') {
    const { reason, reference } = act.lookUp;
    const values = visit.keptForm ?? new URLSearchParams({ reason, case: reference });
    return actPage(visit, act, { values, faults: [], isKept: visit.keptForm !== undefined });
  }
  const values = (await parseForm(visit.request)) ?? new URLSearchParams();
  const called = isProposal(act) ? parseProposal(visit, act, values) : parseMessageAct(visit, act, values);
  if ('faults' in called) return actPage(visit, act, { values, faults: called.faults });
  const { operation, proposal, ...input } = called;
  const answer = await visit.call(operation, visit.token, input);
  if (!('slug' in answer)) return 'done';
  if (answer.slug !== 'conflict') return answer;
  if (act.act === 'letter' && (await isLetterOnItsWay(visit, act))) return 'done';
  if (proposal !== undefined && (await waitingProposalPath(visit, proposal)) !== undefined) return 'done';
  const [field = 'reason'] = isProposal(act) ? ['proposalReason'] : [];
  return actPage(visit, act, { values, faults: [{ field, text: visit.texts.acts[act.act].refused }] });
}

/** Whether the form was sent twice. */
async function isLetterOnItsWay(visit: StaffVisit, { subject, address }: Act): Promise<boolean> {
  const query = { language: visit.layout.words.language };
  const answer = await readJson<LookUpAnswer>(visit, readLookUp, { params: { id: address.lookUp }, query });
  const hit = 'json' in answer ? answer.json.hits[address.position - 1] : undefined;
  const message = hit?.messages.find(({ id }) => id === subject);
  if (message === undefined) return false;
  const { isWaiting, wasSent } = letterState(message);
  return isWaiting || wasSent;
}

const isProposal = ({ act }: Pick<Act, 'act'>) => act === 'unlock' || act === 'release';

function parseMessageAct(
  visit: StaffVisit,
  { act, subject }: Act,
  values: URLSearchParams,
): ActCall | { readonly faults: readonly FieldFault[] } {
  const reason = parseReason(visit, values);
  if ('faults' in reason) return { faults: reason.faults ?? [] };
  const operation = act === 'letter' ? sendNotificationByLetter : recordReturnedNotificationLetter;
  return { operation, params: { id: subject }, json: reason };
}

function parseProposal(
  { texts }: StaffVisit,
  { act, subject, hit }: Act,
  values: URLSearchParams,
): ActCall | { readonly faults: readonly FieldFault[] } {
  const text = (name: string) => values.get(name)?.trim() ?? '';
  const names = act === 'unlock' ? (['messageToCitizen', 'proposalReason'] as const) : (['proposalReason'] as const);
  const faults = names.flatMap((field) =>
    text(field).length > 200 || !singleLinePattern.test(text(field)) ? [{ field, text: texts.acts.faults[field] }] : [],
  );
  if (faults.length > 0) return { faults };
  const reason = text('proposalReason');
  const proposal =
    act === 'unlock'
      ? {
          operation: 'liftCitizenLock',
          input: { citizenId: hit.citizenId, messageToCitizen: text('messageToCitizen') },
        }
      : { operation: 'releaseHold', input: { hold: subject } };
  return { operation: proposeOperation, proposal, json: { ...proposal, reason } };
}

function actPage(visit: StaffVisit, act: Act, view: FormView & { readonly isKept?: boolean }): BufferedResponse {
  const { words } = visit.layout;
  const { acts } = visit.texts;
  const { title, text, send } = acts[act.act];
  const message =
    act.act === 'unlock' ? textInput(view, { name: 'messageToCitizen', label: acts.messageToCitizen }) : '';
  const fields = isProposal(act)
    ? html`${message}${textInput(view, { name: 'proposalReason', label: acts.proposalReason })}`
    : reasonFields(visit, view);
  const button = html`<button type="submit">${send}</button>`;
  const content = html`${view.isKept === true ? keptFormBanner(words) : ''}${faultSummary(words, view.faults)}<p>${text}</p>
    <form method="post" action="${actPath(act.address, act.act, act.subject)}" novalidate>${fields}
      ${formActions(button, words, personPath(act.address))}</form>`;
  return renderStaffPage(visit, { title, content, section: 'person', hasFaults: view.faults.length > 0 });
}
