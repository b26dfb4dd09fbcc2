import { type Static, Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { parseLanguageTag } from '../kernel/language-tag.ts';
import { type Issue, refuse, refuseIssues } from '../kernel/refusal.ts';
import { languageTagSchema } from './notification/notification-shape.ts';
import type { NotificationPorts } from './ports.ts';
import { maxMessageLength, maxSubjectLength, maxValues, textFormIssues } from './send-request.ts';
import { languageIssues, placeholderIssues, placeholdersOfText, type TemplateText } from './templates/template.ts';
import { templateChangedEvent, templateShape, templateView } from './templates/template-shape.ts';
import { insertTemplate, maxTemplates } from './templates/template-store.ts';

const maxLanguages = 40;

const body = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'A name for your staff, in one line. Citizens do not see it.',
    }),
    defaultLanguage: languageTagSchema(
      'The language for citizens whose language is not in texts (BCP 47). It must be one of the languages in texts.',
    ),
    texts: Type.Array(
      Type.Object(
        {
          language: languageTagSchema('The language of this text (BCP 47).'),
          subject: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: maxSubjectLength,
              description: 'The subject, in one line. Default: a subject with the name of the sender.',
            }),
          ),
          message: Type.String({
            minLength: 1,
            maxLength: maxMessageLength,
            description:
              'The text of the message: plain text or restricted Markdown, with a placeholder ((name)) for each value.',
          }),
        },
        { $id: 'NewTemplateText', additionalProperties: false },
      ),
      {
        minItems: 1,
        maxItems: maxLanguages,
        description:
          'One text for each language, all with the same placeholders. They must not contain data of a citizen: each message has its own values. The whole body has at most 64 KiB.',
      },
    ),
  },
  { additionalProperties: false },
);

const request = { body };

type CreateCall = OperationCall<typeof request, NotificationPorts>;

/** Creates a template: one message in several languages, so that each citizen gets it in their language. */
export const createTemplate = defineOperation({
  name: 'createTemplate',
  since: '1.0',
  method: 'POST',
  path: '/v1/templates',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'Create a template with a text for each language',
  description:
    'Creates a template for messages to many citizens. To use it, send its id as templateId with the values of the placeholders: each citizen receives the text in their own language. A template cannot be edited. Create another one, and remove this one when you no longer use it.',
  request,
  responses: {
    201: {
      description: 'The template was created.',
      schema: templateShape,
      headers: {
        Location: 'The path of the template.',
        'Idempotent-Replayed': 'true if the server repeats an earlier response.',
      },
    },
  },
  refusals: ['bad-request', 'conflict'],
  idempotent: true,
  citizenData: true,
  contentIssues: async ({ body: { name, texts, defaultLanguage } }) =>
    templateIssuesOf({ name, texts, defaultLanguage }),
  run: async (call: CreateCall) => {
    const { name, defaultLanguage } = call.body;
    const issues = templateIssuesOf(call.body);
    if (issues.length > 0) return { refusal: refuseIssues(issues) };
    const texts = call.body.texts.map((text): TemplateText => ({ ...text, language: canonicalTag(text.language) }));
    const id = call.createId('template');
    const { clientId } = call.caller;
    const template = { id, clientId, name, defaultLanguage: canonicalTag(defaultLanguage), texts, createdAt: call.now };
    return {
      effect: { events: [templateChangedEvent(call, id, 'created')], statements: insertTemplate(template) },
      answer: { status: 201, headers: { location: `/v1/templates/${id}` }, json: templateView(template) },
      onConflict: () => refuse('conflict', `A client has at most ${maxTemplates} templates; remove one first.`),
    };
  },
});

const canonicalTag = (tag: string) => parseLanguageTag(tag) ?? tag;

/** The issues of the parts that match the schema. */
function templateIssuesOf({ name, texts, defaultLanguage }: Partial<Static<typeof body>>): Issue[] {
  const issues = textFormIssues([['/name', name, 'line']]);
  if (texts === undefined) return issues;
  for (const [index, { subject, message }] of texts.entries()) {
    const at = `/texts/${index}`;
    issues.push(
      ...textFormIssues([
        [`${at}/message`, message, 'text'],
        [`${at}/subject`, subject, 'line'],
      ]),
    );
    const { size } = placeholdersOfText({ subject, message });
    const detail = `subject and message have ${size} placeholders, and at most ${maxValues} are allowed`;
    if (size > maxValues) issues.push({ in: 'body', pointer: `${at}/message`, code: 'too-long', detail });
  }
  const stated = defaultLanguage === undefined ? [] : languageIssues(texts, defaultLanguage);
  return [...issues, ...stated, ...placeholderIssues(texts)];
}
