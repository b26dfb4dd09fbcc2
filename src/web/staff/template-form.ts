import { extractMessageHtml, renderMessageHtml } from '../../notifications/rendering/message-html.ts';
import { parseMarkdown } from '../../notifications/text/markdown.ts';
import { faultSummary, formActions } from '../form-parts.ts';
import { type Html, html, trustedHtml } from '../html.ts';
import { languageName, languageOptions } from '../language-names.ts';
import type { NamedField } from './issue-faults.ts';
import type { ServiceTemplate } from './send-form.ts';
import { staffPaths } from './staff-area.ts';
import { choiceInput, type FormView, hiddenInput, textInput } from './staff-fields.ts';
import type { StaffVisit } from './staff-page.ts';

type FormVisit = Pick<StaffVisit, 'layout' | 'texts'>;
type TemplateTexts = ServiceTemplate['texts'];

/** The path of the form of a new template. */
export const newTemplatePath = `${staffPaths.templates}/new`;
/** The most languages of a form. A program can create templates with more. */
const maxTexts = 20;

/** The body of `createServiceTemplate`. */
type TemplateBody = { readonly name: string; readonly defaultLanguage: string; readonly texts: TemplateTexts };

/** The body that a form asks for. A text without content is left out. */
export function parseTemplateForm(values: URLSearchParams): TemplateBody {
  const text = (name: string) => values.get(name)?.trim() ?? '';
  const texts = textIndexes(values).flatMap((index) => {
    const subject = text(`subject-${index}`);
    const message = text(`message-${index}`);
    const isEmpty = subject === '' && message === '';
    if (isEmpty && index > 0) return [];
    return [{ language: text(`language-${index}`), ...(subject === '' ? {} : { subject }), message }];
  });
  return { name: text('name'), defaultLanguage: text('default'), texts };
}

function textIndexes(values: URLSearchParams): readonly number[] {
  const count = Math.min(Math.max(Number.parseInt(values.get('count') ?? '1', 10) || 1, 1), maxTexts);
  return Array.from({ length: count }, (_, index) => index);
}

/** The values of a form for a new version of a template. */
export function templateValues({ name, defaultLanguage, texts }: ServiceTemplate): URLSearchParams {
  const fields = texts.flatMap(({ language, subject = '', message }, index): [string, string][] => [
    [`language-${index}`, language],
    [`subject-${index}`, subject],
    [`message-${index}`, message],
  ]);
  return new URLSearchParams([
    ['name', name],
    ['default', defaultLanguage],
    ['count', String(texts.length)],
    ...fields,
  ]);
}

/** The values with one more text, in a language that has none yet. */
export function withOneMoreText({ layout }: FormVisit, values: URLSearchParams): URLSearchParams {
  const indexes = textIndexes(values);
  const used = indexes.map((index) => values.get(`language-${index}`));
  const [next] = languageOptions(layout.words.language, []).filter(([tag]) => !used.includes(tag));
  const more = new URLSearchParams(values);
  if (indexes.length === maxTexts) return more;
  more.set('count', String(indexes.length + 1));
  more.set(`language-${indexes.length}`, next?.[0] ?? '');
  return more;
}

/** The form of a template, with a group of fields for each language. */
export function templateForm(visit: FormVisit, view: FormView): Html {
  const { words } = visit.layout;
  const { templates, send } = visit.texts;
  const indexes = textIndexes(view.values);
  const also = indexes.map((index) => view.values.get(`language-${index}`) ?? '').filter((tag) => tag !== '');
  const values = new URLSearchParams(view.values);
  for (const name of ['default', 'language-0']) if (!values.has(name)) values.set(name, words.language);
  const shown = { ...view, values };
  const options = languageOptions(words.language, also);
  const group = (index: number) => html`<fieldset><legend>${templates.textIn} (${index + 1})</legend>
        ${choiceInput(shown, { name: `language-${index}`, label: templates.language, options })}
        ${textInput(shown, { name: `subject-${index}`, label: send.subject })}
        ${textInput(shown, { name: `message-${index}`, label: send.text, rows: 10 })}</fieldset>`;
  const buttons = html`<button type="submit" class="secondary" name="step" value="preview">${send.look}</button>
      <button type="submit" class="secondary" name="step" value="add">${templates.add}</button>
      <button type="submit" name="step" value="save">${templates.save}</button>`;
  return html`${faultSummary(words, view.faults)}<p>${templates.intro}</p>
    <form method="post" action="${newTemplatePath}" novalidate>${hiddenInput('count', String(indexes.length))}
      ${textInput(shown, { name: 'name', label: templates.name })}
      ${choiceInput(shown, { name: 'default', label: templates.default, options })}
      ${indexes.map(group)}${formActions(buttons, words, staffPaths.templates)}</form>`;
}

/** The texts as citizens see them, with the placeholders. */
export function templatePreview({ layout }: FormVisit, texts: TemplateTexts): Html {
  return html`${texts.map(({ language, subject, message }) => {
    const page = renderMessageHtml({ title: '', language, blocks: parseMarkdown(message), sender: '' });
    const title = subject === undefined ? '' : html`<p><strong>${subject}</strong></p>`;
    return html`<article class="card"><h2>${languageName(layout.words.language, language)}</h2>
        <div lang="${language}" dir="auto">${title}${trustedHtml(extractMessageHtml(page))}</div></article>`;
  })}`;
}

/** The field of a JSON pointer into the body. */
export function templateFieldOf({ texts: { templates, send } }: FormVisit, pointer: string): NamedField {
  const [, first, index = '0', last] = pointer.split('/');
  if (first === 'defaultLanguage') return { field: 'default', label: templates.default };
  if (first !== 'texts') return { field: 'name', label: templates.name };
  if (last === 'language') return { field: `language-${index}`, label: templates.language };
  if (last === 'subject') return { field: `subject-${index}`, label: send.subject };
  return { field: `message-${index}`, label: send.text };
}
