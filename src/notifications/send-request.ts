import { type Static, Type } from 'typebox';
import { safeName } from '../api/validate-request.ts';
import { citizenIdPattern, citizenIdRequirement, maxCitizenIdLength } from '../kernel/id.ts';
import type { Issue, IssueCode } from '../kernel/refusal.ts';
import { singleLinePattern, singleLineRequirement } from '../kernel/single-line-text.ts';
import { isLegalRule, legalRuleRequirement } from './legal-effect/legal-effect.ts';
import { categories, channelNames } from './notification/notification.ts';
import { languageTagSchema, literalUnion, optionalInstantSchema } from './notification/notification-shape.ts';
import { endOfRespondBy, respondByFault } from './notification/respond-by.ts';
import { type Template, textForLanguage } from './templates/template.ts';
import {
  countCodePoints,
  filledLength,
  fillMarkdown,
  fillPlaceholders,
  type PlaceholderValues,
  placeholderNamesIn,
} from './text/markdown.ts';

const dayMs = 86_400_000;
/** The limit for `sendAt` from now, and for `deliverBy` from `sendAt`. */
const maxWaitMs = 366 * dayMs;
/** In characters. The limit is for the text as sent and for the text with its values filled in. */
export const maxMessageLength = 20_000;
/** In characters, with the same meaning as `maxMessageLength`. */
export const maxSubjectLength = 200;
/** The limit of placeholders in one text, and in all texts of a template together. */
export const maxValues = 100;
/** The default of `deliverBy`, counted from `sendAt`. */
const defaultDeliverWithinMs = 14 * dayMs;

/** The body of the operations that send and preview a notification. */
export const sendBody = Type.Object(
  {
    citizenId: Type.String({
      minLength: 1,
      maxLength: maxCitizenIdLength,
      description: 'The id of the citizen in the register.',
    }),
    message: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxMessageLength,
        description:
          'The text of the message: plain text or restricted Markdown. Required without templateId. The whole body has at most 64 KiB.',
      }),
    ),
    templateId: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'The id of a template, instead of message and subject. The server uses its text in the member language, or in the language of the citizen, or in its default language.',
      }),
    ),
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxSubjectLength,
        description: 'The subject, in one line. Default: a subject with the name of the sender.',
      }),
    ),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Your own reference, by which you can find the notification. It can occur more than once, and must not contain personal data.',
      }),
    ),
    category: Type.Optional(
      literalUnion(
        categories,
        'The category of the message: information, decision, reminder or urgent. The server sends urgent messages before all others. Default: information.',
      ),
    ),
    language: Type.Optional(
      languageTagSchema(
        'The language of the message (BCP 47). For a template, one of its languages. Default: the language of the citizen.',
      ),
    ),
    sendAt: optionalInstantSchema(
      'The earliest time of sending (RFC 3339), in the future and at most one year from now. Default: now.',
    ),
    deliverBy: optionalInstantSchema(
      'The deadline of delivery (RFC 3339), after sendAt. Without proof of delivery by then, the notification becomes sent, unknown or undeliverable. Default: two weeks after sendAt.',
    ),
    respondBy: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'Until when you need an answer: a date (YYYY-MM-DD) or an instant, at most two years after sendAt. The inbox of the citizen shows it. It changes neither the delivery nor the legal effect.',
      }),
    ),
    channels: Type.Optional(
      Type.Array(literalUnion(channelNames, 'A channel.'), {
        minItems: 1,
        maxItems: channelNames.length,
        uniqueItems: true,
        description:
          'The channels in your order. The first starts at once, and the others after the waiting times of the server policy. The server always uses the inbox. Default: all channels of the policy.',
      }),
    ),
    personalisation: Type.Optional(
      Type.Record(
        Type.String({ maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$' }),
        Type.String({ maxLength: 2_000 }),
        {
          $id: 'Personalisation',
          maxProperties: maxValues,
          description:
            'The values of the placeholders ((name)) in subject and message. Each placeholder needs a value. Values are plain text: Markdown in them has no effect. The length limits also apply to the texts with their values.',
        },
      ),
    ),
    attachments: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        minItems: 1,
        maxItems: 10,
        uniqueItems: true,
        description:
          'The ids of documents of this citizen that you may read. The message lists them, and the citizen can read them.',
      }),
    ),
    legalEffect: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'The rule by which the notification counts as served: opened, after-N-working-days, after-N-days or as-letter. With -or-confirmed at its end, a confirmation by the link in a mail counts like opening. The evidence contains the result. Mails and the inbox show the rule to the citizen beforehand. Default: no rule.',
      }),
    ),
  },
  { $id: 'SendNotificationBody', additionalProperties: false },
);

