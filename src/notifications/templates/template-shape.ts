import { Type } from 'typebox';
import type { OperationCall, RequestShape } from '../../api/operation.ts';
import type { Read } from '../../db/database.ts';
import { formatInstant } from '../../kernel/clock.ts';
import { parseId, type TemplateId } from '../../kernel/id.ts';
import type { SystemEvent } from '../../ledger/ledger-event.ts';
import { instantSchema } from '../notification/notification-shape.ts';
import { type Template, type TemplateHead, templateHeadOf } from './template.ts';
import { findTemplate } from './template-store.ts';

/** The path parameters of the operations on one template. */
export const templateParams = Type.Object(
  { id: Type.String({ maxLength: 64, description: 'The id of the template.' }) },
  { additionalProperties: false },
);

const summaryProperties = {
  id: Type.String({ description: 'The id of the template. Send it as templateId.' }),
  name: Type.String({ description: 'The name for your staff.' }),
  defaultLanguage: Type.String({ description: 'The language for citizens whose language has no text (BCP 47).' }),
  languages: Type.Array(Type.String(), { description: 'The languages of its texts (BCP 47).' }),
  placeholders: Type.Array(Type.String(), {
    description: 'The names of the values that personalisation must contain.',
  }),
  createdAt: instantSchema('The time at which the template was created.'),
};

/** The schema of a template in a list. */
export const templateSummaryShape = Type.Object(summaryProperties, {
  $id: 'TemplateSummary',
  additionalProperties: false,
});

/** The schema of a template with its texts. */
export const templateShape = Type.Object(
  {
    ...summaryProperties,
    texts: Type.Array(
      Type.Object(
        {
          language: Type.String({ description: 'The language of this text, as a canonical tag (BCP 47).' }),
          subject: Type.Optional(
            Type.String({ description: 'The subject line. Absent: a subject with the name of the sender.' }),
          ),
          message: Type.String({
            description: 'The text of the message: plain text or restricted Markdown, with its placeholders.',
          }),
        },
        { $id: 'TemplateText', additionalProperties: false },
      ),
      { description: 'One text for each language.' },
    ),
  },
  { $id: 'Template', additionalProperties: false },
);

/** The JSON of `templateSummaryShape`. */
export function templateSummaryOf({ id, name, defaultLanguage, languages, placeholders, createdAt }: TemplateHead) {
  return { id, name, defaultLanguage, languages, placeholders, createdAt: formatInstant(createdAt) };
}

/** The JSON of `templateShape`. */
export function templateView(template: Template) {
  return { ...templateSummaryOf(templateHeadOf(template)), texts: template.texts };
}

/** The template with this id when it belongs to the client. */
export async function findOwnTemplate(read: Read, text: string, clientId: string): Promise<Template | undefined> {
  const id = parseId('template', text);
  const template = id === undefined ? undefined : await findTemplate(read, id);
  return template?.clientId === clientId ? template : undefined;
}

type TemplateChangedEvent = Extract<SystemEvent, { readonly type: 'template.changed' }>;

/** The ledger event of a change that a client made to its template. */
export function templateChangedEvent<S extends RequestShape, P>(
  call: Pick<OperationCall<S, P>, 'createId' | 'now' | 'caller'>,
  template: TemplateId,
  change: TemplateChangedEvent['change'],
): TemplateChangedEvent {
  const actor = { client: call.caller.clientId };
  return { type: 'template.changed', id: call.createId('event'), at: call.now, actor, template, change };
}
