import type { PageLayout } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { formOwnerField } from './form-owner.ts';
import { type Html, html, trustedHtml } from './html.ts';

// Parts of the forms of the citizen pages.

/**
 * A form for the signed-in citizen of the layout. The server accepts it only from this citizen. The server also reports all faults, so
 * that their texts are in the language of the page.
 */
export function postForm({ person }: PageLayout, form: PostForm): Html {
  const { action, content, className } = form;
  const owner =
    person?.formOwner === undefined
      ? ''
      : html`<input type="hidden" name="${formOwnerField}" value="${person.formOwner}" />`;
  return html`<form method="post" action="${action}" novalidate${className === undefined ? '' : html` class="${className}"`}>${owner}${content}</form>`;
}

type PostForm = { readonly action: string; readonly content: Html; readonly className?: string };

/** A fault of a form: its text, and the field in which the citizen can correct it. */
export type FieldFault = { readonly field: string; readonly text: string };

/** The first element of a page, with the focus, so that screen readers read it first. */
export function faultSummary({ forms }: CitizenTexts, faults: readonly FieldFault[]): Html | '' {
  if (faults.length === 0) return '';
  return html`<div class="faults" role="alert" tabindex="-1" autofocus><h2>${forms.faultsTitle}</h2>
      <ul>${faults.map(({ text, field }) => html`<li><a href="#${field}">${text}</a></li>`)}</ul></div>`;
}

/** The text of a fault, next to its field. */
export function faultText(faults: readonly FieldFault[], field: string): Html | '' {
  const fault = faults.find((one) => one.field === field);
  return fault === undefined ? '' : html`<span class="fault" id="fault-${field}">${fault.text}</span>`;
}

/** The attributes of a field: its description, and its fault if it has one. */
export function fieldAttributes(faults: readonly FieldFault[], field: string, hint?: string): Html {
  const isFaulty = faults.some((one) => one.field === field);
  const described = [...(hint === undefined ? [] : [hint]), ...(isFaulty ? [`fault-${field}`] : [])].join(' ');
  return html`${isFaulty ? trustedHtml(' aria-invalid="true"') : ''}${described === '' ? '' : html` aria-describedby="${described}"`}`;
}

/** The message after success, with the focus, so that screen readers read it. */
export function successBanner(text: string): Html {
  return html`<div class="banner success" role="status" tabindex="-1" autofocus><p>${text}</p></div>`;
}

/** Says that the form was kept after the session had ended. */
export function keptFormBanner({ forms }: CitizenTexts): Html {
  return html`<div class="banner" role="status" tabindex="-1" autofocus><p>${forms.kept}</p></div>`;
}

/** The buttons of a form: the action, and a link that leaves everything as it is. */
export function formActions(action: Html, { forms }: CitizenTexts, cancelTo: string): Html {
  return html`<p class="actions">${action} <a href="${cancelTo}">${forms.cancel}</a></p>`;
}

/** An option of a list. */
export type SelectOption = readonly [value: string, text: string];
/** Options of a list under a common label. */
export type OptionGroup = { readonly label: string; readonly options: readonly SelectOption[] };

type Select = {
  readonly name: string;
  readonly label: string;
  /** The faults of the form. The text of its own fault is between the label and the list. */
  readonly faults: readonly FieldFault[];
  /** The id of the element that describes the field. */
  readonly hint?: string;
  readonly options: readonly (SelectOption | OptionGroup)[];
  readonly chosen: string;
};

/**
 * A current value that is in no list, set by a client of the API, becomes one more option. Otherwise saving the form would lose
 * it.
 */
export function selectField({ name, label, faults, hint, options, chosen }: Select): Html {
  const listed = options.flatMap((one) => ('label' in one ? one.options : [one]));
  const all = listed.some(([value]) => value === chosen) ? options : [...options, [chosen, chosen] as const];
  const optionElement = ([value, text]: SelectOption) =>
    html`<option value="${value}"${value === chosen ? trustedHtml(' selected') : ''}>${text}</option>`;
  return html`<label for="${name}">${label}</label>${faultText(faults, name)}
      <select id="${name}" name="${name}"${fieldAttributes(faults, name, hint)}>${all.map((one) =>
        'label' in one
          ? html`<optgroup label="${one.label}">${one.options.map(optionElement)}</optgroup>`
          : optionElement(one),
      )}</select>`;
}