/** A validated body of these operations. */
export type SendBody = Static<typeof sendBody>;

/** When a notification is sent and when it expires (epoch ms), with the issues of the request. */
export type SendTimes = {
  readonly sendAt: number | null;
  readonly deliverBy: number;
  readonly issues: readonly Issue[];
};

/** Reads the times of a request. `allowLongDelay` is for messages of this server, which may wait for longer than a year. */
export function parseSendTimes(
  { sendAt: sendText, deliverBy: deliverText, respondBy }: Pick<SendBody, 'sendAt' | 'deliverBy' | 'respondBy'>,
  now: number,
): SendTimes {
  const issues: Issue[] = [];
  const add = (pointer: string, code: IssueCode, detail: string) => issues.push({ in: 'body', pointer, code, detail });
  const sendAt = sendText === undefined ? null : Date.parse(sendText);
  if (Number.isNaN(sendAt)) add('/sendAt', 'malformed', 'must be an instant without a leap second');
  else if (sendAt !== null && sendAt <= now) add('/sendAt', 'out-of-range', 'must be in the future');
  else if (sendAt !== null && sendAt > now + maxWaitMs)
    add('/sendAt', 'out-of-range', 'must be at most one year from now');
  const begin = sendAt === null || Number.isNaN(sendAt) ? now : sendAt;
  const deliverBy = deliverText === undefined ? begin + defaultDeliverWithinMs : Date.parse(deliverText);
  if (Number.isNaN(deliverBy)) add('/deliverBy', 'malformed', 'must be an instant without a leap second');
  else if (deliverBy <= begin) add('/deliverBy', 'out-of-range', 'must be in the future, and after sendAt');
  else if (deliverBy > begin + maxWaitMs) add('/deliverBy', 'out-of-range', 'must be at most one year after sendAt');
  const fault = respondBy === undefined ? undefined : respondByFault(respondBy, begin);
  if (fault !== undefined) add('/respondBy', fault.malformed ? 'malformed' : 'out-of-range', fault.detail);
  return { sendAt, deliverBy, issues };
}

/** The latest time of a `Date`. */
const endOfTime = 8_640_000_000_000_000;

/** From this time on, a checked request with these times would be refused (epoch ms). A passed `sendAt` is no reason. */
export function deadlineOf({ deliverBy, respondBy }: Pick<SendBody, 'deliverBy' | 'respondBy'>): number {
  const respondEnd = respondBy === undefined ? undefined : endOfRespondBy(respondBy);
  return Math.min(deliverBy === undefined ? endOfTime : Date.parse(deliverBy), respondEnd ?? endOfTime);
}

const textPattern = /^(?:[\t\n\r]|[^\p{Cc}])*$/u;

/** False for a text of white space, direction marks and zero-width characters only: a citizen would see an empty message. */
function hasVisibleText(value: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(value);
}

type TextForm = keyof typeof textForms;
const textForms = {
  line: [singleLinePattern, `must be ${singleLineRequirement}`],
  text: [textPattern, 'must contain text, and no control characters except line breaks and tabs'],
  citizenId: [citizenIdPattern, citizenIdRequirement],
} as const;

/** The issues of texts that contain forbidden characters or nothing visible. Undefined texts have none. */
export function textFormIssues(texts: ReadonlyArray<readonly [string, string | undefined, TextForm]>): Issue[] {
  return texts.flatMap(([pointer, value, form]): Issue[] => {
    const [pattern, detail] = textForms[form];
    if (value === undefined || (pattern.test(value) && hasVisibleText(value))) return [];
    return [{ in: 'body', pointer, code: 'malformed', detail }];
  });
}

type TextIssuesOptions = {
  /** The members that failed the schema; the body is without them. */
  readonly faulty?: ReadonlySet<string> | undefined;
  /** The template that the request names; undefined when it names none or an unknown one. */
  readonly template?: Template | undefined;
};

/** The issues of the texts of a request: their form, the values of its placeholders, and the rule of legal effect. */
export function textIssues(body: Partial<SendBody>, { faulty = new Set(), template }: TextIssuesOptions = {}): Issue[] {
  const { message, subject, reference, citizenId, legalEffect, templateId } = body;
  const issues = textFormIssues([
    ['/citizenId', citizenId, 'citizenId'],
    ['/message', message, 'text'],
    ['/subject', subject, 'line'],
    ['/reference', reference, 'line'],
  ]);
  if (legalEffect !== undefined && !isLegalRule(legalEffect)) {
    issues.push({ in: 'body', pointer: '/legalEffect', code: 'not-allowed', detail: legalRuleRequirement });
  }
  if (templateId !== undefined) return [...issues, ...templateTextIssues(body, faulty, template)];
  if (message === undefined && !faulty.has('message') && !faulty.has('templateId')) {
    const detail = 'is required without templateId';
    issues.push({ in: 'body', pointer: '/message', code: 'required', detail });
  }
  // If a part is invalid, the values that the texts need are unknown.
  if (faulty.has('subject') || faulty.has('personalisation') || message === undefined) return issues;
  return [...issues, ...valueIssues([{ message, subject }], body.personalisation ?? {})];
}

