import type { Issue, Refusal } from '../../kernel/refusal.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { FieldFault } from '../form-parts.ts';
import type { StaffVisit } from './staff-page.ts';

/** A field of a form: its name, and its label. */
export type NamedField = { readonly field: string; readonly label: string };

/** The fault of a form whose texts together are too long for a request. */
export function tooLongFault({ layout, texts }: Pick<StaffVisit, 'layout' | 'texts'>, { field, label }: NamedField) {
  return { field, text: formatMessage(layout.words.language, texts.send.faults.tooLong, { field: label }) };
}

/**
 * The faults of a form whose operation refused the request. `fieldOf` finds the field of a JSON pointer; the first field has the faults
 * of the whole request.
 */
export function faultsOf(
  { layout, texts }: Pick<StaffVisit, 'layout' | 'texts'>,
  { issues = [] }: Refusal,
  fieldOf: (pointer: string) => NamedField,
): readonly FieldFault[] {
  const faults = issues.map((issue) => {
    const { field, label } = fieldOf(issue.pointer ?? '');
    const text = formatMessage(layout.words.language, texts.send.faults[kindOf(issue)], { field: label });
    return { field, text };
  });
  return faults.filter(({ field }, index) => faults.findIndex((one) => one.field === field) === index);
}

function kindOf({ code }: Issue): 'required' | 'invalid' | 'tooLong' {
  if (code === 'required' || code === 'too-short') return 'required';
  return code === 'too-long' ? 'tooLong' : 'invalid';
}
