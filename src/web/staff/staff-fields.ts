import type { CitizenTexts } from '../citizen-texts.ts';
import { type FieldFault, faultText, fieldAttributes, type SelectOption, selectField } from '../form-parts.ts';
import { type Html, html } from '../html.ts';

// Fields of the forms of staff.

/** The content of a form: the values as typed, and their faults. */
export type FormView = { readonly values: URLSearchParams; readonly faults: readonly FieldFault[] };

type TextField = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'text' | 'date' | 'datetime-local';
  /** The lines of a field for several lines. */
  readonly rows?: number;
  readonly maxLength?: number;
};

/** A field for a text. The server checks it, so that faults are in the language of the page. */
export function textInput(
  { values, faults }: FormView,
  { name, label, hint, type = 'text', rows, maxLength }: TextField,
): Html {
  const value = values.get(name) ?? '';
  const hintId = hint === undefined ? undefined : `${name}-hint`;
  const limit = maxLength === undefined ? '' : html` maxlength="${maxLength}"`;
  const attributes = html`${limit}${fieldAttributes(faults, name, hintId)}`;
  const field =
    rows === undefined
      ? html`<input id="${name}" name="${name}" type="${type}" dir="auto" autocomplete="off" value="${value}"${attributes} />`
      : html`<textarea id="${name}" name="${name}" rows="${rows}" dir="auto"${attributes}>
${value}</textarea>`;
  const note = hint === undefined ? '' : html`<span class="hint" id="${hintId}">${hint}</span>`;
  return html`<p><label for="${name}">${label}</label>${note}${faultText(faults, name)}${field}</p>`;
}

type Choice = { readonly name: string; readonly label: string; readonly options: readonly SelectOption[] };

/** A list of which one value is chosen. */
export function choiceInput({ values, faults }: FormView, { name, label, options }: Choice): Html {
  const [first] = options;
  const chosen = values.get(name) ?? first?.[0] ?? '';
  const known = options.some(([value]) => value === chosen) ? chosen : (first?.[0] ?? '');
  return html`<p>${selectField({ name, label, faults, options, chosen: known })}</p>`;
}

/** A value that the next request needs unchanged. */
export function hiddenInput(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** A text with a capital letter at its start: the names of details are parts of sentences elsewhere. */
export function capitalised({ language }: Pick<CitizenTexts, 'language'>, text: string): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}
