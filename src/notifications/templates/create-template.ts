import { type Static, Type } from 'typebox';
import { type Call, defineOperation } from '../../api/operation.ts';
import { parseLanguageTag } from '../../kernel/language-tag.ts';
import { type Issue, refusalOfIssues, refuse } from '../../kernel/problem.ts';
import { languageTag } from '../notification-shape.ts';
import type { NotificationPorts } from '../ports.ts';
import { longestMessage, longestSubject, mostValues, textFormIssues } from '../send-request.ts';
import { languageIssues, placeholderIssues, placeholdersIn, type TemplateText } from './template.ts';
import { changed, templateShape, templateView } from './template-shape.ts';
import { insertTemplate, mostTemplates } from './template-store.ts';

const mostLanguages = 40;

const body = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'For people, to tell it from others; one line. Citizens do not see it.',
    }),
    defaultLanguage: languageTag('For citizens whose language it has not (BCP 47): one of those of texts.'),
    texts: Type.Array(
      Type.Object(
        {
          language: languageTag('The language of this text (BCP 47).'),
          subject: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: longestSubject,
              description: 'One line; without it the sender is named.',
            }),
          ),
          message: Type.String({
            minLength: 1,
            maxLength: longestMessage,
            description: 'Plain text or restricted Markdown, with a placeholder ((name)) for each value.',
          }),
        },
        { additionalProperties: false },
      ),
      {
        minItems: 1,
        maxItems: mostLanguages,
        description:
          'One for each language, with the same placeholders in all of them, and nothing about a citizen: that comes with each message. The whole body is at most 64 KiB.',
      },
    ),
  },
  { additionalProperties: false },
);

const request = { body };

type CreateCall = Call<typeof request, NotificationPorts>;

/** Makes a template: texts for one message to many citizens, each of whom gets it in the own language. */
export const createTemplate = defineOperation({
  name: 'createTemplate',
  since: '1.0',
  method: 'POST',
  path: '/v1/templates',
  scope: 'notifications:send',
  summary: 'Make a template with a text for each language',
  description:
    'Send by it with templateId and the values of its placeholders: each citizen gets the text in the own language. A template is never edited; make another one, and remove this one when nothing is sent by it any more.',
  request,
  responses: {
    201: {
      description: 'Made.',
      schema: templateShape,
      headers: { Location: 'Where it is.', 'Idempotent-Replayed': 'true where an earlier answer is repeated.' },
    },
  },
  refusals: ['bad-request', 'conflict'],
  idempotent: true,
  citizenData: true,
  contentIssues: async ({ body: { name, texts, defaultLanguage } }) => issuesOf({ name, texts, defaultLanguage }),
  run: async (call: CreateCall) => {
    const { name, defaultLanguage, texts: given } = call.body;
    const issues = issuesOf(call.body);
    if (issues.length > 0) return { refusal: refusalOfIssues(issues) };
    const texts = given.map((text): TemplateText => ({ ...text, language: canonical(text.language) }));
    const id = call.mint('template');
    const { clientId } = call.caller;
    const template = { id, clientId, name, defaultLanguage: canonical(defaultLanguage), texts, createdAt: call.now };
    return {
      effect: { events: [changed(call, id, 'created')], statements: insertTemplate(template) },
      answer: { status: 201, headers: { location: `/v1/templates/${id}` }, json: templateView(template) },
      onRefused: () => refuse('conflict', `A client has at most ${mostTemplates} templates; remove one first.`),
    };
  },
});

const canonical = (tag: string) => parseLanguageTag(tag) ?? tag;

/** What is wrong about the parts that are as the schema says. */
function issuesOf({ name, texts, defaultLanguage }: Partial<Static<typeof body>>): Issue[] {
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
    const { size } = placeholdersIn({ subject, message });
    const detail = `subject and message have ${size} placeholders, and at most ${mostValues} are allowed`;
    if (size > mostValues) issues.push({ in: 'body', pointer: `${at}/message`, code: 'too-long', detail });
  }
  const stated = defaultLanguage === undefined ? [] : languageIssues(texts, defaultLanguage);
  return [...issues, ...stated, ...placeholderIssues(texts)];
}
