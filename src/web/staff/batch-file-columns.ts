import { memberColumns, resultColumns, valuePrefix } from '../../notifications/batches/batch-columns.ts';
import { capitalised } from './staff-fields.ts';
import type { StaffVisit } from './staff-page.ts';
import type { ListedTemplate } from './template-options.ts';

/** A column of the file of a batch. The label of a placeholder is empty, because its name says what it is. */
type FileColumn = { readonly name: string; readonly label: string };

/** The columns that a file with this template, or with a text in each row, needs and can have. */
export function batchFileColumns(
  { layout: { words }, texts: { send, templates } }: Pick<StaffVisit, 'layout' | 'texts'>,
  template: Pick<ListedTemplate, 'placeholders' | 'languages'> | undefined,
): { readonly needed: readonly FileColumn[]; readonly optional: readonly FileColumn[] } {
  const member = (name: (typeof memberColumns)[number], label: string): FileColumn => ({ name, label });
  const values = (template?.placeholders ?? []).map((name) => ({ name: columnOfPlaceholder(name), label: '' }));
  const isOwnText = template === undefined;
  return {
    needed: [
      member('citizenId', capitalised(words, words.uses.claims.citizenId)),
      ...(isOwnText ? [member('message', send.text)] : values),
    ],
    optional: [
      ...(isOwnText ? [member('subject', send.subject)] : []),
      member('reference', send.reference),
      member('language', `${templates.language} (${(template?.languages ?? [words.language]).join(', ')})`),
    ],
  };
}

const otherColumns: readonly string[] = [...memberColumns, ...resultColumns];

/** A placeholder with the name of another column needs the prefix. */
function columnOfPlaceholder(name: string): string {
  return otherColumns.includes(name) ? `${valuePrefix}${name}` : name;
}
