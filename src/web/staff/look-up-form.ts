import type { Refusal } from '../../kernel/refusal.ts';
import { singleLinePattern } from '../../kernel/single-line-text.ts';
import { lookUpReasons } from '../../ledger/ledger-event.ts';
import type { LookUpBody } from '../../staff/look-up.ts';
import { type FieldFault, faultSummary } from '../form-parts.ts';
import { type Html, html } from '../html.ts';
import { faultsOf } from './issue-faults.ts';
import { staffPaths } from './staff-area.ts';
import { capitalised, choiceInput, type FormView, textInput } from './staff-fields.ts';
import type { StaffVisit } from './staff-page.ts';

type FormVisit = Pick<StaffVisit, 'layout' | 'texts' | 'member'>;

/** The claims that the form offers: details that a person can say on the phone. */
const formClaims = ['givenName', 'familyName', 'birthDate', 'birthPlace', 'postalCode'] as const;
const maxReferenceLength = 100;

/** The fields for the reason and the case number of a look-up or an act. */
export function reasonFields({ texts: { person } }: Pick<FormVisit, 'texts'>, view: FormView): Html {
  const options = [['', person.chooseReason] as const, ...Object.entries(person.reasons)];
  return html`${choiceInput(view, { name: 'reason', label: person.reason, options })}
      ${textInput(view, { name: 'case', label: person.case })}`;
}

/** The reason and the case number of a form, or the faults of these fields. */
export function parseReason({ texts: { person } }: Pick<FormVisit, 'texts'>, values: URLSearchParams) {
  const reason = lookUpReasons.find((one) => one === values.get('reason'));
  const reference = textOf(values, 'case');
  const isCase = reference.length <= maxReferenceLength && singleLinePattern.test(reference);
  if (reason !== undefined && isCase) return { reason, reference };
  const faults: FieldFault[] = [
    ...(reason === undefined ? [{ field: 'reason', text: person.faults.reason }] : []),
    ...(isCase ? [] : [{ field: 'case', text: person.faults.case }]),
  ];
  return { faults };
}

const textOf = (values: URLSearchParams, name: string) => values.get(name)?.trim() ?? '';

/** The form of a look-up. It is a POST, so that no detail of a person is in an address. */
export function lookUpForm(visit: FormVisit, view: FormView): Html {
  const { words } = visit.layout;
  const { person } = visit.texts;
  const claimField = (name: (typeof formClaims)[number]) => {
    const type = name === 'birthDate' ? 'date' : 'text';
    return textInput(view, { name, label: capitalised(words, words.uses.claims[name]), type });
  };
  const number = textInput(view, { name: 'citizenId', label: capitalised(words, words.uses.claims.citizenId) });
  return html`${faultSummary(words, view.faults)}<p>${person.intro}</p>
    <form method="post" action="${staffPaths.person}" novalidate>
      ${reasonFields(visit, view)}<p>${person.faults.one}.</p>
      <fieldset><legend>${person.byMessage}</legend>
        ${textInput(view, { name: 'message', label: person.message, hint: person.messageHint })}</fieldset>
      <fieldset><legend>${person.byNumber}</legend>${number}</fieldset>
      <fieldset><legend>${person.byDetails}</legend><p>${person.detailsHint}</p>${formClaims.map(claimField)}</fieldset>
      <p><button type="submit">${person.find}</button></p>
    </form>`;
}

/** The body of the look-up that a form asks for, or the faults of the form. */
export function parseLookUp(
  visit: FormVisit,
  values: URLSearchParams,
): LookUpBody | { readonly faults: readonly FieldFault[] } {
  const { faults: texts } = visit.texts.person;
  const reason = parseReason(visit, values);
  const target = targetOf(values);
  const field = typeof target === 'string' ? (target === 'one' ? 'message' : 'birthDate') : undefined;
  const targetFaults = field === undefined || typeof target !== 'string' ? [] : [{ field, text: texts[target] }];
  if ('faults' in reason || typeof target === 'string')
    return { faults: [...('faults' in reason ? (reason.faults ?? []) : []), ...targetFaults] };
  return { ...reason, ...target, language: visit.layout.words.language };
}

/** The faults of a look-up that the operation refused. */
export function lookUpFaults(visit: FormVisit, refusal: Refusal): readonly FieldFault[] {
  const { texts, layout } = visit;
  const { claims } = layout.words.uses;
  const fields = ['citizenId', ...formClaims] as const;
  const found = faultsOf(visit, refusal, (pointer) => {
    const field = fields.find((one) => one === pointer.split('/').at(-1));
    return field === undefined
      ? { field: 'message', label: texts.person.message }
      : { field, label: capitalised(layout.words, claims[field]) };
  });
  return found.map((fault) => (fault.field === 'birthDate' ? { ...fault, text: texts.person.faults.date } : fault));
}

/** The one way in which the form names the person, or the fault: none or several ways, too few details, a wrong date. */
function targetOf(
  values: URLSearchParams,
): Pick<LookUpBody, 'notificationId' | 'messageReference' | 'citizenId' | 'claims'> | 'one' | 'details' | 'date' {
  const [message, citizenId] = [textOf(values, 'message'), textOf(values, 'citizenId')];
  const claims = Object.fromEntries(
    formClaims.map((name) => [name, textOf(values, name)]).filter(([, value]) => value !== ''),
  ) as Partial<Record<(typeof formClaims)[number], string>>;
  const count = Object.keys(claims).length;
  if ([message !== '', citizenId !== '', count > 0].filter(Boolean).length !== 1) return 'one';
  if (citizenId !== '') return { citizenId };
  if (message.startsWith('ntf_')) return { notificationId: message };
  if (message !== '') return { messageReference: message };
  if (claims.birthDate === undefined || count < 2) return 'details';
  return /^\d{4}-\d{2}-\d{2}$/.test(claims.birthDate) ? { claims } : 'date';
}
