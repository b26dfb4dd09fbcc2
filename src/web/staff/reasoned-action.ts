import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { ListedOperation } from '../../api/operation.ts';
import { problems } from '../../kernel/problem-catalogue.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestPath } from '../../kernel/request-target.ts';
import { singleLinePattern } from '../../kernel/single-line-text.ts';
import { parseForm } from '../form-body.ts';
import {
  type FieldFault,
  faultSummary,
  faultText,
  fieldAttributes,
  formActions,
  keptFormBanner,
  postForm,
} from '../form-parts.ts';
import { type Html, html } from '../html.ts';
import { renderStaffPage, type StaffSection, type StaffVisit } from './staff-page.ts';

/** The page of an action. The form posts to the path of the page. */
type ActionPage = {
  readonly section: StaffSection;
  readonly title: string;
  readonly text: string;
  /** The summary of the thing that the action changes, above the text. */
  readonly subject?: Html;
  readonly button: string;
  /** Whether the button warns, because the action stops or destroys something. */
  readonly isSerious: boolean;
  readonly backTo: string;
};

/** An action that is asked for on a page of its own, with a reason. */
export type ReasonedAction = ActionPage & {
  readonly needsReason: boolean;
  readonly operation: ListedOperation;
  readonly params: Readonly<Record<string, string>>;
  /** The page after success. */
  readonly doneAt: string;
  /** The refusal if the action was done already: by the same form, sent twice, or by another person. `backTo` then shows the present state. */
  readonly alreadyDoneAs: 'conflict' | 'proposal-ended';
};

const maxReasonLength = 500;

/** Asks for the reason, and a POST calls the operation with it. After success it redirects, so that a reload does not repeat the action. */
export async function handleReasonedAction(
  visit: StaffVisit,
  action: ReasonedAction,
): Promise<BufferedResponse | Refusal> {
  if (visit.request.method !== 'POST') {
    const kept = visit.keptForm?.get('reason');
    return reasonPage(visit, action, { reason: kept ?? '', faults: [], isKept: kept !== undefined });
  }
  const reason = (await parseForm(visit.request))?.get('reason')?.trim() ?? '';
  const { texts } = visit;
  if (!isReason(reason, action.needsReason))
    return reasonPage(visit, action, { reason, faults: [{ field: 'reason', text: texts.action.reasonFault }] });
  const json = reason === '' ? {} : { reason };
  const answer = await visit.call(action.operation, visit.token, { params: action.params, json });
  if (!('slug' in answer)) return redirectTo(action.doneAt);
  if (answer.slug === action.alreadyDoneAs) return redirectTo(action.backTo);
  if (answer.slug === 'affects-all-services')
    return reasonPage(visit, action, { reason, faults: [{ field: 'reason', text: texts.action.allServices }] });
  if (problems[answer.slug].status !== 409) return answer;
  return reasonPage(visit, action, { reason, faults: [{ field: 'reason', text: texts.action.notPossible }] });
}

/** Whether a reason can be stored: one line, and not empty unless it is optional. */
export function isReason(reason: string, isNeeded: boolean): boolean {
  if (reason === '') return !isNeeded;
  return [...reason].length <= maxReasonLength && singleLinePattern.test(reason);
}

/** The reason in the form. `isKept`: the person typed it before the session ended. */
export type ReasonForm = { readonly reason: string; readonly faults: readonly FieldFault[]; readonly isKept?: boolean };

function reasonPage(visit: StaffVisit, action: ReasonedAction, form: ReasonForm): BufferedResponse {
  return actionPage(visit, action, { ...form, field: reasonField(visit, form, action.needsReason) });
}

/** Renders the page of an action with the field for its reason. */
export function actionPage(
  visit: StaffVisit,
  action: ActionPage,
  { field, faults, isKept = false }: Omit<ReasonForm, 'reason'> & { readonly field: Html },
): BufferedResponse {
  const { words } = visit.layout;
  const { title, section, subject = '', text, isSerious } = action;
  const style = isSerious ? html` class="warning"` : '';
  const button = html`<button type="submit"${style}>${action.button}</button>`;
  const fields = html`${field}${formActions(button, words, action.backTo)}`;
  const content = html`${isKept ? keptFormBanner(words) : ''}${faultSummary(words, faults)}${subject}<p>${text}</p>
    ${postForm(visit.layout, { action: requestPath(visit.request.url), content: fields })}`;
  const hasFaults = faults.length > 0;
  return renderStaffPage(visit, { title, content, section, hasFaults, status: hasFaults ? 400 : 200 });
}

/** The field for a reason. */
export function reasonField(
  { texts }: Pick<StaffVisit, 'texts'>,
  { reason, faults }: ReasonForm,
  isNeeded: boolean,
): Html {
  const { action } = texts;
  return html`<p><label for="reason">${isNeeded ? action.reason : action.optionalReason}</label>
      <span class="hint" id="reason-hint">${action.reasonHint}</span>${faultText(faults, 'reason')}
      <input id="reason" name="reason" value="${reason}" maxlength="${maxReasonLength}" autocomplete="off"${fieldAttributes(faults, 'reason', 'reason-hint')} /></p>`;
}

/** Redirects after a form. */
export function redirectTo(location: string): BufferedResponse {
  return { status: 303, headers: { location }, body: '' };
}

/** A part of the path of a page, such as an id; 0 is the first one after `/staff`. */
export function pathPart({ request }: Pick<StaffVisit, 'request'>, index: number): string {
  return requestPath(request.url).split('/')[index + 2] ?? '';
}