/**
 * The issues of a request that names a template. All texts of the template are checked, so that the result does not depend on the citizen's
 * language.
 */
function templateTextIssues(
  body: Partial<SendBody>,
  faulty: ReadonlySet<string>,
  template: Template | undefined,
): Issue[] {
  const issues: Issue[] = [];
  const add = (pointer: string, code: IssueCode, detail: string) => issues.push({ in: 'body', pointer, code, detail });
  for (const member of ['message', 'subject'] as const) {
    if (body[member] !== undefined || faulty.has(member))
      add(`/${member}`, 'not-allowed', 'must be absent with templateId: the template has the text');
  }
  if (template === undefined) {
    add('/templateId', 'not-found', 'must be one of your templates; GET /v1/templates lists them');
    return issues;
  }
  const { language, personalisation = {} } = body;
  if (language !== undefined && textForLanguage(template.texts, language) === undefined) {
    const has = template.texts.map((one) => one.language).join(', ');
    const detail = `must be a language of the template (${has}), or absent to choose by the language of the citizen`;
    add('/language', 'not-allowed', detail);
  }
  if (faulty.has('personalisation')) return issues;
  return [...issues, ...valueIssues(template.texts, personalisation)];
}

/** A text with placeholders. The texts of a stored template have a language. */
type TextWithPlaceholders = {
  readonly language?: string;
  readonly message: string;
  readonly subject?: string | undefined;
};

function valueIssues(texts: readonly TextWithPlaceholders[], values: PlaceholderValues): Issue[] {
  const issue = (name: string, code: IssueCode, detail: string): Issue => {
    return { in: 'body', pointer: `/personalisation/${name}`, code, detail };
  };
  const inSubject = new Set(texts.flatMap(({ subject = '' }) => [...placeholderNamesIn(subject)]));
  const required = new Set([...texts.flatMap(({ message }) => [...placeholderNamesIn(message)]), ...inSubject]);
  if (required.size > maxValues) {
    const detail = `subject and message have ${required.size} placeholders, and at most ${maxValues} are allowed`;
    return [{ in: 'body', pointer: '/personalisation', code: 'too-long', detail }];
  }
  const missing = [...required].filter((name) => !Object.hasOwn(values, name));
  return [
    ...missing.map((name) => issue(name, 'required', 'is required: the text has this placeholder')),
    ...Object.entries(values).flatMap(([name, value]) => {
      if (!required.has(name)) return [issue(safeName(name), 'unknown-input', 'the text has no such placeholder')];
      if (inSubject.has(name) && value !== '' && !singleLinePattern.test(value))
        return [issue(name, 'malformed', `must be ${singleLineRequirement}: it is in the subject`)];
      return textPattern.test(value) ? [] : [issue(name, 'malformed', 'must be text without control characters')];
    }),
    ...texts.flatMap((text) => [...filledIssues(text, 'message', values), ...filledIssues(text, 'subject', values)]),
  ];
}

/** The issues of a filled text. A text whose minimum length is over the limit is never built. */
function filledIssues(
  { language, ...text }: TextWithPlaceholders,
  member: 'message' | 'subject',
  values: PlaceholderValues,
): Issue[] {
  const template = text[member] ?? '';
  const maxLength = member === 'message' ? maxMessageLength : maxSubjectLength;
  const write = member === 'message' ? fillMarkdown : fillPlaceholders;
  const issue = (code: IssueCode, detail: string): Issue =>
    language === undefined
      ? { in: 'body', pointer: `/${member}`, code, detail }
      : { in: 'body', pointer: '/personalisation', code, detail: `the text in ${language} ${detail}` };
  const minLength = filledLength(template, values);
  const filled = minLength > maxLength ? undefined : write(template, values);
  const length = filled === undefined ? minLength : countCodePoints(filled);
  if (length > maxLength) {
    const detail = `has ${length} characters after its values are filled in; at most ${maxLength} are allowed. Shorten the text or the values`;
    return [issue('too-long', detail)];
  }
  // A template that is blank without values has an issue of its own form already.
  if (!hasVisibleText(template) || hasVisibleText(filled ?? '')) return [];
  return [issue('malformed', 'is blank after its values are filled in: add text, or a value that is not blank')];
}
