import { formatInstant } from '../../kernel/clock.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { categories } from '../../notifications/notification/notification.ts';
import type { SendBody } from '../../notifications/send-request.ts';
import { type FieldFault, faultSummary } from '../form-parts.ts';
import { type Html, html } from '../html.ts';
import { languageName } from '../language-names.ts';
import { faultsOf, type NamedField, tooLongFault } from './issue-faults.ts';
import { parseLocalTime } from './local-time.ts';
import { staffPaths } from './staff-area.ts';
import { capitalised, choiceInput, type FormView, hiddenInput, textInput } from './staff-fields.ts';
import type { StaffVisit } from './staff-page.ts';

/** The template of a message, as `readServiceTemplate` returns it. */
export type ServiceTemplate = {
  readonly id: string;
  readonly name: string;
  readonly defaultLanguage: string;
  readonly languages: readonly string[];
  readonly placeholders: readonly string[];
  readonly createdAt: string;
  readonly texts: readonly { readonly language: string; readonly subject?: string; readonly message: string }[];
};

type FormVisit = Pick<StaffVisit, 'layout' | 'texts'>;

/** The value of `template` in a form without a template. */
export const ownText = 'own';
const valuePrefix = 'value-';

/** The form of one message: with the values of a template, or with a subject and a text. */
export function sendForm(visit: FormVisit, template: ServiceTemplate | undefined, view: FormView): Html {
  const { words } = visit.layout;
  const { send } = visit.texts;
  const labels = labelsOf(visit);
  const field = (name: keyof typeof labels) => textInput(view, { name, label: labels[name] });
  const options = categories.map((one) => [one, words.messages.categories[one]] as const);
  const content =
    template === undefined
      ? html`${field('subject')}${textInput(view, { name: 'text', label: labels.text, rows: 12 })}`
      : templateFields(visit, template, view);
  return html`${faultSummary(words, view.faults)}
    <form method="post" action="${staffPaths.send}" novalidate>${hiddenInput('template', template?.id ?? ownText)}
      ${field('citizenId')}${content}
      ${choiceInput(view, { name: 'category', label: labels.category, options })}
      ${field('reference')}${textInput(view, { name: 'sendAt', label: labels.sendAt, type: 'datetime-local' })}
      <p><button type="submit" name="step" value="preview">${send.look}</button></p>
    </form>`;
}

function templateFields({ layout, texts }: FormVisit, template: ServiceTemplate, view: FormView): Html {
  const { language } = layout.words;
  const values = template.placeholders.map((name) => textInput(view, { name: `${valuePrefix}${name}`, label: name }));
  const languages = template.languages.map((tag) => [tag, languageName(language, tag)] as const);
  const options = [['', texts.send.personLanguage] as const, ...languages];
  return html`<p>${texts.send.template}: <bdi>${template.name}</bdi></p>
      ${choiceInput(view, { name: 'language', label: texts.templates.language, options })}
      ${values.length === 0 ? '' : html`<fieldset><legend>${texts.send.values}</legend>${values}</fieldset>`}`;
}

function labelsOf({ layout: { words }, texts: { send, templates } }: FormVisit) {
  return {
    citizenId: capitalised(words, words.uses.claims.citizenId),
    subject: send.subject,
    text: send.text,
    category: words.messages.category,
    reference: send.reference,
    sendAt: send.when,
    language: templates.language,
  };
}

/** The recipient of a message and what else the preview does not show. */
export function sendSummary(visit: FormVisit, values: URLSearchParams): Html {
  const { categories: names } = visit.layout.words.messages;
  const labels = labelsOf(visit);
  const category = categories.find((one) => one === values.get('category')) ?? 'information';
  const reference = values.get('reference')?.trim() ?? '';
  return html`<dl class="summary"><dt>${labels.citizenId}</dt><dd><bdi>${values.get('citizenId')?.trim() ?? ''}</bdi></dd>
      <dt>${labels.category}</dt><dd>${names[category]}</dd>
      ${reference === '' ? '' : html`<dt>${labels.reference}</dt><dd><bdi>${reference}</bdi></dd>`}</dl>`;
}

/** The faults of a message that the operation refused. */
export function sendFaults(visit: FormVisit, values: URLSearchParams, refusal: Refusal): readonly FieldFault[] {
  const { send } = visit.texts;
  const { faults } = send;
  const isOwn = values.get('template') === ownText;
  if (refusal.slug === 'payload-too-large') {
    const value = [...values.keys()].find((name) => name.startsWith(valuePrefix)) ?? 'citizenId';
    return [tooLongFault(visit, isOwn ? { field: 'text', label: send.text } : { field: value, label: send.values })];
  }
  const own = (refusal.issues ?? []).flatMap(({ pointer = '', code }): readonly FieldFault[] => {
    const [, member, name] = pointer.split('/');
    if (member === 'sendAt' && code === 'out-of-range') return [{ field: 'sendAt', text: faults.time }];
    if (!isOwn || member !== 'personalisation') return [];
    const text = formatMessage(visit.layout.words.language, faults.placeholder, {
      placeholder: `\u2068((${name}))\u2069`,
    });
    return [{ field: 'text', text }];
  });
  const others = faultsOf(visit, refusal, (pointer) => sendFieldOf(visit, pointer));
  const hasOwn = ({ field }: FieldFault) =>
    own.some((one) => one.field === field) || (isOwn && field.startsWith(valuePrefix));
  return [...own, ...others.filter((one) => !hasOwn(one))];
}

/** The body of the operation that a form asks for, or the fault of its time: the operation finds all others. */
export function parseSendForm(
  visit: FormVisit,
  values: URLSearchParams,
): SendBody | { readonly faults: readonly FieldFault[] } {
  const text = (name: string) => values.get(name)?.trim() ?? '';
  const optional = <K extends string>(name: K, value: string) => (value === '' ? {} : { [name]: value });
  const sendAt = text('sendAt');
  const at = parseLocalTime(sendAt, visit.layout.words.timeZone ?? 'UTC');
  if (sendAt !== '' && at === undefined) return { faults: [{ field: 'sendAt', text: visit.texts.send.faults.time }] };
  const isOwn = text('template') === ownText;
  const filled = [...values].flatMap(([name, value]) =>
    name.startsWith(valuePrefix) ? [[name.slice(valuePrefix.length), value] as const] : [],
  );
  return {
    citizenId: text('citizenId'),
    category: categories.find((one) => one === text('category')) ?? 'information',
    ...(isOwn
      ? { ...optional('subject', text('subject')), message: text('text') }
      : {
          templateId: text('template'),
          personalisation: Object.fromEntries(filled),
          ...optional('language', text('language')),
        }),
    ...optional('reference', text('reference')),
    ...(at === undefined ? {} : { sendAt: formatInstant(at) }),
  };
}

/** The field of a JSON pointer into the body. */
function sendFieldOf(visit: FormVisit, pointer: string): NamedField {
  const [, first = '', name = ''] = pointer.split('/');
  if (first === 'personalisation' && name !== '') return { field: `${valuePrefix}${name}`, label: name };
  const field = first === 'message' ? 'text' : first;
  const found = Object.entries(labelsOf(visit)).find(([one]) => one === field);
  return found === undefined
    ? { field: 'citizenId', label: labelsOf(visit).citizenId }
    : { field: found[0], label: found[1] };
}
